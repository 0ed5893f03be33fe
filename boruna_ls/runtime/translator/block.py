"""The state of a block while it is written as Python: expressions as long as nothing can fail, a check with a site where it can.

What is on the operand stack is kept as text; a value becomes a variable when something has to be tested, when it would be
worked out twice, or when a cell that it reads is about to change. `expressions` and `effects` write the operations.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Final

from analysis.bytecode.module import Op
from boruna_ls.runtime import builtins
from boruna_ls.runtime.translator.charging import Plan
from boruna_ls.runtime.translator.facts import BOOL, ENUM, LIST, NONE, RECORD
from boruna_ls.runtime.translator.graph import Block, Graph
from boruna_ls.runtime.translator.lines import BETWEEN, REDO, Lines, Site
from boruna_ls.runtime.translator.transfer import is_int
from boruna_ls.runtime.translator.unit import Unit
from boruna_ls.runtime.translator.walk import Entry, State, Walk

MAX_TEXT: Final = 300
"""Characters of an expression before it becomes a variable; CPython refuses 200 parentheses in one another."""
_TUPLES: Final = LIST | NONE | ENUM | RECORD


def is_atom(text: str) -> bool:
    """True if a text can be written twice without being evaluated twice."""
    return text.isidentifier() or text.isdigit()


def joined_text(parts: list[str]) -> str:
    """Pieces added together, the ones behind the first before they are added to it."""
    if len(parts) == 1:
        return parts[0]
    return f"({parts[0]} + {joined_text(parts[1:])})"


class BlockState(Walk, ABC):
    """Writes one block; `index` is the instruction that is being written."""

    def __init__(self, unit: Unit, graph: Graph, number: int, block: Block, state: State, plan: Plan, lines: Lines) -> None:
        super().__init__(unit.world, graph, number, state)
        for slot, entry in enumerate(self.stack):
            entry.text = f"s{slot}"
        self.unit = unit
        self.block = block
        self.plan = plan
        self.lines = lines
        self.index = block.start

    # -- sites and texts --

    def site(self, kind: str = REDO, args: int = 0, index: int | None = None) -> Site:
        """The state before the instruction that is being written."""
        index = self.index if index is None else index
        texts = tuple(entry.text for entry in self.stack)
        return Site(index, texts, self.plan.credit_at(self.block, index), kind, args)

    def first_site(self) -> Site:
        """The state before the block is charged."""
        texts = tuple(entry.text for entry in self.stack)
        return Site(self.block.start, texts, self.plan.credit[self.block.start], BETWEEN)

    def add(self, text: str, site: Site | None = None) -> None:
        """Write a line."""
        self.lines.add(text, site)

    def keep(self, entry: Entry, site: Site | None = None) -> str:
        """Make an entry a variable; it can then stand more than once."""
        self.settle(entry)
        if not is_atom(entry.text):
            name = self.lines.temporary()
            self.add(f"{name} = {entry.text}", site)
            entry.text = name
        return entry.text

    def _copy(self, entry: Entry) -> None:
        """Make an entry a variable of its own, also if it is a cell's name now: the cell is about to change."""
        self.settle(entry)
        name = self.lines.temporary()
        self.add(f"{name} = {entry.text}")
        entry.text = name

    def settle(self, entry: Entry) -> str:
        """Put a concatenation together, which is where it can become too large."""
        if entry.parts is not None:
            entry.parts = None
            name = self.lines.temporary()
            self.add(f"{name} = {entry.text}", entry.begun)
            self.fail_if(f"len({name}) > {builtins.MAX_BYTES}", entry.begun)
            entry.text = name
        return entry.text

    def result(self, entry: Entry, text: str, site: Site | None = None, at_once: bool = False) -> None:
        """Push what an operation gives."""
        entry.text = text
        if at_once or len(text) > MAX_TEXT:
            name = self.lines.temporary()
            self.add(f"{name} = {text}", site)
            entry.text = name
        self.stack.append(entry)

    def fail_unless(self, condition: str, site: Site) -> None:
        """Leave the translated code unless a condition holds."""
        self.add(f"if not {condition}: raise Slow", site)

    def fail_if(self, condition: str, site: Site) -> None:
        """Leave the translated code if a condition holds."""
        self.add(f"if {condition}: raise Slow", site)

    # -- instructions --

    def write(self, last: int) -> None:
        """All instructions before `last`."""
        for index in range(self.block.start, last):
            self.index = index
            self.instruction(self.graph.op(index))

    def instruction(self, op: Op) -> None:
        """Any instruction that is not the end of a block."""
        name = op[0]
        if name == "LoadLocal":
            entry = self.load(op[1])
            entry.text = f"l{op[1]}"
            self.stack.append(entry)
        elif name == "StoreLocal":
            self.write_store(op[1], self.stack.pop())
        elif name == "Dup":
            top = self.stack[-1]
            self.keep(top)
            copy = Entry(top.fact, top.origin, top.text)
            self.stack.append(copy)
        elif name == "Pop":
            self.stack.pop()
        elif name == "PushConst":
            self.result(self.pushed(self.index, op, []), self.unit.literal(op[1]))
        elif name == "Nop":
            pass
        else:
            self.operation(op)

    def write_store(self, cell: int, entry: Entry) -> None:
        """`StoreLocal`."""
        name = f"l{cell}"
        pattern = re.compile(rf"\b{name}\b")
        for other in self.stack:
            if pattern.search(other.text):
                self._copy(other)
        if self._extends(name, entry):
            self._extend_text(name, entry)
        else:
            self.settle(entry)
            last = self.lines.lines[-1] if self.lines.lines else None
            fresh = last is not None and entry.text[0] == "t" and last.text.startswith(f"{entry.text} = ")
            if fresh and last is not None and not any(entry.text in other.text for other in self.stack):
                last.text = f"{name}{last.text[len(entry.text) :]}"
            elif entry.text != name:
                self.add(f"{name} = {entry.text}")
        self.store(cell, entry)

    def _extends(self, name: str, entry: Entry) -> bool:
        """True if a concatenation appends to the cell that it is stored in, and uses the cell nowhere else."""
        if entry.parts is None or entry.parts[0] != name or self.stack:
            return False
        return not any(re.search(rf"\b{name}\b", part) for part in entry.parts[1:])

    def _extend_text(self, name: str, entry: Entry) -> None:
        """`s = s ++ a ++ b` in the form that CPython carries out in place. If the result is too large, what the cell held is
        its beginning."""
        assert entry.parts is not None
        more = joined_text(entry.parts[1:])
        before = f"{name}[:len({name}) - len({more})]"
        begun: Site = entry.begun
        self.add(f"{name} = {name} + {more}", begun)
        self.fail_if(
            f"len({name}) > {builtins.MAX_BYTES}", begun._replace(stack=(before, *begun.stack[1:]), cell=(int(name[1:]), before))
        )

    @abstractmethod
    def operation(self, op: Op) -> None:
        """Any operation on the values of the stack."""

    def condition(self, entry: Entry) -> str:
        """An expression that Python takes as true exactly if the value counts as true."""
        text = self.settle(entry)
        if not entry.fact.kinds & _TUPLES:
            return text
        return f"{self.keep(entry)}[2]" if entry.fact.kinds == LIST else f"truthy({text})"

    def truth(self, entry: Entry) -> str:
        """The same as a Bool."""
        text = self.condition(entry)
        if entry.fact.kinds == BOOL:
            return text
        return f"({text} != 0)" if is_int(entry.fact) else f"bool({text})"

    # -- the end of a block --

    def flush(self) -> None:
        """Bring what stays on the stack to where the next block looks for it."""
        for entry in self.stack:
            self.settle(entry)
        for slot, entry in enumerate(self.stack):
            if entry.text != f"s{slot}":
                self.add(f"s{slot} = {entry.text}")
