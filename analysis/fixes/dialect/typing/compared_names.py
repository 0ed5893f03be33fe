"""Types of names as other languages' programs ask for them: an Option, a place in a list, a pair."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.rewriting.lists.numbered_items import names_place_last
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import INT, Type, head, option_of
from analysis.fixes.dialect.tree.walking import walk

_COMPARING: Final = ("==", "!=", "<", "<=", ">", ">=", "in", "&&", "||")
_EQUAL: Final = ("==", "!=")
_ASKING: Final = ("is_some", "is_none", "isSome", "isNone", "unwrap", "isPresent", "isNaN", "nil", "is_nil")
_GIVING: Final = ("pop", "shift", "find")
"""Methods that give nothing of a list that has no such item."""
_PARSING: Final = frozenset(("int", "to_int", "parseInt", "parse_int", "toInt", "string_to_int", "int_parse", "Int"))
"""Functions and methods that read a number, and may give a Result."""


def compared_names(function: n.Function) -> dict[str, Type]:
    """Names that are compared with `None`, which are Options, or with -1, which are places."""
    names: dict[str, Type] = {}
    taken: set[str] = set()
    tested: set[str] = set()
    read: set[str] = set()
    for node in walk(function.body):
        if isinstance(node, n.Let) and isinstance(node.pattern, n.Binding) and _is_parsing(node.value):
            read.add(node.pattern.name)
        elif isinstance(node, n.Match) and isinstance(node.value, n.Name) and node.value.name in read and _matches_result(node):
            names.setdefault(node.value.name, Type("Result", Type(), Type()))
        if (name := _asked(node)) is not None:
            names.setdefault(name, option_of(Type()))
        if (name := _taken(node)) is not None:
            taken.add(name)
        if (name := _tested(node)) is not None:
            tested.add(name)
        if not isinstance(node, n.Binary) or node.operator not in _COMPARING or not isinstance(node.left, n.Name):
            continue
        if node.operator in _EQUAL and isinstance(node.right, n.Literal) and node.right.kind == "none":
            names[node.left.name] = option_of(Type())
        elif _is_no_place(node):
            names.setdefault(node.left.name, INT)
    for name in taken & tested:
        names.setdefault(name, option_of(Type()))
    return names


def matched_type(node: n.Match) -> Type | None:
    """The type of a value whose arms ask for one; None if they ask for no Option, and for no Result of a number that is read."""
    if _is_parsing(node.value) and _matches_result(node):
        return Type("Result", Type(), Type())
    names = {part.name for arm in node.arms for part in walk(arm.pattern) if isinstance(part, n.VariantPattern)}
    return option_of(Type()) if names & {"Some", "None"} else None


def _is_parsing(node: n.Expr | None) -> bool:
    """`parseInt(text)`, `text.toInt()`: a number that is read from a text."""
    return isinstance(node, n.Call) and isinstance(node.function, (n.Name, n.Member)) and node.function.name in _PARSING


def _matches_result(node: n.Match) -> bool:
    """True if the value is asked whether it is `Ok` or `Err`."""
    names = {arm.pattern.name for arm in node.arms if isinstance(arm.pattern, n.VariantPattern)}
    return bool(names) and names <= {"Ok", "Err"}


def _taken(node: n.Node) -> str | None:
    """The name that an item gets that a list may not have: `const top = stack.pop()`."""
    if isinstance(node, n.Let) and isinstance(node.pattern, n.Binding) and isinstance(node.value, n.Call):
        function = node.value.function
        return node.pattern.name if isinstance(function, n.Member) and function.name in _GIVING else None
    return None


def _tested(node: n.Node) -> str | None:
    """The name that is a condition, or is negated; None for another node."""
    value: n.Expr | None = None
    match node:
        case n.If() | n.While():
            value = node.condition
        case n.Unary(operator="!"):
            value = node.operand
        case n.Binary(operator="&&"):
            value = node.left
    return value.name if isinstance(value, n.Name) else None


def _is_no_place(node: n.Binary) -> bool:
    """`i == -1`, `i >= 0`, `i < 0`, `i > -1`."""
    if isinstance(node.right, n.Literal):
        return node.right.text == "0" and node.operator in ("<", ">=")
    return isinstance(node.right, n.Unary) and isinstance(node.right.operand, n.Literal) and node.right.operand.text == "1"


def _asked(node: n.Node) -> str | None:
    """The name of a value that is matched or asked as an Option is; None for another node."""
    value: n.Expr | None = None
    match node:
        case n.Match():
            names = {arm.pattern.name for arm in node.arms if isinstance(arm.pattern, n.VariantPattern)}
            value = node.value if names & {"Some", "None"} else None
        case n.LetCondition(pattern=n.VariantPattern(name="Some")):
            value = node.value
        case n.Binary(operator="??"):
            value = node.left
        case n.Call(function=n.Member(name=name), arguments=rest) if name in _ASKING:
            value = node.function.object if isinstance(node.function, n.Member) and not rest else None
        case n.Call(function=n.Name(name="isNaN"), arguments=[only]):
            value = only.value
        case n.Call(function=n.Member(name="isNaN"), arguments=[only]):
            value = only.value
    return value.name if isinstance(value, n.Name) else None


def tuple_of(statement: n.Let) -> Type | None:
    """Tuple type that a destructured call must return: `let (a, b) = queue.pop()`."""
    pattern = statement.pattern
    is_split = isinstance(pattern, n.TuplePattern) and isinstance(statement.value, n.Call)
    return Type("Tuple", *(Type() for _ in pattern.items)) if is_split and isinstance(pattern, n.TuplePattern) else None


def numbering(pattern: n.Pattern, item: Type) -> str:
    """The operation that gives positions to a pattern of two parts over items that are no pairs; "" for other patterns.

    The first part is the position where the names of both say no other order.
    """
    if not isinstance(pattern, n.TuplePattern) or len(pattern.items) != 2 or head(item) in ("", "Tuple", "List"):
        return ""
    return "with_index" if names_place_last(pattern) else "enumerate"
