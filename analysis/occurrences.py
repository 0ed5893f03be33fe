"""The vocabulary of names: what an occurrence is, what it is looked up among, what it does, how to find its type.

Plain values that `scopes.py` makes from a chunk's tree and `ide/` reads.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from analysis import tree as t

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


class Use(StrEnum):
    """What an occurrence of a name does with it."""

    DECLARATION = "declaration"
    READ = "read"
    WRITE = "write"
    CALL = "call"
    CONSTRUCT = "construct"
    MATCH = "match"
    IMPORT = "import"


class Step(StrEnum):
    """The ways in which the type of an expression follows from other things."""

    DECLARED = "annotation"
    NAMED = "name of a type"
    CALL = "result of a function"
    APPLY = "result of a function value"
    FIELD = "field of a record"
    ITEM = "item of a list"
    UNWRAP = "what Some, Ok or Err holds"
    PAYLOAD = "payload of a variant"
    LIST = "list of an item"
    SOME = "Some of a value"
    MATCHED = "value whose variants the arms name"


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """How to find a type: a step, applied to the type of `base` (for a call, that of its first argument, if anything).

    `names` are the variants that the arms of a match name.
    """

    step: Step
    name: str = ""
    base: Origin | None = None
    type: t.TypeExpr | None = None
    names: tuple[str, ...] = ()
    length: int = 1


class LocalKind(StrEnum):
    PARAMETER = "parameter"
    VARIABLE = "variable"
    LOOP = "loop variable"
    BINDING = "binding"


@dataclass(frozen=True, slots=True, eq=False)
class Local:
    """A local name; `start` and `end` span the parameter, statement or pattern that declares it."""

    name: str
    at: int
    kind: LocalKind
    mutable: bool
    origin: Origin | None
    start: int
    end: int


class Occurrence(NamedTuple):
    """A name in the text. `local` is where its local declaration stands (`at`), or GLOBAL, or RESULT.

    `owner` leads to the type that a field or variant belongs to; None if nothing is known about it.
    """

    start: int
    end: int
    name: str
    space: Space
    use: Use
    local: int
    owner: Origin | None


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
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
