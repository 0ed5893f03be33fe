"""Records of a walk over a chunk: uses of names, locals, matches, types. Values for `summary.summary` and the rules."""

from __future__ import annotations

from typing import Final, NamedTuple

from analysis.data_classes import dataclass, field
from analysis.database.structure import ComparedByStructure
from analysis.semantics.environment import FreeNames
from analysis.semantics.function_nodes import Walk
from analysis.semantics.occurrences import Local as Declared
from analysis.syntax.tree import (
    Call,
    FieldAccess,
    Item,
    ListLiteral,
    Match,
    Node,
    RecordLiteral,
    Spawn,
    VariantLiteral,
)

ROLE_VALUE: Final = "value"
ROLE_CALL: Final = "call"
ROLE_ASSIGN: Final = "assign"
ROLE_SPAWN: Final = "spawn"
ROLE_CONTRACT: Final = "contract"


class NameUse(NamedTuple):
    """A name that no local explains. For a call `arguments` is their number and `call` the whole call."""

    name: str
    start: int
    end: int
    role: str
    arguments: int = 0
    call: Call | None = None


class ToolUse(NamedTuple):
    """A name that may be one of an MCP server's tools, or (with a dot before it) of a method of `McpResult`.

    `call` is the call, None where the name stands by itself. `is_variant`: it is the variant of an enum unless a module has
    the name before `::`.
    """

    name: str
    start: int
    end: int
    call: Call | None
    is_variant: bool = False


@dataclass(slots=True, eq=False)
class Local:
    """Uses of a function's local. `hides` is the place of an outer scope's local if this is the first in its scope to hide it;
    -1 if it hides none."""

    declared: Declared
    hides: int
    reads: int = 0
    writes: list[int] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.declared.name

    @property
    def at(self) -> int:
        """Offset of the name in the declaration."""
        return self.declared.at


class MatchUse(NamedTuple):
    """`parameter` is the annotation if the matched value is a parameter by name."""

    node: Match
    parameter: str | None


class TypeUse(NamedTuple):
    name: str
    start: int
    end: int


@dataclass(slots=True, eq=False)
class Summary(ComparedByStructure):
    """The facts about a chunk that the rules read. Spans count from the chunk's start."""

    items: tuple[Item, ...]
    free_names: FreeNames
    names: list[NameUse] = field(default_factory=list)
    records: list[RecordLiteral] = field(default_factory=list)
    variants: list[VariantLiteral] = field(default_factory=list)
    accesses: list[FieldAccess] = field(default_factory=list)
    matches: list[MatchUse] = field(default_factory=list)
    types: list[TypeUse] = field(default_factory=list)
    spawns: list[Spawn] = field(default_factory=list)
    lists: list[ListLiteral] = field(default_factory=list)
    """The list literals that are too long."""
    indirect_calls: list[Call] = field(default_factory=list)
    """The calls through values that have too many arguments."""
    tools: list[ToolUse] = field(default_factory=list)
    locals: list[Local] = field(default_factory=list)
    protocol: set[str] = field(default_factory=set)
    """Functions on whose existence a meaning depends, though nothing names them."""
    unreachable: list[tuple[Node, Node]] = field(default_factory=list)
    """Pairs of the first and the last statement behind a `return`."""
    used: tuple[str, ...] = ()
    """All names that count as used by this chunk, in whatever namespace, its own recursion left out."""
    walk: Walk = field(default_factory=Walk, compare=False, repr=False)
