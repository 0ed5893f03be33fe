"""Objects of JavaScript and dicts of Python without a declared type: maps where a program looks keys up, else records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type
from analysis.fixes.dialect.tree.walking import walk
from analysis.fixes.dialect.typing.program import Program

_OF_MAPS: Final = frozenset(
    "get has keys values items entries has_key pop update setdefault hasOwnProperty containsKey contains_key each get_or set "
    "delete insert forEach max_of_by min_of_by sort_by_key sort_by_key_descending map select filter reject sort_by min_by max_by "
    "each_pair to_a sum count any all find key merge transform_values".split()
)


_KINDS: Final = {
    **dict.fromkeys("trim strip upper lower toUpperCase toLowerCase strtoupper strtolower ucfirst str strval".split(), "string"),
    **dict.fromkeys("int to_int intval parseInt Number float floatval to_i to_f len strlen count abs".split(), "number"),
}
"""Kind of result of functions and methods, by name."""


def find_objects(program: Program, items: Sequence[n.Item]) -> None:
    """Notes the literals that are maps, and declares records for those that are none of a declared type."""
    looked_up = set(_looked_up(items))
    keys = _keys(items)
    for holder, node in _held(items):
        if isinstance(node, n.RecordOf):
            if node.name or node.base is not None or not node.fields or _is_declared(program, set(node.fields)):
                continue
            is_sought = holder in looked_up or bool(keys.get(holder, set()) - set(node.fields))
            if is_sought and _are_alike(list(node.fields.values())):
                program.maps.add(id(node))
            elif id(node) not in program.maps:
                _declare(program, holder, list(node.fields))
        elif isinstance(node, n.MapOf) and (names := _names(node)) is not None:
            values = [value for _, value in node.pairs]
            if holder not in looked_up and not _are_alike(values):
                is_declared = _is_declared(program, set(names))
                program.dicts[id(node)] = "" if is_declared else _declare(program, holder, names)


def _looked_up(items: Sequence[n.Item]) -> Iterator[str]:
    """The names of values that are used as maps."""
    for item in items:
        for node in walk(item):
            match node:
                case n.Index(object=n.Name(name=name), index=index) if not isinstance(index, n.Literal):
                    yield name
                case n.Binary(operator="in", right=n.Name(name=name)):
                    yield name
                case n.For(source=n.Name(name=name)) | n.Comprehension(source=n.Name(name=name)):
                    yield name
                case n.Call(function=n.Member(object=n.Name(name=name), name=word)) if word in _OF_MAPS:
                    yield name
                case n.Member(object=n.Name(name=name), name=("keys" | "values" | "to_a" | "entries")):
                    yield name
                case n.Call(function=n.Name(name=word), arguments=[n.Argument(value=n.Name(name=name)), *_]) if word in (
                    "len", "sorted", "max", "min", "sum", "list",
                ):  # fmt: skip
                    yield name


def _keys(items: Sequence[n.Item]) -> dict[str, set[str]]:
    """The keys in quotes by which values are read."""
    keys: dict[str, set[str]] = {}
    for item in items:
        for node in walk(item):
            match node:
                case n.Index(object=n.Name(name=name), index=n.Literal(kind="string", text=text)):
                    keys.setdefault(name, set()).add(text[1:-1])
    return keys


def _held(items: Sequence[n.Item]) -> Iterator[tuple[str, n.Expr]]:
    """The literals of a program with the name of the variable or constant that holds each, "" where none does."""
    seen: set[int] = set()
    for item in items:
        if isinstance(item, n.Constant):
            seen.add(id(item.value))
            yield item.name, item.value
        for node in walk(item):
            if isinstance(node, n.Let) and isinstance(node.pattern, n.Binding) and node.value is not None:
                seen.add(id(node.value))
                yield node.pattern.name, node.value
                inner = node.value.items if isinstance(node.value, n.ListOf) else []
                for each in inner:
                    seen.add(id(each))
                    yield node.pattern.name.removesuffix("s"), each
            elif isinstance(node, (n.RecordOf, n.MapOf)) and id(node) not in seen:
                yield "", node


def _names(node: n.MapOf) -> list[str] | None:
    """The keys of a dict that are names; None for a map of anything else."""
    names = [key.text[1:-1] if isinstance(key, n.Literal) and key.kind == "string" else "" for key, _ in node.pairs]
    return names if names and all(name.isidentifier() and name.isascii() for name in names) else None


def _is_declared(program: Program, names: set[str]) -> bool:
    return any(names <= set(record.fields) for name, record in program.records.items() if name not in program.objects)


def _are_alike(values: list[n.Expr]) -> bool:
    """True if nothing shows that values are of different kinds."""
    kinds = {_kind(value) for value in values} - {""}
    return len(kinds) <= 1


def _kind(value: n.Expr) -> str:
    match value:
        case n.Literal():
            return "number" if value.kind in ("int", "float") else value.kind
        case n.Interpolated():
            return "string"
        case n.Unary(operand=n.Literal()):
            return "number"
        case n.ListOf() | n.Comprehension():
            return "list"
        case n.Lambda():
            return "function"
        case n.RecordOf() | n.MapOf():
            return "record"
        case n.Cast():
            return {"Int": "number", "Float": "number", "String": "string", "Bool": "bool"}.get(value.target.name, "")
        case n.Call(function=n.Member(name=word) | n.Name(name=word)):
            return _KINDS.get(word, "")
    return ""


def _declare(program: Program, holder: str, names: list[str]) -> str:
    """The record of an object with some fields."""
    for record in program.objects:
        if set(program.records[record].fields) == set(names):
            return record
    base = "".join(part[:1].upper() + part[1:] for part in holder.split("_") if part) or "Item"
    name, number = base, 1
    while name in program.records or name in program.enums or name in ("List", "Map", "Option", "Result", "String", "Int"):
        number += 1
        name = f"{base}{number}"
    program.records[name] = n.Record(name, {field: Type() for field in names})
    program.objects.add(name)
    return name


__all__ = ["find_objects"]
