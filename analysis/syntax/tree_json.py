"""The syntax tree as JSON (spec chapter 02, sections 7 and 8): plain values and the pretty text, both without recursion.

A tree has no positions here and shows what was written: strings keep their escapes. Only trees without errors have
this form.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, Final

from analysis.database import checkpoint
from analysis.syntax import tree as t

_OPERATORS: Final = {
    "||": "Or", "&&": "And", "==": "Eq", "!=": "Neq", "<": "Lt", "<=": "Lte", ">": "Gt", ">=": "Gte", "++": "Concat",
    "+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "%": "Mod",
}  # fmt: skip
_OFTEN: Final = 500
"""Values between two checkpoints."""
_UNARY: Final = {"-": "Neg", "!": "Not"}


def program_to_json(items: Iterable[t.Item]) -> dict[str, Any]:
    """A whole program as nested dictionaries and lists, keys in the order of the chapter."""
    result: dict[str, Any] = _expanded(_program(items))
    return result


def item_with_spans(item: t.Item, placed: Callable[[t.Node], Any]) -> Any:
    """An item as nested values in which every node has a `span`; what could not be read is an `Error`.

    A node that is a word alone becomes an object, its word with null and the span. `placed` makes the span of a node.
    """
    return _expanded(item, placed)


def program_to_pretty(items: Iterable[t.Item], limit: int | None = None) -> tuple[str, int]:
    """The pretty text, cut at `limit` bytes of UTF-8 before a character that does not fit, and its whole size in bytes."""
    return _pretty(_program(items), limit)


def float_text(value: float) -> str:
    """The shortest digits that give the same number, in the notation of the chapter."""
    if value in (float("inf"), float("-inf")) or value != value:
        return "null"
    sign, digits, exponent = _scientific(value)
    if -5 <= exponent < 16:
        if exponent < 0:
            return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
        return f"{sign}{digits[: exponent + 1].ljust(exponent + 1, '0')}.{digits[exponent + 1 :] or '0'}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{exponent:+d}"


def _scientific(value: float) -> tuple[str, str, int]:
    """Sign, digits without zeros at the end, decimal exponent of the first digit."""
    text = f"{abs(value):.17e}" if value == 0 else repr(abs(value))
    mantissa, _, power = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    exponent = len(whole) - 1 if whole.strip("0") else -(len(fraction) - len(fraction.lstrip("0")) + 1)
    if not digits:
        return "", "0", 0
    return "-" if value < 0 else "", digits.rstrip("0") or "0", exponent + int(power or 0)


# ---- one level of the tree: JSON values that still hold nodes ------------------------------------------------------


def _program(items: Iterable[t.Item]) -> dict[str, Any]:
    items = list(items)
    module = next((item.name for item in items if isinstance(item, t.Module)), None)
    return {"module_name": module, "items": [item for item in items if not isinstance(item, t.Module)]}


def _shape(node: t.Node) -> Any:
    match node:
        case t.TypeExpr():
            return _type(node)
        case t.Pattern():
            return _pattern(node)
        case t.Expr():
            return _expression(node)
        case t.Statement():
            return _statement(node)
        case t.Arm():
            return {"pattern": node.pattern, "body": node.body}
        case t.Parameter():
            return {"name": node.name, "ty": node.type}
        case t.Item():
            return _item(node)
    raise TypeError(f"no JSON form for {type(node).__name__}")


def _item(node: t.Item) -> Any:
    match node:
        case t.Function():
            return {
                "Function": {
                    "name": node.name,
                    "params": list(node.parameters),
                    "return_type": node.result,
                    "capabilities": [capability.name for capability in node.capabilities],
                    "intent": node.intent.raw if node.intent else None,
                    "requires": list(node.requires),
                    "ensures": list(node.ensures),
                    "body": _block(node.body),
                    "exported": node.exported,
                }
            }
        case t.Record():
            kind: dict[str, Any] = {"Record": [[field.name, field.type] for field in node.fields]}
            return {"TypeDef": {"name": node.name, "kind": kind, "exported": node.exported}}
        case t.Enum():
            kind = {"Enum": [[variant.name, variant.payload] for variant in node.variants]}
            return {"TypeDef": {"name": node.name, "kind": kind, "exported": node.exported}}
        case t.Import():
            return {"Import": {"module": node.name, "items": []}}
    raise TypeError(f"no JSON form for {type(node).__name__}")


def _type(node: t.TypeExpr) -> Any:
    if node.is_named:
        return {"Named": node.name}
    if node.name == "Fn":
        return {"Fn": [list(node.arguments[:-1]), node.arguments[-1]]}
    if len(node.arguments) == 1:
        return {node.name: node.arguments[0]}
    return {node.name: list(node.arguments)}


def _block(node: t.Block) -> dict[str, Any]:
    return {"stmts": [{"Expr": part} if isinstance(part, t.Expr) else part for part in node.statements]}


def _statement(node: t.Statement) -> Any:
    match node:
        case t.Let():
            return {"Let": {"name": node.name, "mutable": node.mutable, "ty": node.type, "value": node.value}}
        case t.Assign():
            return {"Assign": {"target": node.name, "value": node.value}}
        case t.Return():
            return {"Return": node.value}
        case t.While():
            return {"While": {"condition": node.condition, "body": _block(node.body)}}
        case t.For():
            return {"For": {"var": node.name, "iter": node.iterable, "body": _block(node.body)}}
    raise TypeError(f"no JSON form for {type(node).__name__}")


def _expression(node: t.Expr) -> Any:
    match node:
        case t.Name():
            return {"Ident": node.name}
        case t.IntLiteral():
            return {"IntLit": int(node.text.lstrip("0") or "0")}
        case t.StringLiteral():
            return {"StringLit": node.raw}
        case t.Binary():
            return {"Binary": {"op": _OPERATORS[node.operator], "left": node.left, "right": node.right}}
        case t.Call():
            return {"Call": {"func": node.callee, "args": list(node.arguments)}}
        case t.FieldAccess():
            return {"FieldAccess": {"object": node.object, "field": node.name}}
        case t.FloatLiteral():
            value = float(node.text)
            return {"FloatLit": None if value == float("inf") else value}
        case t.BoolLiteral():
            return {"BoolLit": node.value}
        case t.NoneLiteral():
            return "NoneLit"
        case t.Unary():
            return {"Unary": {"op": _UNARY[node.operator], "expr": node.operand}}
        case t.If():
            otherwise = _block(node.else_block) if node.else_block else None
            return {"If": {"condition": node.condition, "then_block": _block(node.then_block), "else_block": otherwise}}
        case t.Match():
            return {"Match": {"value": node.value, "arms": list(node.arms)}}
        case t.Block():
            return {"Block": _block(node)}
        case t.RecordLiteral():
            fields = [[field.name, field.value] for field in node.fields]
            return {"Record": {"type_name": node.name, "fields": fields, "spread": node.spread}}
        case t.VariantLiteral():
            return {"EnumVariant": {"enum_name": node.enum, "variant": node.variant, "payload": node.payload}}
        case t.ListLiteral():
            return {"List": list(node.items)}
        case t.Wrap():
            return {f"{node.kind}Expr": node.operand}
        case t.Spawn():
            return {"Spawn": node.operand}
        case t.Emit():
            return {"Emit": node.operand}
        case t.Send():
            return {"Send": {"target": node.target, "message": node.message}}
        case t.Receive():
            return "Receive"
    raise TypeError(f"no JSON form for {type(node).__name__}")


def _pattern(node: t.Pattern) -> Any:
    match node:
        case t.WildcardPattern():
            return "Wildcard"
        case t.NamePattern():
            return {"Ident": node.name}
        case t.IntPattern():
            return {"IntLit": int(node.text.lstrip("0") or "0")}
        case t.StringPattern():
            return {"StringLit": node.raw}
        case t.BoolPattern():
            return {"BoolLit": node.value}
        case t.NonePattern():
            return "NonePat"
        case t.WrapPattern():
            return {f"{node.kind}Pat": node.inner}
        case t.VariantPattern():
            return {"EnumVariant": [node.name, node.payload]}
    raise TypeError(f"no JSON form for {type(node).__name__}")


# ---- all levels, without recursion ----------------------------------------------------------------------------------


def _expanded(value: Any, placed: Callable[[t.Node], Any] | None = None) -> Any:
    """The value with every node in it replaced by its form, and with `placed` each with its span."""
    holder = [value]
    open_containers: list[Any] = [holder]
    count = 0
    while open_containers:
        container = open_containers.pop()
        count += 1
        if count % _OFTEN == 0:
            checkpoint()
        for key, inside in container.items() if isinstance(container, dict) else enumerate(container):
            if isinstance(inside, t.Node):
                inside = _shape(inside) if placed is None else _with_span(inside, placed)
                container[key] = inside
            if isinstance(inside, (dict, list)):
                open_containers.append(inside)
    return holder[0]


def _with_span(node: t.Node, placed: Callable[[t.Node], Any]) -> dict[str, Any]:
    shape = "Error" if isinstance(node, t.ErrorExpr) else _shape(node)
    return ({shape: None} if isinstance(shape, str) else shape) | {"span": placed(node)}


def _pretty(value: Any, limit: int | None) -> tuple[str, int]:
    """Text and size of a value that holds nodes.

    `stack` holds what is still to be written, last first: a comma or nothing, the levels of indentation behind a line
    break (negative: no break), the key, the value, its level. Behind the limit only sizes are added up: the text of a
    chain of 20,000 operators would take gigabytes.
    """
    pieces: list[str] = []
    size = 0
    stack: list[tuple[str, int, str, Any, int]] = [("", -1, "", value, 0)]
    count = 0
    while stack:
        comma, indent, key, value, level = stack.pop()
        count += 1
        if count % _OFTEN == 0:
            checkpoint()
        if isinstance(value, t.Node):
            value = _shape(value)
        if isinstance(value, dict) and value:
            key += "{"
            stack.append(("", level, "}", _NOTHING, 0))
            entries = [(",", level + 1, f"{_scalar(name)}: ", inside, level + 1) for name, inside in value.items()]
            stack.extend(reversed(entries[1:]))
            stack.append(("", *entries[0][1:]))
        elif isinstance(value, list) and value:
            key += "["
            stack.append(("", level, "]", _NOTHING, 0))
            stack.extend((",", level + 1, "", inside, level + 1) for inside in reversed(value[1:]))
            stack.append(("", level + 1, "", value[0], level + 1))
        elif value is not _NOTHING:
            key += _scalar(value)
        if limit is None or size <= limit:
            pieces.append(f"{comma}\n{'  ' * indent}{key}" if indent >= 0 else comma + key)
        size += len(comma) + (1 + 2 * indent if indent >= 0 else 0) + (len(key) if key.isascii() else len(key.encode()))
    text = "".join(pieces)
    return (text if limit is None or size <= limit else text.encode()[:limit].decode(errors="ignore")), size


_NOTHING: Final = object()


def _scalar(value: Any) -> str:
    if isinstance(value, float):
        return float_text(value)
    return json.dumps(value, ensure_ascii=False)
