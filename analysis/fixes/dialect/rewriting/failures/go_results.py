"""Results in programs with the habits of Go: `v, err := f()` of a function that gives a Result, `return 0, err` in one."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head, option_of
from analysis.fixes.dialect.tree.walking import walk

_GO: Final = re.compile(r":= |\[\]\w+\{|\bmake\(|\bfunc\b|\bmap\[\w+\]")
_KNOWN: Final = ("Int", "Float", "String", "Bool", "List", "Map", "Option", "Result", "Tuple", "Fn", "Unit")


def settle_results(items: list[n.Item], text: str) -> None:
    """Rewrites pairs of a value and an error where a function is declared to give a Result, and pointers that may be nil."""
    functions = {item.name: item for item in items if isinstance(item, n.Function)}
    giving = {name for name, each in functions.items() if head(each.result) == "Result"}
    for function in functions.values():
        _settle_named(function, text)
        if function.name in giving:
            _settle_returns(function)
        elif _gives_pointer(function, text):
            function.result = option_of(function.result or Type())
        elif head(function.result) == "Tuple":
            _settle_nils(function)
        elif head(function.result) in ("List", "Map") and _GO.search(text) is not None:
            _settle_empty(function)
        for block in [node for node in walk(function.body) if isinstance(node, n.Block)] if giving else []:
            block.statements = [statement for each in block.statements for statement in _parts(each, giving)]


def _gives_pointer(function: n.Function, text: str) -> bool:
    """`-> *Node` with `return nil`."""
    header = text[function.start : function.body.start].rstrip()
    before, star, name = header.rpartition("*")
    is_pointer = bool(star) and name.strip().isidentifier() and before.rstrip()[-1:] in (">", ")")
    returned = [node.value for node in walk(function.body) if isinstance(node, n.Jump) and node.kind == "return"]
    return is_pointer and any(isinstance(value, n.Literal) and value.kind == "none" for value in returned)


_NAMED: Final = re.compile(r"\)\s{0,9}(?:->\s{0,9})?\(\s{0,9}([a-z_]\w{0,60} [^(){}]{1,300})\)\s{0,9}$")
_ZEROS: Final = {
    "Int": ("int", "0"), "Float": ("float", "0.0"), "String": ("string", '""'), "Bool": ("bool", "false"),
    "Option": ("none", "None"),
}  # fmt: skip


def _settle_named(function: n.Function, text: str) -> None:
    """`(q int, r int)` as the result: variables that a bare `return` gives."""
    header = _NAMED.search(text[function.start : function.body.start][-400:])
    parts = [part.split() for part in header[1].split(",")] if header else []
    kinds = function.result.resolved().arguments if head(function.result) == "Tuple" and function.result is not None else ()
    kinds = kinds or ((function.result,) if function.result is not None else ())
    if not parts or any(len(part) != 2 for part in parts) or len(kinds) != len(parts):
        return
    start, names = function.body.start, [part[0] for part in parts]
    lets: list[n.Statement] = []
    for name, kind in zip(names, kinds, strict=True):
        empty: n.Expr = n.MapOf([]) if head(kind) == "Map" else n.ListOf([])
        value = n.Literal(*_ZEROS[head(kind)], start=start, end=start) if head(kind) in _ZEROS else empty
        if head(kind) not in (*_ZEROS, "List", "Map"):
            return
        lets.append(n.Let(n.Binding(name), kind, value, True, start=start, end=start))
    for node in walk(function.body):
        if isinstance(node, n.Jump) and node.kind == "return" and node.value is None:
            given: list[n.Expr] = [n.Name(name, start=node.start, end=node.end) for name in names]
            node.value = given[0] if len(given) == 1 else n.TupleOf(given, start=node.start, end=node.end)
    function.body.statements[:0] = lets


def _settle_returns(function: n.Function) -> None:
    """`return v, nil` → `Ok(v)`, `return 0, err` → `Err(err)`."""
    for node in walk(function.body):
        value = node.value if isinstance(node, n.Jump) and node.kind == "return" else None
        if not isinstance(node, n.Jump) or not isinstance(value, n.TupleOf) or len(value.items) != 2:
            continue
        good, bad = value.items
        if _is_none(bad):
            node.value = _wrapped("Ok", good)
        elif isinstance(bad, n.Call) and isinstance(bad.function, n.Name) and bad.function.name == "Some":
            node.value = _wrapped("Err", bad.arguments[0].value)
        elif isinstance(bad, n.Name):
            node.value = _wrapped("Err", n.Call(n.Member(bad, "unwrap"), [], start=bad.start, end=bad.end))
        elif isinstance(bad, (n.Path, n.Call, n.Literal, n.Interpolated, n.Binary, n.Member)):
            node.value = _wrapped("Err", bad)


def _settle_nils(function: n.Function) -> None:
    """`return nil, err` beside a record: the record of zeros stands where nobody looks."""
    parts = function.result.resolved().arguments if function.result is not None else ()
    for node in walk(function.body):
        value = node.value if isinstance(node, n.Jump) and node.kind == "return" else None
        if not isinstance(value, n.TupleOf) or len(value.items) != len(parts) or _is_none(value.items[-1]):
            continue
        for place, (item, kind) in enumerate(zip(value.items, parts, strict=True)):
            if _is_none(item) and head(kind)[:1].isupper() and head(kind) not in _KNOWN:
                value.items[place] = n.RecordOf(head(kind), {}, start=item.start, end=item.end)


def _settle_empty(function: n.Function) -> None:
    """`return nil` of a function that gives a list or a map: an empty one."""
    for node in walk(function.body):
        is_return = isinstance(node, n.Jump) and node.kind == "return"
        if isinstance(node, n.Jump) and is_return and node.value is not None and _is_none(node.value):
            start, end = node.start, node.end
            is_list = head(function.result) == "List"
            node.value = n.ListOf([], start=start, end=end) if is_list else n.MapOf([], start=start, end=end)


def _is_none(node: n.Expr) -> bool:
    return isinstance(node, n.Literal) and node.kind == "none"


def _wrapped(word: str, value: n.Expr) -> n.Expr:
    return n.Call(n.Name(word, start=value.start, end=value.start), [n.Argument(value)], start=value.start, end=value.end)


def _parts(statement: n.Statement, giving: set[str]) -> list[n.Statement]:
    """`v, err := f()`: the value, or a zero, and what went wrong, if something did."""
    is_pair = isinstance(statement, n.Let) and isinstance(statement.pattern, n.TuplePattern)
    if not is_pair or not isinstance(statement, n.Let) or not isinstance(statement.pattern, n.TuplePattern):
        return [statement]
    call, parts = statement.value, statement.pattern.items
    if not isinstance(call, n.Call) or not isinstance(call.function, n.Name) or call.function.name not in giving:
        return [statement]
    if len(parts) != 2:
        return [statement]
    start, end = statement.start, statement.end
    whole = n.Name(f"result_{start}", start=start, end=end)
    lines: list[n.Statement] = [n.Let(n.Binding(whole.name), None, call, start=start, end=end)]
    for part, word in zip(parts, ("unwrap_or_default", "err"), strict=True):
        if isinstance(part, n.Binding):
            value = n.Call(n.Member(deepcopy(whole), word, start=start, end=end), [], start=start, end=end)
            lines.append(n.Let(part, None, value, True, start=start, end=end))
    return lines
