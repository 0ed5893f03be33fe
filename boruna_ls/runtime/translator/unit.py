"""A module while it is translated: its call graph, its leaf functions, the frames and operands they need."""

from __future__ import annotations

import math
from typing import Final

from boruna_ls.runtime.interpreter import MAX_FRAMES, MAX_OPERANDS
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.translator.charging import Plan
from boruna_ls.runtime.translator.graph import CALLS, Graph, effect
from boruna_ls.runtime.translator.inference import FunctionFacts
from boruna_ls.runtime.translator.world import World

MAX_LEAF: Final = 1000
"""Steps of a function that leaves looking at the budget to its callers."""


class Unit:
    """Facts that the writers of all functions share."""

    def __init__(self, program: Program, world: World, facts: dict[int, FunctionFacts], entry: int, logged: bool) -> None:
        self.program = program
        self.world = world
        self.facts = facts
        self.logged = logged
        self.indirect: set[int] = set()
        """Numbers of arguments of calls through references."""
        self.constants: set[int] = set()
        self.heads: set[int] = set()
        self.callees = {function: self._callees(function) for function in facts}
        self.cyclic = self._cyclic()
        self.deep = self._deep()
        self._leaf_costs: dict[int, int | None] = {entry: None}
        self.frames = self._frames()
        if self.below(entry) + 2 >= self.frames:
            # A chain of calls alone could be too long: all functions count frames.
            self.cyclic = self.deep = set(facts)

    # -- texts --

    def literal(self, constant: int) -> str:
        """A constant as an expression."""
        value = self.program.constants[constant]
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return repr(value)
        if kind is int:
            return repr(value) if value >= 0 else f"({value})"
        if kind is float and math.isfinite(value) and not (value == 0 and math.copysign(1, value) < 0):
            return repr(value) if value >= 0 else f"({value!r})"
        self.constants.add(constant)
        return f"K{constant}"

    def anonymous(self, names: int) -> int:
        """The number of a head of anonymous records."""
        self.heads.add(names)
        return names

    # -- functions --

    def graph(self, function: int) -> Graph | None:
        """The control flow; None for functions that are left to the interpreter."""
        return self.facts[function].graph if function in self.facts else None

    def parameters(self, function: int) -> int:
        """Number of arguments that the translated function takes."""
        code = self.program.module.functions[function]
        return min(code.arity, code.locals)

    def takes(self, function: int, args: int) -> bool:
        """True if a call with this number of arguments can be translated; surplus ones would fill further cells."""
        code = self.program.module.functions[function]
        return args <= code.arity or code.locals <= code.arity

    def _callees(self, function: int) -> set[int]:
        callees: set[int] = set()
        for op in self.program.module.functions[function].code:
            if op[0] == "Call" and op[1] in self.facts:
                callees.add(op[1])
            elif op[0] == "CallIndirect":
                callees.update(self.world.referenced & self.facts.keys())
        return callees

    def has_indirect(self) -> bool:
        """True if any function calls through a reference."""
        functions = self.program.module.functions
        return any(op[0] == "CallIndirect" for function in self.facts for op in functions[function].code)

    def _cyclic(self) -> set[int]:
        """Functions that can be active twice at once: those in a cycle of calls (Tarjan's strongly connected components)."""
        cyclic: set[int] = set()
        number: dict[int, int] = {}
        low: dict[int, int] = {}
        path: list[int] = []
        for root in self.callees:
            todo = [] if root in number else [(root, iter(self.callees[root]))]
            while todo:
                function, callees = todo[-1]
                if function not in number:
                    number[function] = low[function] = len(number)
                    path.append(function)
                fresh = None
                for callee in callees:
                    if callee not in number:
                        fresh = callee
                        break
                    if low[callee] >= 0:
                        low[function] = min(low[function], low[callee])
                if fresh is not None:
                    todo.append((fresh, iter(self.callees[fresh])))
                    continue
                todo.pop()
                if todo:
                    caller = todo[-1][0]
                    low[caller] = min(low[caller], low[function])
                if low[function] == number[function]:
                    component = path[path.index(function) :]
                    del path[len(path) - len(component) :]
                    for member in component:
                        low[member] = -1
                    if len(component) > 1 or function in self.callees[function]:
                        cyclic.update(component)
        return cyclic

    def _deep(self) -> set[int]:
        """Functions that hand on the number of frames: all from which recursion can be reached, and what references name."""
        deep = set(self.cyclic)
        if self.has_indirect():
            deep |= self.world.referenced & self.facts.keys()
            deep |= {function for function in self.facts if self._calls_indirectly(function)}
        callers: dict[int, list[int]] = {}
        for function, callees in self.callees.items():
            for callee in callees:
                callers.setdefault(callee, []).append(function)
        todo = list(deep)
        while todo:
            more = [caller for caller in callers.get(todo.pop(), ()) if caller not in deep]
            deep.update(more)
            todo.extend(more)
        return deep

    def _calls_indirectly(self, function: int) -> bool:
        return any(op[0] == "CallIndirect" for op in self.program.module.functions[function].code)

    # -- limits --

    def below(self, function: int) -> int:
        """Frames that calls can add without passing a function that counts them itself."""
        depths: dict[int, int] = {}
        todo = [function]
        while todo:
            current = todo[-1]
            open_callees = [callee for callee in self.callees[current] - self.cyclic if callee not in depths]
            if open_callees:
                todo.extend(open_callees)
                continue
            depths[current] = max((depths[callee] + 1 for callee in self.callees[current] - self.cyclic), default=0)
            todo.pop()
        return depths[function]

    def _frames(self) -> int:
        """Largest number of frames whose operands certainly fit on the stack."""
        pending, most = 1, 0
        for facts in self.facts.values():
            if facts.graph is None:
                continue
            for block in facts.graph.blocks.values():
                height = block.height
                for index in range(block.start, block.end):
                    op = facts.graph.op(index)
                    if op[0] in ("Ret", "Halt") or facts.graph.is_bad(op):
                        break
                    pops, pushes = effect(op)
                    if op[0] in CALLS:
                        pending = max(pending, height - pops)
                    height += pushes - pops
                    most = max(most, height + 1)
        return min(MAX_FRAMES - 1, (MAX_OPERANDS - most) // pending)

    def depth_limit(self, function: int) -> int:
        """The deepest frame that a recursive function may be without leaving translated code."""
        return self.frames - self.below(function) - 1

    # -- leaves --

    def leaf_cost(self, function: int) -> int | None:
        """The most steps of a function without loops that calls only such functions; None for all others."""
        if function not in self._leaf_costs:
            self._leaf_costs[function] = None
            self._leaf_costs[function] = self._leaf_cost(function)
        return self._leaf_costs[function]

    def _leaf_cost(self, function: int) -> int | None:
        graph = self.graph(function)
        if graph is None or not graph.reducible or graph.bodies or function in self.deep or function in self.world.referenced:
            return None
        if any(self.leaf_cost(callee) is None for callee in self.callees[function]):
            return None
        cost = Plan(graph, self.leaf_cost).longest(0)
        return cost if cost <= MAX_LEAF else None
