"""The control flow of a function: basic blocks, stack heights, dominators, loops.

What cannot be known before the run (a stack that is lower than the function's own operands, two ways to one place with
different heights) makes a function `Untranslatable`: it is left to the interpreter.
"""

from __future__ import annotations

from typing import Final

from analysis.bytecode.module import CATCH_ALL, FunctionCode, Op
from boruna_ls.runtime.builtins import BINARY, TERNARY, UNARY
from boruna_ls.runtime.program import Program

_EFFECTS: Final = {
    "PushConst": (0, 1), "LoadLocal": (0, 1), "StoreLocal": (1, 0), "LoadGlobal": (0, 1), "StoreGlobal": (1, 0),
    "MakeEnum": (1, 1), "GetField": (1, 1), "GetNamed": (1, 1), "SpawnActor": (0, 1), "SendMsg": (2, 0), "ReceiveMsg": (0, 1),
    "Assert": (1, 0), "GuardSeal": (3, 1), "Pop": (1, 0), "Dup": (1, 2), "EmitUi": (1, 0), "Debug": (1, 1), "DebugMsg": (2, 1),
    "Nop": (0, 0), "JmpIf": (1, 0), "JmpIfNot": (1, 0), "Jmp": (0, 0), "Match": (1, 1),
}  # fmt: skip
_EFFECTS.update(dict.fromkeys(UNARY, (1, 1)) | dict.fromkeys(BINARY, (2, 1)) | dict.fromkeys(TERNARY, (3, 1)))
_COUNT_AT: Final = {"Call": 2, "CallIndirect": 1, "MakeRecord": 2, "MakeAnonymous": 2, "MakeList": 1, "CapCall": 2}
ENDS: Final = frozenset(("Ret", "Halt", "Jmp", "JmpIf", "JmpIfNot", "Match"))
CALLS: Final = frozenset(("Call", "CallIndirect"))


class Untranslatable(Exception):
    """The interpreter has to execute this function."""


def effect(op: Op) -> tuple[int, int]:
    """Numbers of values that an operation pops and pushes."""
    name = op[0]
    at = _COUNT_AT.get(name)
    if at is not None:
        return op[at] + (name == "CallIndirect"), 1
    return _EFFECTS[name]


class Block:
    """Instructions `start` to `end` that are executed one after the other. The block behind the last instruction is empty and
    stands for the return by running off the end."""

    __slots__ = ("back", "end", "height", "idom", "index", "loop", "preds", "start", "succs")

    def __init__(self, start: int, end: int, succs: list[int]) -> None:
        self.start = start
        self.end = end
        self.succs = succs
        self.preds: list[int] = []
        self.height = -1
        self.index = -1
        """Place in reverse postorder."""
        self.idom = -1
        self.loop = -1
        """Start of the head of the innermost loop; -1 outside of all."""
        self.back: list[int] = []
        """Blocks that jump back to this one."""

    @property
    def cost(self) -> int:
        """Steps."""
        return max(self.end - self.start, 1)


