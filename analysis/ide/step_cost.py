"""Number of steps of a function's calls, where every call takes the same number.

A step is an instruction. The number counts the call itself and all functions that are called on the way, so that of `main` is
the number of steps of a successful run. Loops, recursion, functions as values, and branches that differ have none.
"""

from __future__ import annotations

from typing import Final

from analysis.bytecode.module import Op
from analysis.codegen.generate import Unit, generated
from analysis.codegen.index import index, mentioned
from analysis.database import Database
from analysis.ide.name_types import item_named
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.syntax import tree as t

_LONGEST: Final = 500
"""Instructions of all functions that are looked at; more have no number."""
_LARGEST: Final = 20_000
"""Characters of an item whose code is generated for this."""
_DEEPEST: Final = 50
"""Calls inside of each other that are followed."""
_UNKNOWN: Final = frozenset(("CallIndirect", "SpawnActor", "ReceiveMsg"))


def constant_steps(db: Database, file: FileId, name: str) -> int | None:
    """The steps of each call of a function, as a file names it; None if they differ or are not known."""
    return _Costs(db, file).of(name)


class _Costs:
    """The costs of functions that one program can call."""

    def __init__(self, db: Database, file: FileId) -> None:
        self._db = db
        self._file = file
        self._index = index(db, file)
        self._names: dict[int, str] = {}
        self._costs: dict[str, int | None] = {}
        self._left = _LONGEST
        self._depth = 0

    def of(self, name: str) -> int | None:
        if name not in self._costs:
            # A look-up while this runs is recursion: no constant.
            self._costs[name] = None
            self._depth += 1
            unit = self._unit(name) if self._depth <= _DEEPEST and self._left >= 0 else None
            self._costs[name] = self._steps(unit) if unit is not None else None
            self._depth -= 1
        return self._costs[name]

    def _unit(self, name: str) -> Unit | None:
        definition = item_named(self._db, self._file, name, t.Function)
        if definition is None:
            return None
        text = source(self._db, definition.file).chunks[definition.chunk].text
        if len(text) > _LARGEST:
            return None
        tree = chunk_tree(self._db, text)
        if tree.errors or tree.tokens.errors:
            return None
        units = generated(self._db, text, self._index.facts_about(mentioned(self._db, text)))
        unit = next((unit for unit in reversed(units) if unit.name == name), None)
        return unit if unit is not None and not unit.refused and unit.problem is None else None

    def _steps(self, unit: Unit) -> int | None:
        """Backwards over the instructions: the steps left at each, if all paths from there take the same number."""
        code = unit.code
        self._left -= len(code)
        if self._left < 0:
            return None
        # One more step behind the last instruction: the return.
        left: list[int | None] = [None] * len(code) + [1]
        for at in range(len(code) - 1, -1, -1):
            op = code[at]
            ways = {left[to] if at < to <= len(code) else None for to in _next(unit, op, at)}
            own = self._own(op)
            way = ways.pop() if len(ways) == 1 else None
            left[at] = own + way if own is not None and way is not None else own if op[0] == "Ret" else None
        return None if left[0] is None else left[0] + 1

    def _own(self, op: Op) -> int | None:
        """The steps of an instruction, with what it calls."""
        if op[0] in _UNKNOWN:
            return None
        return self.of(self._name(op[1])) if op[0] == "Call" else 1

    def _name(self, number: int) -> str:
        if not self._names:
            self._names = {place.number: name for name, place in self._index.functions.items()}
        return self._names.get(number, "")


def _next(unit: Unit, op: Op, at: int) -> tuple[int, ...]:
    """The instructions that can follow one."""
    if op[0] == "Jmp":
        return (op[1],)
    if op[0] in ("JmpIf", "JmpIfNot"):
        return at + 1, op[1]
    if op[0] == "Match":
        return tuple(arm.target for arm in unit.match_tables[op[1]])
    return () if op[0] in ("Ret", "Halt") else (at + 1,)
