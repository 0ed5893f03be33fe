"""Result of inference for an item: plain values that rules, editors and repairs read.

All entries of the lists are certain: they follow from annotations, literals and signatures that could be read whole.
"""

from __future__ import annotations

from collections import defaultdict
from enum import StrEnum
from typing import NamedTuple

from analysis.data_classes import dataclass, field
from analysis.database import paced
from analysis.database.structure import ComparedByStructure
from analysis.semantics.ty import UNKNOWN, Ty
from analysis.syntax.node import REGION
from analysis.syntax.tree import (
    Binary,
    Call,
    Expr,
    FieldAccess,
    If,
    Match,
    NamePattern,
    Node,
    Pattern,
    RecordLiteral,
    Unary,
    VariantLiteral,
)


class Role(StrEnum):
    """Reason why an expression must have a type."""

    ARGUMENT = "argument"
    LET = "let"
    ASSIGNMENT = "assignment"
    FIELD = "field"
    SPREAD = "spread"
    PAYLOAD = "payload"
    ELEMENT = "element"
    ITERABLE = "iterable"
    RESULT = "result"
    RETURN = "return"


class Want(NamedTuple):
    """A type that an expression should have, and why.

    `name` is that of the function called, the variable, the field's or the variant's owner or the function left; `part` the
    parameter, field or variant; `number` the argument's, from 1.
    """

    type: Ty
    role: Role
    name: str
    part: str = ""
    number: int = 0
    declared_at: tuple[int, int] | None = None
    """The annotation, if it stands in the same item."""
    is_relied_on: bool = True
    """True if anything reads the value as its declared type: only a reader sees the result of `main`."""


class Mismatch(NamedTuple):
    """An expression whose type differs from the wanted one. `missing`: it is a statement or block without a value,
    `evident`: the reference sees it by the names of types (chapter 04 section 4.4)."""

    node: Node
    given: Ty
    want: Want
    missing: bool = False
    evident: bool = False


class Condition(NamedTuple):
    node: Expr
    type: Ty
    keyword: str


class Operation(NamedTuple):
    """An operator with the types of its operands; for a negation `right` is its operand's. `chain`: all of its chain."""

    node: Binary | Unary
    left: Ty
    right: Ty
    chain: tuple[Binary, ...] = ()


class Access(NamedTuple):
    node: FieldAccess
    type: Ty


class Branches(NamedTuple):
    """An `if` or `match` whose value is used, with the types of the branches that have different ones."""

    node: If | Match
    first: tuple[Expr, Ty]
    other: tuple[Expr, Ty]


class BadCall(NamedTuple):
    """A call of what is no function (`type` is what it is), or of a function value with a wrong number of arguments."""

    node: Call
    type: Ty


class Matched(NamedTuple):
    """A match, the type of its value, and what its arms are wanted to give."""

    node: Match
    type: Ty
    wanted: Ty


class PatternClash(NamedTuple):
    """A pattern that no value of the type at its place has. `is_caught`: some arm of the match takes every value."""

    node: Pattern
    type: Ty
    is_caught: bool


class CatchAll(NamedTuple):
    """A name in a pattern, at a place where the value is of an enum, an Option or a Result.

    `path` holds the constructors around the place: it is empty for an arm that is a bare name.
    """

    pattern: NamePattern
    match: Match
    type: Ty
    path: tuple[str, ...]


class Payload(NamedTuple):
    """A constructor or a pattern of a variant with a payload against its declaration, or without one."""

    node: VariantLiteral | Pattern
    enum: str
    variant: str
    wanted: str | None


@dataclass(slots=True, eq=False)
class Inference(ComparedByStructure):
    """The types of a chunk's expressions by span, those of its locals by where they are declared, and all that they tell."""

    uses: dict[int, int] = field(default_factory=dict)
    """Declaration of each local name, by offset: the place of the name to the place of the declaration."""
    types: defaultdict[int, dict[tuple[int, int], Ty]] = field(default_factory=lambda: defaultdict(dict))
    """By region of the text (`node.REGION`)."""
    locals: dict[int, Ty] = field(default_factory=dict)
    results: dict[int, Ty] = field(default_factory=dict)
    """What functions without a declared result give, by where they are named: for display, callers do not rely on it."""
    owners: dict[int, Ty] = field(default_factory=dict)
    """The type that a field or variant belongs to, by where its name stands."""
    guessed: set[int] = field(default_factory=set)
    """Offsets of variants in patterns whose enum is inferred from their names alone."""
    wants: dict[tuple[int, int], Want] = field(default_factory=dict)
    mismatches: list[Mismatch] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    branches: list[Branches] = field(default_factory=list)
    bad_calls: list[BadCall] = field(default_factory=list)
    matches: list[Matched] = field(default_factory=list)
    clashes: list[PatternClash] = field(default_factory=list)
    catch_alls: list[CatchAll] = field(default_factory=list)
    payloads: list[Payload] = field(default_factory=list)
    literals: list[RecordLiteral] = field(default_factory=list)

    def of(self, node: Node) -> Ty:
        """The type of an expression; `UNKNOWN` if it was not inferred."""
        region = self.types.get(node.end >> REGION)
        return UNKNOWN if region is None else region.get((node.start, node.end), UNKNOWN)

    def note(self, node: Node, held: Ty) -> None:
        """Remembers the type of an expression."""
        self.types[node.end >> REGION][node.start, node.end] = held

    def want(self, node: Node) -> Want | None:
        """The wanted type of an expression, if any."""
        return self.wants.get((node.start, node.end))

    def add(self, part: Inference) -> None:
        """Adds the results of another item."""
        for region, types in paced(part.types.items(), 1):
            self.types[region] |= types
        self.locals |= part.locals
        self.results |= part.results
        self.owners |= part.owners
        self.guessed |= part.guessed
        self.wants |= part.wants
        self.mismatches += part.mismatches
        self.conditions += part.conditions
        self.operations += part.operations
        self.accesses += part.accesses
        self.branches += part.branches
        self.bad_calls += part.bad_calls
        self.matches += part.matches
        self.clashes += part.clashes
        self.catch_alls += part.catch_alls
        self.payloads += part.payloads
        self.literals += part.literals
