"""The syntax tree of a chunk: plain values with positions counted from the chunk's start, nothing semantic in them.

Every node has `start` and `end` (code points, half-open). `at` is where the name of a node starts; names are ASCII identifiers,
so a name ends at `at + len(name)`. Parentheses leave no node. Chains of binary operators lean to the left and can be thousands
of nodes deep: walk them in a loop (`children`, `walk`), never by recursion along `left`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Final

from analysis.data_classes import dataclass
from analysis.database import checkpoint
from analysis.syntax.node import Node as Node

MAX_NESTING: Final = 1000
"""Deepest nesting that the parser accepts; beyond it a text is refused with an E002."""
MAX_HEIGHT: Final = 2500
"""Greatest height of a tree, chains of binary operators counted as one level."""

# Recursive walks need up to six frames a level. Python's own frames do not use the C stack; the limit stays low enough
# for the functions in C (json) that count against it and do.
sys.setrecursionlimit(max(sys.getrecursionlimit(), 10_000))


# ---- types ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class TypeExpr(Node):
    """`name` is the plain name, or Option, List, Result, Map, Fn with `arguments` (for Fn the result comes last)."""

    name: str
    arguments: tuple[TypeExpr, ...] = ()

    @property
    def is_named(self) -> bool:
        return not self.arguments


# ---- patterns -------------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class Pattern(Node):
    pass


@dataclass(slots=True, eq=False, repr=False)
class WildcardPattern(Pattern):
    pass


@dataclass(slots=True, eq=False, repr=False)
class NamePattern(Pattern):
    name: str


@dataclass(slots=True, eq=False, repr=False)
class ErrorPattern(Pattern):
    """The first token of a match arm that could not be read."""


@dataclass(slots=True, eq=False, repr=False)
class IntPattern(Pattern):
    text: str


@dataclass(slots=True, eq=False, repr=False)
class StringPattern(Pattern):
    raw: str


@dataclass(slots=True, eq=False, repr=False)
class BoolPattern(Pattern):
    value: bool


@dataclass(slots=True, eq=False, repr=False)
class NonePattern(Pattern):
    pass


@dataclass(slots=True, eq=False, repr=False)
class WrapPattern(Pattern):
    """`Some(p)`, `Ok(p)`, `Err(p)`."""

    kind: str
    inner: Pattern


@dataclass(slots=True, eq=False, repr=False)
class VariantPattern(Pattern):
    name: str
    payload: Pattern | None


# ---- expressions ----------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class Expr(Node):
    pass


@dataclass(slots=True, eq=False, repr=False)
class ErrorExpr(Expr):
    """Stands for an expression that could not be read."""


@dataclass(slots=True, eq=False, repr=False)
class IntLiteral(Expr):
    text: str


@dataclass(slots=True, eq=False, repr=False)
class FloatLiteral(Expr):
    text: str


@dataclass(slots=True, eq=False, repr=False)
class StringLiteral(Expr):
    """`raw` is the text between the quotes, escapes not decoded."""

    raw: str


@dataclass(slots=True, eq=False, repr=False)
class BoolLiteral(Expr):
    value: bool


@dataclass(slots=True, eq=False, repr=False)
class NoneLiteral(Expr):
    pass


@dataclass(slots=True, eq=False, repr=False)
class Name(Expr):
    name: str


@dataclass(slots=True, eq=False, repr=False)
class Binary(Expr):
    operator: str
    left: Expr
    right: Expr
    operator_at: int


@dataclass(slots=True, eq=False, repr=False)
class Unary(Expr):
    operator: str
    operand: Expr


@dataclass(slots=True, eq=False, repr=False)
class Call(Expr):
    """`opening` is where the parenthesis before the arguments stands."""

    callee: Expr
    arguments: tuple[Expr, ...]
    opening: int


@dataclass(slots=True, eq=False, repr=False)
class FieldAccess(Expr):
    object: Expr
    name: str
    at: int


@dataclass(slots=True, eq=False, repr=False)
class Block(Expr):
    statements: tuple[Statement | Expr, ...]


@dataclass(slots=True, eq=False, repr=False)
class If(Expr):
    condition: Expr
    then_block: Block
    else_block: Block | None


@dataclass(slots=True, eq=False, repr=False)
class Arm(Node):
    pattern: Pattern
    body: Expr


@dataclass(slots=True, eq=False, repr=False)
class Match(Expr):
    """`opening` is where the brace before the arms stands."""

    value: Expr
    arms: tuple[Arm, ...]
    opening: int


@dataclass(slots=True, eq=False, repr=False)
class FieldInit(Node):
    name: str
    value: Expr


@dataclass(slots=True, eq=False, repr=False)
class RecordLiteral(Expr):
    name: str
    fields: tuple[FieldInit, ...]
    spread: Expr | None


@dataclass(slots=True, eq=False, repr=False)
class VariantLiteral(Expr):
    """`Enum::Variant` or `Enum::Variant(payload)`; `at` is where the variant's name starts."""

    enum: str
    variant: str
    at: int
    payload: Expr | None


@dataclass(slots=True, eq=False, repr=False)
class ListLiteral(Expr):
    items: tuple[Expr, ...]


@dataclass(slots=True, eq=False, repr=False)
class Wrap(Expr):
    """`Some(e)`, `Ok(e)`, `Err(e)`."""

    kind: str
    operand: Expr


@dataclass(slots=True, eq=False, repr=False)
class Spawn(Expr):
    operand: Expr


@dataclass(slots=True, eq=False, repr=False)
class Emit(Expr):
    operand: Expr


@dataclass(slots=True, eq=False, repr=False)
class Send(Expr):
    target: Expr
    message: Expr


@dataclass(slots=True, eq=False, repr=False)
class Receive(Expr):
    pass


