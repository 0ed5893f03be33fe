"""Enums of a program that have the name or the shape of a built-in type: `enum Result { Ok(Int), Err(String) }`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.fixes.dialect.rewriting.data_types.families import SIGNATURE
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type
from analysis.fixes.dialect.tree.walking import replace_below, walk

_SHAPES: Final = {
    frozenset(("Ok", "Err")): "Result", frozenset(("Ok", "Error")): "Result",
    frozenset(("Some", "None")): "Option", frozenset(("Just", "Nothing")): "Option",
}  # fmt: skip
_NAMES: Final = ("Result", "Option", "Maybe", "Either")
_OTHERS: Final = ("List", "Map")
_COUNTS: Final = {"Ok": 1, "Err": 1, "Error": 1, "Some": 1, "Just": 1, "None": 0, "Nothing": 0}
_WORDS: Final = {"Just": "Some", "Nothing": "None", "Error": "Err"}


def with_built_in(items: list[n.Item]) -> list[n.Item]:
    """The items with the built-in type for an enum that is the same, and another name for one that only has its name."""
    owned = {item.owner for item in items if isinstance(item, n.Implementation)}
    settled: list[n.Item] = []
    for item in items:
        if isinstance(item, n.Enum) and item.name not in owned:
            kind = _same_as(item)
            if kind:
                _use_built_in(item, kind, items)
                settled.append(n.Alias("", Type(SIGNATURE), start=item.start, end=item.end))
                continue
            if item.name in _OTHERS:
                _rename(item, f"Own{item.name}", items)
        settled.append(item)
    return settled


def _same_as(enum: n.Enum) -> str:
    """The built-in type that an enum repeats; "" for any other one."""
    kind = _SHAPES.get(frozenset(variant.name for variant in enum.variants), "") if enum.name in _NAMES else ""
    if not kind or any(len(variant.payload) != _COUNTS[variant.name] for variant in enum.variants):
        return ""
    is_nested = any(part.name == enum.name for variant in enum.variants for held in variant.payload for part in _parts(held))
    return "" if is_nested else kind


def _types(items: list[n.Item]) -> Iterator[Type]:
    """All types that a program writes."""
    for item in items:
        if isinstance(item, n.Verbatim):
            continue
        for node in walk(item):
            for held in vars(node).values():
                if isinstance(held, Type):
                    yield from _parts(held)
                elif isinstance(held, (list, tuple)):
                    yield from (part for each in held if isinstance(each, Type) for part in _parts(each))
                elif isinstance(held, dict):
                    yield from (part for each in held.values() if isinstance(each, Type) for part in _parts(each))


def _parts(kind: Type) -> Iterator[Type]:
    yield kind
    for part in kind.arguments:
        yield from _parts(part)


def _use_built_in(enum: n.Enum, kind: str, items: list[n.Item]) -> None:
    payloads = {variant.name: variant.payload for variant in enum.variants}
    good = next(payloads[name][0] for name in ("Ok", "Some", "Just") if name in payloads)
    bad = next((payloads[name][0] for name in ("Err", "Error") if name in payloads), None)
    for each in list(_types(items)):
        if each.name == enum.name:
            each.name = kind
            if not each.arguments:
                each.arguments = (good,) if bad is None else (good, bad)

    def change(node: n.Node) -> n.Node:
        owner = node.object.name if isinstance(node, n.Member) and isinstance(node.object, n.Name) else ""
        if isinstance(node, (n.Path, n.VariantPattern)):
            owner = node.owner
        if owner != enum.name or not isinstance(node, (n.Path, n.VariantPattern, n.Member)) or node.name not in payloads:
            return node
        word = _WORDS.get(node.name, node.name)
        if isinstance(node, n.VariantPattern):
            node.owner, node.name = "", word
            return node
        if word == "None":
            return n.Literal("none", "None", start=node.start, end=node.end)
        return n.Name(word, start=node.start, end=node.end)

    for item in items:
        if not isinstance(item, n.Verbatim):
            replace_below(item, change)


def _rename(enum: n.Enum, name: str, items: list[n.Item]) -> None:
    """Another name for an enum called as a type that takes arguments: those without any are meant."""
    for each in list(_types(items)):
        if each.name == enum.name and not each.arguments:
            each.name = name
    for item in items:
        if isinstance(item, n.Verbatim):
            continue
        for node in walk(item):
            if isinstance(node, (n.Path, n.VariantPattern, n.VariantRecord)) and node.owner == enum.name:
                node.owner = name
            elif isinstance(node, n.Member) and isinstance(node.object, n.Name) and node.object.name == enum.name:
                names = {variant.name for variant in enum.variants}
                node.object.name = name if node.name in names else node.object.name
    enum.name = name
