"""The vocabulary of names: what an occurrence is, what it is looked up among, what it does.

Plain values that `scopes.py` makes from a chunk's tree and `ide/` reads.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from analysis.database.structure import ComparedByStructure

GLOBAL: Final = -1
"""Declared outside of the item, built in, or not at all."""
RESULT: Final = -2
"""The value that a function returns, named `result` in its `ensures` clauses."""


class Space(StrEnum):
    """What sort of thing a name is looked up among."""

    VALUE = "value"
    TYPE = "type"
    GENERIC = "generic type"
    VARIANT = "variant"
    FIELD = "field"
    CAPABILITY = "capability"
    LIBRARY = "library"
    MODULE = "module"
    TOOL = "tool"


class Use(StrEnum):
    """What an occurrence of a name does with it."""

    DECLARATION = "declaration"
    READ = "read"
    WRITE = "write"
    CALL = "call"
    CONSTRUCT = "construct"
    MATCH = "match"
    IMPORT = "import"


class LocalKind(StrEnum):
    PARAMETER = "parameter"
    VARIABLE = "variable"
    LOOP = "loop variable"
    BINDING = "binding"


@dataclass(frozen=True, slots=True, eq=False)
class Local:
    """A local name, its annotation's text, and the span of the parameter, statement or pattern that declares it."""

    name: str
    at: int
    kind: LocalKind
    mutable: bool
    declared: str | None
    start: int
    end: int


class Occurrence(NamedTuple):
    """A name in the text. `local` is where its local declaration stands (`at`), or GLOBAL, or RESULT.

    `owner` is the type that a field or variant belongs to, where the text beside it says so.
    """

    start: int
    end: int
    name: str
    space: Space
    use: Use
    local: int
    owner: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Resolved(ComparedByStructure):
    """The names of a chunk in order of position, and its local declarations by where their names stand."""

    occurrences: tuple[Occurrence, ...]
    locals: dict[int, Local]
    starts: list[int]

    def at(self, offset: int) -> Occurrence | None:
        """The occurrence that an offset lies in, or directly behind."""
        index = bisect_right(self.starts, offset) - 1
        if index >= 0:
            found = self.occurrences[index]
            if found.start <= offset <= found.end:
                return found
        return None
