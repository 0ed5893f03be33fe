"""The vocabulary of names: what an occurrence is, what it is looked up among, what it does.

Plain values that `scopes.py` makes from a chunk's tree and `ide/` reads.
"""

from __future__ import annotations

from bisect import bisect_right
from enum import StrEnum
from typing import Final, NamedTuple

from analysis.data_classes import dataclass
from analysis.database.structure import ComparedByStructure

GLOBAL: Final = -1
"""Declared outside of the item, built in, or not at all."""
RESULT: Final = -2
"""The value that a function returns, named `result` in its `ensures` clauses."""


class Space(StrEnum):
    """Namespace in which a name is looked up."""

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
    """Use of a name by an occurrence."""

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
    """A local name, its annotation's text, and the span of the parameter, statement or pattern that declares it.

    It can be named from `visible[0]` to `visible[1]` where no inner one hides it. `level` counts the scopes around it that are
    open: 0 for parameters and what a function's own block declares. `hides` is where the local of an outer scope stands that
    it hides, -1 if there is none; `is_again` tells that its own scope had the name before.
    """

    name: str
    at: int
    kind: LocalKind
    mutable: bool
    declared: str | None
    start: int
    end: int
    owner: str
    visible: tuple[int, int]
    level: int
    hides: int
    is_again: bool

    def is_visible(self, offset: int) -> bool:
        """True if the local can be named at an offset, unless an inner one hides it."""
        return self.visible[0] <= offset <= self.visible[1]


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
    """The names of a chunk in order of position, and its local declarations by where their names stand.

    `uses` is where the local is declared that a name means, by where the name stands; RESULT for `result`. `inner` is where
    names of `ensures` clauses stand that mean a local of an inner block, unless a function has that name.
    """

    occurrences: tuple[Occurrence, ...]
    locals: dict[int, Local]
    starts: list[int]
    uses: dict[int, int]
    inner: frozenset[int] = frozenset()

    def visible_at(self, offset: int) -> dict[str, Local]:
        """The locals that can be named at an offset, outermost first, the innermost of each name."""
        return {local.name: local for local in self.locals.values() if local.is_visible(offset)}

    def at(self, offset: int) -> Occurrence | None:
        """The occurrence that an offset lies in, or directly behind."""
        index = bisect_right(self.starts, offset) - 1
        if index >= 0:
            occurrence = self.occurrences[index]
            if occurrence.start <= offset <= occurrence.end:
                return occurrence
        return None
