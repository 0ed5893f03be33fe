"""Walks through the instructions of a block with facts instead of values: locals, operand stack, what conditions have shown.

`inference` walks until nothing new is found out; `expressions` walks once more along the same way and writes code.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from analysis.bytecode.module import CATCH_ALL, Arm, Op
from boruna_ls.runtime.translator import transfer
from boruna_ls.runtime.translator.facts import ANYTHING, BOOL, ENUM, NONE, Fact, join
from boruna_ls.runtime.translator.graph import Graph, effect
from boruna_ls.runtime.translator.transfer import COMPARISONS, is_int, narrowed
from boruna_ls.runtime.translator.world import World
from boruna_ls.runtime.values import ERR_HEAD, OK_HEAD, SOME_HEAD, enum_type, enum_variant

Bound = tuple[int, int]
"""A cell that is less than the length of the list in another one."""


class State(NamedTuple):
    """Facts at the start of a block."""

    locals: tuple[Fact, ...]
    stack: tuple[Fact, ...]
    bounds: frozenset[Bound] = frozenset()


class Entry:
    """A value on the stack: what is known of it, where it comes from, and (when code is written) the expression for it."""

    __slots__ = ("begun", "fact", "origin", "parts", "text")

    def __init__(self, fact: Fact, origin: transfer.Origin = None, text: str = "") -> None:
        self.fact = fact
        self.origin = origin
        self.text = text
        self.parts: list[str] | None = None
        """The pieces of a concatenation that has not been put together yet."""
        self.begun: Any = None
        """The site of its first operation."""


class Walk:
    """The state inside a block."""

    def __init__(self, world: World, graph: Graph, number: int, state: State) -> None:
        self.world: Final = world
        self.graph: Final = graph
        self.number: Final = number
        self.locals = list(state.locals)
        self.versions = [0] * len(self.locals)
        self.stack = [Entry(fact) for fact in state.stack]
        self.bounds = set(state.bounds)

    def state(self) -> State:
        """Facts at this point."""
        return State(tuple(self.locals), tuple(entry.fact for entry in self.stack), frozenset(self.bounds))

    def pop_many(self, count: int) -> list[Entry]:
        """Take entries off the stack, in the order in which they were pushed."""
        entries = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return entries

    def load(self, cell: int) -> Entry:
        """The entry of `LoadLocal`."""
        return Entry(self.locals[cell], ("local", cell, self.versions[cell]))

    def store(self, cell: int, entry: Entry) -> None:
        """`StoreLocal`."""
        self.locals[cell] = entry.fact
        self.versions[cell] += 1
        self.bounds = {bound for bound in self.bounds if cell not in bound}

    def pushed(self, index: int, op: Op, args: list[Entry]) -> Entry:
        """The entry that any other operation with a result pushes."""
        fact = transfer.result(self.world, self.number, index, op, [entry.fact for entry in args])
        return Entry(fact, self._origin(op, args))

    def _origin(self, op: Op, args: list[Entry]) -> transfer.Origin:
        name = op[0]
        if name in COMPARISONS:
            return ("compare", name, args[0], args[1])
        if name == "ListLen" and args[0].origin is not None and args[0].origin[0] == "local":
            return ("len", *args[0].origin[1:])
        if name == "Not":
            return ("not", args[0])
        return ("and", args[0], args[1]) if name == "And" else None

    def step(self, index: int, op: Op) -> None:
        """Any operation that is not the end of a block, for facts only."""
        name = op[0]
        if name == "LoadLocal":
            self.stack.append(self.load(op[1]))
        elif name == "StoreLocal":
            self.store(op[1], self.stack.pop())
        elif name == "Dup":
            self.stack.append(self.stack[-1])
        else:
            pops, pushes = effect(op)
            args = self.pop_many(pops)
            if pushes:
                self.stack.append(self.pushed(index, op, args))

    # -- conditions --

    def assume(self, condition: Entry, holds: bool) -> bool:
        """Take over what a condition says; False if it cannot be so."""
        origin = condition.origin
        if origin is None:
            return True
        kind = origin[0]
        if kind == "not" and origin[1].fact.kinds == BOOL:
            return self.assume(origin[1], not holds)
        if kind == "and" and holds:
            return self.assume(origin[1], True) and self.assume(origin[2], True)
        return self._assume_comparison(origin, holds) if kind == "compare" else True

    def _assume_comparison(self, origin: Any, holds: bool) -> bool:
        _, name, left, right = origin
        if holds and name == "Lt":
            index, size = self._cell(left, "local"), self._cell(right, "len")
            if index is not None and size is not None:
                self.bounds.add((index, size))
        if not (is_int(left.fact) and is_int(right.fact)):
            return True
        possible = True
        for entry, fact in zip((left, right), narrowed(name, left.fact, right.fact, holds), strict=True):
            possible = possible and bool(fact.kinds)
            cell = self._cell(entry, "local")
            if cell is not None and is_int(self.locals[cell]) and fact.kinds:
                self.locals[cell] = fact
        return possible

    def _cell(self, entry: Entry, kind: str) -> int | None:
        """The cell that an entry was read from, if nothing else was stored in it since."""
        origin = entry.origin
        if origin is None or origin[0] != kind or self.versions[origin[1]] != origin[2]:
            return None
        cell: int = origin[1]
        return cell

    # -- matches --

    def arm_states(self, arms: tuple[Arm, ...], value: Entry) -> list[tuple[Arm, Fact]]:
        """Fact that each possible arm hands on."""
        states = []
        fact = value.fact
        for arm in arms:
            handed = self.handed(arm, fact)
            if handed.kinds:
                states.append((arm, handed))
            if arm.tag == CATCH_ALL:
                break
        return states

    def handed(self, arm: Arm, value: Fact) -> Fact:
        """Fact about the value that an arm hands on; empty if the arm does not fit."""
        itself = arm.tag == CATCH_ALL and arm.types is not None
        if itself:
            return value
        result = Fact(0)
        if arm.tag == CATCH_ALL:
            result = value._replace(kinds=value.kinds & ~ENUM)
        elif arm.tag >= 0 and not arm.types:
            result = value._replace(kinds=value.kinds & BOOL)
        elif arm.tag == -2:
            result = value._replace(kinds=value.kinds & NONE)
        if value.kinds & ENUM:
            if value.heads is None:
                return ANYTHING
            for head in value.heads:
                if head < 0 and accepts(arm, head):
                    result = join(result, self.world.payload(head))
        return result


def accepts(arm: Arm, head: int) -> bool:
    """True if an arm fits enum values with a head."""
    if arm.tag == CATCH_ALL:
        return True
    special = _SPECIAL.get(head)
    if special is not None:
        return bool(arm.tag == special)
    return arm.tag == enum_variant(head) and (arm.types is None or enum_type(head) in arm.types)


_SPECIAL: Final = {SOME_HEAD: -3, OK_HEAD: -4, ERR_HEAD: -5}
