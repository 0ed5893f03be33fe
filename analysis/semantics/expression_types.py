"""The type of an expression as far as it can be told by looking, as a recipe (`types`): the one place that says so.

Checks, repairs and the features of editors ask here, each for the expressions it cares about, and let `evaluation` follow the
recipe: the checks believe what holds for every value, editors what is likely.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Protocol

from analysis.semantics.type_recipes import (
    ARITHMETIC,
    GENERIC_CALLS,
    Type,
    call_of,
    common_of,
    field_of,
    list_of,
    operator_of,
    returned_by,
    wrapped,
)
from analysis.syntax.tree import (
    Binary,
    Block,
    BoolLiteral,
    Call,
    FieldAccess,
    FloatLiteral,
    If,
    IntLiteral,
    ListLiteral,
    Match,
    Name,
    Node,
    NoneLiteral,
    RecordLiteral,
    StringLiteral,
    Unary,
    VariantLiteral,
    Wrap,
)


class Typed(Protocol):
    """A local name's declaration, with what is known of its type."""

    @property
    def type(self) -> Type: ...


def shown_type(node: Node) -> str | None:
    """The type that a literal shows by itself."""
    match node:
        case RecordLiteral(name=name) | VariantLiteral(enum=name):
            return name
    return _LITERALS.get(type(node))


class ExpressionTypes:
    """The types of expressions that were walked. `bound` holds the local that a name stands for, by where the name starts."""

    __slots__ = ("_bound", "_known")

    def __init__(self, bound: Mapping[int, Typed]) -> None:
        self._bound = bound
        self._known: dict[int, Type] = {}
        """Of expressions that have parts, by identity: a chain of them is followed once."""

    def of(self, node: Node) -> Type:
        """The type of an expression; None for a statement, which has no value."""
        find = _RULES.get(type(node))
        if find is None:
            return shown_type(node)
        if id(node) not in self._known:
            self._known[id(node)] = find(self, node)
        return self._known[id(node)]

    def _name(self, node: Name) -> Type:
        local = self._bound.get(node.start)
        return local.type if local is not None else None

    def _call(self, node: Call) -> Type:
        callee = node.callee
        if not isinstance(callee, Name) or callee.start in self._bound:
            return returned_by(self.of(callee))
        return call_of(callee.name, map(self.of, node.arguments) if callee.name in GENERIC_CALLS else ())

    def _field(self, node: FieldAccess) -> Type:
        return field_of(self.of(node.object), node.name)

    def _binary(self, node: Binary) -> Type:
        # Chains lean to the left and can be thousands long: down the spine in a loop, as far as the operands matter.
        spine = [node]
        while spine[-1].operator in ARITHMETIC and isinstance(spine[-1].left, Binary):
            spine.append(spine[-1].left)
        held = self.of(spine[-1].left)
        for part in reversed(spine):
            held = operator_of(part.operator, held, self.of(part.right))
        return held

    def _unary(self, node: Unary) -> Type:
        return "Bool" if node.operator == "!" else self.of(node.operand)

    def _list(self, node: ListLiteral) -> Type:
        return list_of(map(self.of, node.items))

    def _wrap(self, node: Wrap) -> Type:
        return wrapped(node.kind, self.of(node.operand))

    def _block(self, node: Block) -> Type:
        return self.of(node.statements[-1]) if node.statements else None

    def _if(self, node: If) -> Type:
        return common_of((self.of(node.then_block), self.of(node.else_block) if node.else_block else None))

    def _match(self, node: Match) -> Type:
        return common_of(self.of(arm.body) for arm in node.arms)


_LITERALS: Final[dict[type[Node], str]] = {
    IntLiteral: "Int",
    FloatLiteral: "Float",
    StringLiteral: "String",
    BoolLiteral: "Bool",
}
_RULES: Final[dict[type[Node], Callable[..., Type]]] = {
    NoneLiteral: lambda types, node: "Option<?>",
    Name: ExpressionTypes._name,
    Call: ExpressionTypes._call,
    FieldAccess: ExpressionTypes._field,
    Binary: ExpressionTypes._binary,
    Unary: ExpressionTypes._unary,
    ListLiteral: ExpressionTypes._list,
    Wrap: ExpressionTypes._wrap,
    Block: ExpressionTypes._block,
    If: ExpressionTypes._if,
    Match: ExpressionTypes._match,
}
