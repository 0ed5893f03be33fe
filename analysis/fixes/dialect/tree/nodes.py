"""The tree of a program in any dialect: the nodes of `.ax` and those of the forms that other languages add.
Offsets count from the start of the file. Lowering changes nodes in place and annotates expressions with a type (`ty`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from analysis.fixes.dialect.tree.types import Type
from analysis.suggestions.operation import Operation


@dataclass(eq=False, kw_only=True)
class Node:
    start: int = 0
    end: int = 0


@dataclass(eq=False, kw_only=True)
class Expr(Node):
    ty: Type | None = None


# ---- patterns -------------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Pattern(Node):
    pass


@dataclass(eq=False)
class Wildcard(Pattern):
    pass


@dataclass(eq=False)
class Binding(Pattern):
    """`name`, or `name @ pattern`; `type` is an annotation."""

    name: str
    inner: Pattern | None = None
    type: Type | None = None


@dataclass(eq=False)
class LiteralPattern(Pattern):
    value: Expr


@dataclass(eq=False)
class RangePattern(Pattern):
    low: Expr | None
    high: Expr | None
    inclusive: bool


@dataclass(eq=False)
class TuplePattern(Pattern):
    items: list[Pattern]


@dataclass(eq=False)
class ListPattern(Pattern):
    """`[a, b, ..rest]`, `first :: rest`; `rest` is None where the length is exact, `Wildcard` for a rest without a name."""

    items: list[Pattern]
    rest: Pattern | None = None
    last: list[Pattern] = field(default_factory=list)


@dataclass(eq=False)
class VariantPattern(Pattern):
    """`Some(p)`, `Shape::Rect(w, h)`, `Created { id }`; `named` gives the fields of a variant with named ones."""

    owner: str
    name: str
    items: list[Pattern] = field(default_factory=list)
    named: dict[str, Pattern] | None = None


@dataclass(eq=False)
class RecordPattern(Pattern):
    name: str
    fields: dict[str, Pattern]


@dataclass(eq=False)
class OrPattern(Pattern):
    options: list[Pattern]


# ---- expressions ------------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Literal(Expr):
    """`kind`: int, float, string, bool, none, unit. `text` is the spelling in `.ax`.

    `holes` is what a text in plain quotes would be if `{name}` in it stood for a value: so it is where all names are variables.
    """

    kind: str
    text: str
    holes: Interpolated | None = None


@dataclass(eq=False)
class Interpolated(Expr):
    parts: list[Expr]


@dataclass(eq=False)
class Name(Expr):
    name: str


@dataclass(eq=False)
class Path(Expr):
    """`Owner::name`."""

    owner: str
    name: str


@dataclass(eq=False)
class Argument(Node):
    value: Expr
    name: str = ""


@dataclass(eq=False)
class Call(Expr):
    """`operation` and `operands` are what inference finds a call to mean that is none of a function of the program."""

    function: Expr
    arguments: list[Argument]
    operation: Operation | None = None
    operands: list[Expr] = field(default_factory=list)
    is_guess: bool = False
    """True if several kinds have the operation and nothing says of which kind the value is."""


@dataclass(eq=False)
class Piped(Expr):
    """`value |> function(…)`: whether the value comes first or last is decided by the function."""

    value: Expr
    function: Expr


@dataclass(eq=False)
class Member(Expr):
    object: Expr
    name: str
    optional: bool = False
    operation: Operation | None = None


@dataclass(eq=False)
class Index(Expr):
    """`may_be_absent`: the program asks whether there is such an item."""

    object: Expr
    index: Expr
    is_guess: bool = False
    may_be_absent: bool = False


@dataclass(eq=False)
class Slice(Expr):
    object: Expr
    low: Expr | None
    high: Expr | None
    inclusive: bool = False


@dataclass(eq=False)
class Unary(Expr):
    operator: str
    operand: Expr


@dataclass(eq=False)
class Binary(Expr):
    operator: str
    left: Expr
    right: Expr
    written: str = ""  # Of a division: `/`, `//` or `%`; empty where none stands between the values, as in `intdiv(a, b)`.


@dataclass(eq=False)
class Range(Expr):
    low: Expr | None
    high: Expr | None
    inclusive: bool


@dataclass(eq=False)
class ListOf(Expr):
    items: list[Expr]
    is_tuple: bool = False


@dataclass(eq=False)
class Spread(Expr):
    value: Expr


@dataclass(eq=False)
class TupleOf(Expr):
    items: list[Expr]


@dataclass(eq=False)
class MapOf(Expr):
    pairs: list[tuple[Expr, Expr]]


@dataclass(eq=False)
class RecordOf(Expr):
    """A record literal; `name` is "" where the text gives none."""

    name: str
    fields: dict[str, Expr]
    base: Expr | None = None


@dataclass(eq=False)
class VariantRecord(Expr):
    """`Event::Created { id: 1 }`."""

    owner: str
    name: str
    fields: dict[str, Expr]


@dataclass(eq=False)
class Lambda(Expr):
    parameters: list[Pattern]
    body: Expr


@dataclass(eq=False)
class OperatorFunction(Expr):
    """`(+)`, or `.label` with the operator "."."""

    operator: str
    name: str = ""


@dataclass(eq=False)
class Comprehension(Expr):
    value: Expr
    pattern: Pattern
    source: Expr
    condition: Expr | None


@dataclass(eq=False)
class LetCondition(Expr):
    """`let pattern = value` as a condition."""

    pattern: Pattern
    value: Expr


@dataclass(eq=False)
class If(Expr):
    condition: Expr
    then: Block
    otherwise: Block | None


@dataclass(eq=False)
class Arm(Node):
    pattern: Pattern
    guard: Expr | None
    body: Expr


@dataclass(eq=False)
class Match(Expr):
    value: Expr
    arms: list[Arm]


@dataclass(eq=False)
class Block(Expr):
    statements: list[Statement]


@dataclass(eq=False)
class Try(Expr):
    value: Expr
    ends_closure: bool = False  # as `?` of Rust does; an exception ends the function


@dataclass(eq=False)
class Cast(Expr):
    value: Expr
    target: Type
    is_prefix: bool = False


@dataclass(eq=False)
class Jump(Expr):
    """`return value`, `break`, `continue`, also where an expression is wanted."""

    kind: str
    value: Expr | None = None


# ---- statements -------------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Statement(Node):
    pass


@dataclass(eq=False)
class Let(Statement):
    pattern: Pattern
    type: Type | None
    value: Expr | None
    mutable: bool = False
    otherwise: Block | None = None


@dataclass(eq=False)
class Assign(Statement):
    target: Expr
    operator: str
    value: Expr


@dataclass(eq=False)
class Evaluate(Statement):
    value: Expr


@dataclass(eq=False)
class While(Statement):
    condition: Expr
    body: Block


@dataclass(eq=False)
class For(Statement):
    pattern: Pattern
    source: Expr
    body: Block
    is_guess: bool = False
    is_read_behind: bool = False  # what follows reads the last value of its variable


@dataclass(eq=False)
class CountingFor(Statement):
    """`for (init; condition; step) { … }`."""

    first: Statement | None
    condition: Expr
    step: Statement | None
    body: Block


@dataclass(eq=False)
class Local(Statement):
    """A function inside of a function."""

    function: Function


# ---- items --------------------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Item(Node):
    pass


@dataclass(eq=False)
class Parameter(Node):
    name: str
    type: Type | None
    default: Expr | None = None
    by_reference: bool = False


@dataclass(eq=False)
class Function(Item):
    """`head`: capabilities and clauses as written, before the body. `is_open`: the text gives no result type."""

    name: str
    parameters: list[Parameter]
    result: Type | None
    body: Block
    head: str = ""
    exported: bool = False
    generics: list[str] = field(default_factory=list)
    is_open: bool = False


@dataclass(eq=False)
class Record(Item):
    name: str
    fields: dict[str, Type]
    exported: bool = False
    defaults: dict[str, Expr] = field(default_factory=dict)


@dataclass(eq=False)
class Variant(Node):
    name: str
    payload: list[Type]
    names: list[str] = field(default_factory=list)


@dataclass(eq=False)
class Enum(Item):
    name: str
    variants: list[Variant]
    exported: bool = False


@dataclass(eq=False)
class Constant(Item):
    name: str
    type: Type | None
    value: Expr


@dataclass(eq=False)
class Alias(Item):
    name: str
    type: Type


@dataclass(eq=False)
class Implementation(Item):
    owner: str
    functions: list[Function]


@dataclass(eq=False)
class Verbatim(Item):
    """An item that stays as it is: an import, or one that was not understood (`reason`)."""

    reason: str = ""
