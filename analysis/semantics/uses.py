"""What a walk over a chunk collects: uses of names, locals, matches, types. Values for `summary.summary` and the rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from analysis.database.structure import ComparedByStructure
from analysis.semantics.environment import FreeNames
from analysis.semantics.type_recipes import Type
from analysis.syntax.tree import (
    Binary,
    Call,
    Expr,
    FieldAccess,
    Item,
    Let,
    ListLiteral,
    Match,
    Node,
    RecordLiteral,
    Spawn,
    Unary,
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


@dataclass(slots=True, eq=False)
class Local:
    """A name of a function's own: `kind` is parameter, let, loop or pattern; `declared` the annotation's text.

    `type` is what is known of every value it ever holds, `hint` the type name that the reference's warnings go by (chapter 04
    section 4.4).
    """

    name: str
    at: int
    kind: str
    owner: str
    mutable: bool = False
    declared: str | None = None
    type: Type = None
    hint: Type = None
    hides: int = -1
    """Where the local of the same name stands that an outer scope has; -1 if there is none."""
    reads: int = 0
    writes: list[int] = field(default_factory=list)


class LetUse(NamedTuple):
    """An annotated `let` whose value's type can be told by looking."""

    node: Let
    declared: str
    hint: Type


class CallUse(NamedTuple):
    """A call of an outer function, with what can be told of its arguments' types by looking."""

    name: str
    node: Call
    hints: tuple[Type, ...]


class AccessUse(NamedTuple):
    node: FieldAccess
    type: Type


class ConditionUse(NamedTuple):
    node: Expr
    type: Type
    keyword: str


class OperatorUse(NamedTuple):
    """An operator whose operands could be of wrong types; for a negation `right` is its operand's type.

    `chain` are all operators of the chain that a binary one stands in.
    """

    node: Binary | Unary
    left: Type
    right: Type
    chain: tuple[Binary, ...] = ()


class MatchUse(NamedTuple):
    """`parameter` is the enum-like annotation if the matched value is a parameter by name; `expected` what arms give."""

    node: Match
    type: Type
    parameter: str | None
    expected: str | None


class TypeUse(NamedTuple):
    name: str
    start: int
    end: int


@dataclass(slots=True, eq=False)
class Summary(ComparedByStructure):
    """Everything that the rules need to know of a chunk. Spans count from the chunk's start."""

    items: tuple[Item, ...]
    free_names: FreeNames
    names: list[NameUse] = field(default_factory=list)
    calls: list[CallUse] = field(default_factory=list)
    lets: list[LetUse] = field(default_factory=list)
    records: list[RecordLiteral] = field(default_factory=list)
    variants: list[VariantLiteral] = field(default_factory=list)
    accesses: list[AccessUse] = field(default_factory=list)
    matches: list[MatchUse] = field(default_factory=list)
    conditions: list[ConditionUse] = field(default_factory=list)
    operators: list[OperatorUse] = field(default_factory=list)
    types: list[TypeUse] = field(default_factory=list)
    spawns: list[Spawn] = field(default_factory=list)
    lists: list[ListLiteral] = field(default_factory=list)
    """The list literals that are too long."""
    indirect_calls: list[Call] = field(default_factory=list)
    """The calls through values that have too many arguments."""
    locals: list[Local] = field(default_factory=list)
    unreachable: list[tuple[Node, Node]] = field(default_factory=list)
    """Pairs of the first and the last statement behind a `return`."""
    used: tuple[str, ...] = ()
    """All names that count as used by this chunk, in whatever namespace, its own recursion left out."""
