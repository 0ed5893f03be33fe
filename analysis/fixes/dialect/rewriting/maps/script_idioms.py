"""Idioms of script languages over maps that have a value for every key: `defaultdict`, `Counter`, `Hash.new(0)`, `setdefault`."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk

_FIRST: Final = {"int": ("int", "0"), "float": ("float", "0.0"), "str": ("string", '""'), "bool": ("bool", "false")}
_CHANGING: Final = {
    "append": "append_item", "add": "set_add", "push": "append_item", "extend": "extend", "insert": "insert", "update": "extend",
    "set": "set", "<<": "append_item", "shift_left": "append_item",
}  # fmt: skip


def with_defaults(items: Sequence[n.Item]) -> None:
    """Writes reads of such maps with their default, and what changes an entry as an assignment of it."""
    for item in items:
        defaults: dict[str, n.Expr] = {}
        for node in walk(item):
            if isinstance(node, n.Let) and isinstance(node.pattern, n.Binding) and node.value is not None:
                default = _default_of(node.value)
                if default is not None:
                    defaults[node.pattern.name] = default
                    node.value = _emptied(node.value)
        for node in list(walk(item)):
            if isinstance(node, n.Call) and isinstance(node.function, n.Member) and node.function.name == "get":
                # `d.get(key, None)` of Python.
                node.arguments = [each for each in node.arguments if not _is_none(each.value)] or node.arguments
            if isinstance(node, n.Block):
                node.statements = [_statement(each, defaults) for each in node.statements]
        if defaults:
            _read(item, defaults)


def _is_none(value: n.Expr) -> bool:
    return isinstance(value, n.Literal) and value.kind == "none"


def _default_of(value: n.Expr) -> n.Expr | None:
    """Value that a map gives for a missing key; None for any other value."""
    if not isinstance(value, n.Call):
        return None
    function = value.function
    arguments = value.arguments
    if isinstance(function, n.Name) and function.name == "defaultdict" and arguments:
        return _first_value(arguments[0].value)
    if isinstance(function, n.Member) and function.name == "tally" and not arguments:
        return n.Literal("int", "0")
    is_hash = isinstance(function, n.Member) and isinstance(function.object, n.Name) and function.object.name == "Hash"
    if is_hash and isinstance(function, n.Member) and function.name == "new" and len(arguments) == 1:
        first = arguments[0].value
        return _set_by(first) if isinstance(first, n.Lambda) else first
    return None


def _first_value(maker: n.Expr) -> n.Expr | None:
    match maker:
        case n.Name(name=name) if name in _FIRST:
            return n.Literal(*_FIRST[name])
        case n.Name(name="list"):
            return n.ListOf([])
        case n.Name(name="set"):
            return n.Call(n.Member(n.ListOf([]), "to_set"), [])
        case n.Name(name="dict" | "Counter"):
            return n.MapOf([])
        case n.Lambda(parameters=[]):
            return maker.body
        case n.Lambda(body=body):
            return body
    return None


def _set_by(block: n.Lambda) -> n.Expr | None:
    """The value in `{ |hash, key| hash[key] = [] }`."""
    body = block.body
    last = body.statements[-1] if isinstance(body, n.Block) and body.statements else None
    return last.value if isinstance(last, n.Assign) and not last.operator else None


def _emptied(value: n.Expr) -> n.Expr:
    is_tally = isinstance(value, n.Call) and isinstance(value.function, n.Member) and value.function.name == "tally"
    return value if is_tally else n.MapOf([], start=value.start, end=value.end)


def _statement(statement: n.Statement, defaults: dict[str, n.Expr]) -> n.Statement:
    """`d[k] += 1`, `d[k].append(x)`, `d.setdefault(k, []).append(x)` as assignments of the entry."""
    if isinstance(statement, n.Assign) and statement.operator and (default := _entry_default(statement.target, defaults)):
        assert isinstance(statement.target, n.Index)
        before = _got(statement.target, default)
        value = n.Binary(statement.operator, before, statement.value, start=statement.start, end=statement.end)
        return n.Assign(statement.target, "", value, start=statement.start, end=statement.end)
    call = statement.value if isinstance(statement, n.Evaluate) else None
    if not isinstance(call, n.Call) or not isinstance(call.function, n.Member) or call.function.name not in _CHANGING:
        return statement
    place = call.function.object
    given = _setdefault(place)
    if given is not None:
        place, default = given
    else:
        default = _entry_default(place, defaults)
    if default is None or not isinstance(place, n.Index):
        return statement
    member = n.Member(_got(place, default), _CHANGING[call.function.name])
    changed = n.Call(member, call.arguments, start=call.start, end=call.end)
    return n.Assign(place, "", changed, start=statement.start, end=statement.end)


def _setdefault(node: n.Expr) -> tuple[n.Index, n.Expr] | None:
    """`d.setdefault(k, v)` as the entry and its first value."""
    match node:
        case n.Call(function=n.Member(object=owner, name=("setdefault" | "computeIfAbsent")), arguments=[key, value]):
            first = value.value.body if isinstance(value.value, n.Lambda) else value.value
            return n.Index(owner, key.value, start=node.start, end=node.end), first
    return None


def _entry_default(place: n.Expr, defaults: dict[str, n.Expr]) -> n.Expr | None:
    if isinstance(place, n.Index) and isinstance(place.object, n.Name):
        return defaults.get(place.object.name)
    return None


def _got(place: n.Index, default: n.Expr) -> n.Call:
    arguments = [n.Argument(deepcopy(place.index)), n.Argument(deepcopy(default))]
    return n.Call(n.Member(deepcopy(place.object), "get_or"), arguments, start=place.start, end=place.end)


def _read(item: n.Item, defaults: dict[str, n.Expr]) -> None:
    """Puts the default into every read of an entry."""
    targets = {id(node.target) for node in walk(item) if isinstance(node, n.Assign)}
    inside = {id(part) for node in walk(item) if isinstance(node, n.Assign) for part in _places(node.target)}
    for node in list(walk(item)):
        for name in [name for name in vars(node) if name != "ty"]:
            value = getattr(node, name)
            if isinstance(value, n.Index) and id(value) not in targets | inside and (default := _entry_default(value, defaults)):
                setattr(node, name, _got(value, default))
            elif isinstance(value, list):
                value[:] = [
                    _got(each, default)
                    if isinstance(each, n.Index) and (default := _entry_default(each, defaults)) is not None
                    else each
                    for each in value
                ]


def _places(target: n.Expr) -> list[n.Expr]:
    """The places that an assignment to a part of a value goes through."""
    places: list[n.Expr] = []
    while isinstance(target, (n.Index, n.Member)):
        places.append(target)
        target = target.object
    return places
