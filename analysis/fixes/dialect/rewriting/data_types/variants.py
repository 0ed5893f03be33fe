"""Variants that other languages spell with a small letter, with the capital one that they have here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk

_BUILTIN: Final = frozenset(("Ok", "Err", "Some", "None"))


def capitalise(items: Iterable[n.Item]) -> None:
    """Renames variants such as `case circle(radius: Double)` where they are declared, built and matched."""
    items = list(items)
    enums = {item.name: item for item in items if isinstance(item, n.Enum)}
    names = {
        variant.name: variant.name[0].upper() + variant.name[1:]
        for enum in enums.values()
        for variant in enum.variants
        if variant.name[0].islower()
    }
    taken = {variant.name for enum in enums.values() for variant in enum.variants}
    if not names or set(names.values()) & taken:
        return
    for enum in enums.values():
        for variant in enum.variants:
            variant.name = names.get(variant.name, variant.name)
    for item in items:
        for node in list(walk(item)):
            _rename(node, names, enums)


def _rename(node: n.Node, names: dict[str, str], enums: dict[str, n.Enum]) -> None:
    match node:
        case n.VariantPattern() if node.owner in enums or not node.owner:
            node.name = names.get(node.name, node.name)
        case n.Path() | n.VariantRecord() if node.owner in enums:
            node.name = names.get(node.name, node.name)
        case n.Member(object=n.Name(name=owner)) if owner in enums:
            node.name = names.get(node.name, node.name)
    for field, value in list(vars(node).items()):
        if isinstance(value, n.OperatorFunction) and (path := _as_path(value, names)) is not None:
            setattr(node, field, path)
        elif isinstance(value, list):
            for place, part in enumerate(value):
                if isinstance(part, n.OperatorFunction) and (path := _as_path(part, names)) is not None:
                    value[place] = path


def free_builtin_names(items: list[n.Item], text: str) -> list[n.Item]:
    """Renames variants called `Ok`, `Err`, `Some` or `None`, names that only the built-in types may have; the items again."""
    for enum in items:
        if not isinstance(enum, n.Enum) or enum.name in ("Option", "Result"):
            continue
        taken = {variant.name for variant in enum.variants}
        names = {name: f"{name}Value" for name in taken & _BUILTIN if f"{name}Value" not in taken}
        if not names:
            continue
        own = frozenset(names) & {"Ok", "Err"} if "Result" not in text else frozenset()
        for variant in enum.variants:
            variant.name = names.get(variant.name, variant.name)
        for node in [part for item in items for part in walk(item)]:
            _free(node, names, enum.name, own, taken - _BUILTIN)
    return items


def _free(node: n.Node, names: dict[str, str], owner: str, own: frozenset[str], others: set[str]) -> None:
    """Renames what names a variant in a node: by its enum, beside another variant of it, or if nothing else has the name."""
    match node:
        case n.Path() | n.VariantRecord() | n.VariantPattern() if node.owner == owner:
            node.name = names.get(node.name, node.name)
        case n.Member(object=n.Name(name=name)) if name == owner:
            node.name = names.get(node.name, node.name)
        case n.VariantPattern(owner="", name=name) | n.Path(owner="", name=name) if name in own:
            node.name = names[name]
        case n.Name(name=name) | n.OperatorFunction(operator=".", name=name) if name in own:
            node.name = names[name]
        case n.Match():
            patterns = [part for arm in node.arms for part in walk(arm.pattern) if isinstance(part, n.VariantPattern)]
            if any(part.name in others and part.owner in ("", owner) for part in patterns):
                for part in patterns:
                    if not part.owner:
                        part.name = names.get(part.name, part.name)


def _as_path(node: n.OperatorFunction, names: dict[str, str]) -> n.Path | None:
    """`.circle`, which names a field as well, as a variant."""
    if node.operator != "." or node.name not in names:
        return None
    return n.Path("", names[node.name], start=node.start, end=node.end)