# ---- statements (an expression stands for itself) -------------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class Statement(Node):
    pass


@dataclass(slots=True, eq=False, repr=False)
class Let(Statement):
    name: str
    at: int
    mutable: bool
    type: TypeExpr | None
    value: Expr


@dataclass(slots=True, eq=False, repr=False)
class Assign(Statement):
    name: str
    at: int
    value: Expr


@dataclass(slots=True, eq=False, repr=False)
class Return(Statement):
    value: Expr | None


@dataclass(slots=True, eq=False, repr=False)
class While(Statement):
    condition: Expr
    body: Block


@dataclass(slots=True, eq=False, repr=False)
class For(Statement):
    name: str
    at: int
    iterable: Expr
    body: Block


# ---- items ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class Item(Node):
    """`broken` is set where the part that others depend on (all but a function's body) could not be read whole."""

    name: str
    at: int
    exported: bool
    broken: bool


@dataclass(slots=True, eq=False, repr=False)
class Parameter(Node):
    name: str
    type: TypeExpr


@dataclass(slots=True, eq=False, repr=False)
class Capability(Node):
    name: str


@dataclass(slots=True, eq=False, repr=False)
class Function(Item):
    """`signature_end` is where the header ends (after the result type or capabilities); `intent` is raw text."""

    parameters: tuple[Parameter, ...]
    result: TypeExpr | None
    capabilities: tuple[Capability, ...]
    intent: StringLiteral | None
    requires: tuple[Expr, ...]
    ensures: tuple[Expr, ...]
    body: Block
    signature_end: int


@dataclass(slots=True, eq=False, repr=False)
class Field(Node):
    name: str
    type: TypeExpr


@dataclass(slots=True, eq=False, repr=False)
class Record(Item):
    fields: tuple[Field, ...]


@dataclass(slots=True, eq=False, repr=False)
class Variant(Node):
    name: str
    payload: TypeExpr | None


@dataclass(slots=True, eq=False, repr=False)
class Enum(Item):
    variants: tuple[Variant, ...]


@dataclass(slots=True, eq=False, repr=False)
class Import(Item):
    """`form` is how the name is written: `bare`, `dashed`, `quoted` or `mcp` (`import mcp.NAME`)."""

    form: str


@dataclass(slots=True, eq=False, repr=False)
class Module(Item):
    """`module NAME`, allowed at the beginning of a file only."""


# ---- walking --------------------------------------------------------------------------------------------------------


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below a node, in source order."""
    below = _BELOW.get(type(node))
    return below(node) if below is not None else ()


def _of_function(node: Function) -> tuple[Node, ...]:
    head = (*node.parameters, *([node.result] if node.result else []), *node.capabilities)
    clauses = sorted((*([node.intent] if node.intent else []), *node.requires, *node.ensures), key=lambda clause: clause.start)
    return *head, *clauses, node.body


def _of_if(node: If) -> tuple[Node, ...]:
    return (node.condition, node.then_block, node.else_block) if node.else_block else (node.condition, node.then_block)


# A table by type: trying one class after another takes four times as long, and trees are walked all the time.
_BELOW: Final[dict[type[Node], Callable[..., tuple[Node, ...]]]] = {
    Binary: lambda node: (node.left, node.right),
    Call: lambda node: (node.callee, *node.arguments),
    **dict.fromkeys((Unary, Wrap, Spawn, Emit), lambda node: (node.operand,)),
    FieldAccess: lambda node: (node.object,),
    Block: lambda node: node.statements,
    Let: lambda node: (node.type, node.value) if node.type else (node.value,),
    **dict.fromkeys((Assign, FieldInit), lambda node: (node.value,)),
    Return: lambda node: (node.value,) if node.value else (),
    If: _of_if,
    While: lambda node: (node.condition, node.body),
    For: lambda node: (node.iterable, node.body),
    Match: lambda node: (node.value, *node.arms),
    Arm: lambda node: (node.pattern, node.body),
    RecordLiteral: lambda node: (node.spread, *node.fields) if node.spread else node.fields,
    **dict.fromkeys((VariantLiteral, VariantPattern, Variant), lambda node: (node.payload,) if node.payload else ()),
    ListLiteral: lambda node: node.items,
    Send: lambda node: (node.target, node.message),
    WrapPattern: lambda node: (node.inner,),
    TypeExpr: lambda node: node.arguments,
    Function: _of_function,
    **dict.fromkeys((Parameter, Field), lambda node: (node.type,)),
    Record: lambda node: node.fields,
    Enum: lambda node: node.variants,
}


def walk(node: Node) -> Iterator[Node]:
    """A node and everything below it, parents first, in source order; without recursion."""
    stack, count = [node], 0
    while stack:
        if (count := count + 1) % 1_000 == 0:
            checkpoint()
        yield (node := stack.pop())
        stack += below(node)[::-1] if (below := _BELOW.get(type(node))) else ()


def path_to(node: Node, offset: int) -> list[Node]:
    """The nodes around an offset, outermost first; a node counts as around the offset directly behind it."""
    path = []
    current: Node | None = node
    while current is not None:
        path.append(current)
        inside = [child for child in children(current) if child.start <= offset <= child.end]
        # If two nodes meet at the offset, the one that starts there counts.
        current = inside[-1] if inside else None
    return path


def type_text(node: TypeExpr) -> str:
    """A type as the parser accepts it, `Fn(A, B) -> R` for functions."""
    if not node.arguments:
        return node.name
    if node.name == "Fn":
        *parameters, result = [type_text(argument) for argument in node.arguments]
        return f"Fn({', '.join(parameters)}) -> {result}"
    return f"{node.name}<{', '.join(type_text(argument) for argument in node.arguments)}>"