class Graph:
    """Blocks by the index of their first instruction; `order` is reverse postorder of the reachable ones.

    `first` and `height`: of what a function does from an instruction on, with so many operands on the stack.
    """

    def __init__(self, program: Program, function: FunctionCode, first: int = 0, height: int = 0) -> None:
        self.function = function
        self.program = program
        self.first = first
        self.end = len(function.code)
        self.blocks = self._cut()
        self.order = self._ordered()
        self.blocks = {start: self.blocks[start] for start in self.order}
        self._heights(height)
        self._dominators()
        self._loops()

    def op(self, index: int) -> Op:
        """An instruction."""
        return self.function.code[index]

    def is_bad(self, op: Op) -> bool:
        """True if an operation always fails, since its operand refers to nothing."""
        name = op[0]
        if name in ("LoadLocal", "StoreLocal"):
            return bool(op[1] >= self.function.locals)
        if name == "PushConst":
            return bool(op[1] >= len(self.program.constants))
        if name in ("MakeAnonymous", "GetNamed"):
            return not self.program.has_text(op[1])
        if name == "Call":
            return bool(op[1] >= len(self.program.module.functions))
        if name == "Match":
            return bool(op[1] >= len(self.function.match_tables))
        if name in ("LoadGlobal", "StoreGlobal"):
            return bool(op[1] >= len(self.program.module.globals))
        return False

    def _targets(self, index: int) -> list[int]:
        """Successors of the last instruction of a block."""
        if index >= self.end:
            return []
        op = self.op(index)
        name = op[0]
        if name in ("Ret", "Halt") or self.is_bad(op):
            return []
        after = index + 1
        if name == "Jmp":
            targets = [op[1]]
        elif name in ("JmpIf", "JmpIfNot"):
            targets = [after, op[1]]
        elif name == "Match":
            targets = []
            for arm in self.function.match_tables[op[1]]:
                targets.append(arm.target)
                if arm.tag == CATCH_ALL:
                    break
        else:
            targets = [after]
        return list(dict.fromkeys(min(target, self.end) for target in targets))

    def _cut(self) -> dict[int, Block]:
        starts = {0, self.first, self.end}
        ends = set()
        for index, op in enumerate(self.function.code):
            if op[0] in ENDS or self.is_bad(op):
                ends.add(index)
                starts.update(self._targets(index))
                starts.add(index + 1)
        blocks = {}
        ordered = sorted(starts)
        for number, start in enumerate(ordered):
            end = ordered[number + 1] if number + 1 < len(ordered) else start
            blocks[start] = Block(start, end, self._targets(end - 1) if end > start else [])
        return blocks

    def _ordered(self) -> list[int]:
        postorder: list[int] = []
        state: dict[int, int] = {}
        todo = [self.first]
        while todo:
            start = todo[-1]
            seen = state.get(start)
            if seen is None:
                state[start] = 0
                todo.extend(target for target in self.blocks[start].succs if target not in state)
            else:
                todo.pop()
                if seen == 0:
                    state[start] = 1
                    postorder.append(start)
        order = postorder[::-1]
        for index, start in enumerate(order):
            self.blocks[start].index = index
        for start in order:
            for target in self.blocks[start].succs:
                self.blocks[target].preds.append(start)
        return order

    def _heights(self, height: int) -> None:
        self.blocks[self.first].height = height
        for start in self.order:
            block = self.blocks[start]
            height = block.height
            for index in range(block.start, block.end):
                op = self.op(index)
                if op[0] == "Ret" or op[0] == "Halt" or self.is_bad(op):
                    break
                pops, pushes = effect(op)
                if pops > height:
                    raise Untranslatable
                height += pushes - pops
            for target in block.succs:
                other = self.blocks[target]
                if other.height == -1:
                    other.height = height
                elif other.height != height:
                    raise Untranslatable

    def _dominators(self) -> None:
        blocks = self.blocks
        blocks[self.first].idom = self.first
        changed = True
        while changed:
            changed = False
            for start in self.order[1:]:
                reached = [pred for pred in blocks[start].preds if blocks[pred].idom != -1]
                best = reached[0]
                for pred in reached[1:]:
                    best = self._common(best, pred)
                if blocks[start].idom != best:
                    blocks[start].idom = best
                    changed = True

    def _common(self, left: int, right: int) -> int:
        blocks = self.blocks
        while left != right:
            if blocks[left].index > blocks[right].index:
                left = blocks[left].idom
            else:
                right = blocks[right].idom
        return left

    def dominates(self, left: int, right: int) -> bool:
        """True if every path to `right` passes `left`."""
        while self.blocks[right].index > self.blocks[left].index:
            right = self.blocks[right].idom
        return left == right

    def _loops(self) -> None:
        """Natural loops; a jump back to a block that does not dominate its origin makes the flow irreducible."""
        self.reducible = True
        self.bodies: dict[int, set[int]] = {}
        for start in self.order:
            for target in self.blocks[start].succs:
                if self.blocks[target].index <= self.blocks[start].index:
                    if not self.dominates(target, start):
                        self.reducible = False
                        continue
                    self.blocks[target].back.append(start)
        for head in self.order:
            if self.blocks[head].back:
                self.bodies[head] = self._body(head)
        for head in sorted(self.bodies, key=lambda head: -len(self.bodies[head])):
            for start in self.bodies[head]:
                self.blocks[start].loop = head

    def _body(self, head: int) -> set[int]:
        body = {head}
        todo = list(self.blocks[head].back)
        while todo:
            start = todo.pop()
            if start not in body:
                body.add(start)
                todo.extend(self.blocks[start].preds)
        return body

    def forward_preds(self, start: int) -> list[int]:
        """Predecessors, without the jumps back."""
        index = self.blocks[start].index
        return [pred for pred in self.blocks[start].preds if self.blocks[pred].index < index]
