"""`if (e is Coin) e.value`: a value that a test has shown to be of a variant, whose contents are named by its fields."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import replace_below, root_of, walk

_SEVERAL: Final = ("first", "second", "third", "fourth", "fifth")


def settle_smart_casts(items: list[n.Item]) -> None:
    """Binds what a variant holds where a test names it and the fields of the tested value are asked for behind it."""
    variants: dict[str, list[n.Variant]] = {}
    for item in items:
        for variant in item.variants if isinstance(item, n.Enum) else []:
            variants.setdefault(variant.name, []).append(variant)
    if not variants:
        return
    for item in items:
        for node in list(walk(item)):
            if isinstance(node, n.If):
                _settle_choice(node, variants)
            elif isinstance(node, n.Match) and isinstance(node.value, n.Name):
                for arm in node.arms:
                    if isinstance(arm.pattern, n.VariantPattern):
                        _settle_place(arm.pattern, node.value.name, [arm], variants)


def _settle_choice(choice: n.If, variants: dict[str, list[n.Variant]]) -> None:
    tests = _conjuncts(choice.condition)
    for place, test in enumerate(tests):
        if isinstance(test, n.LetCondition) and isinstance(test.pattern, n.VariantPattern) and isinstance(test.value, n.Name):
            _settle_place(test.pattern, test.value.name, [*tests[place + 1 :], choice.then], variants)


def _conjuncts(node: n.Expr) -> list[n.Expr]:
    if isinstance(node, n.Binary) and node.operator == "&&":
        return [*_conjuncts(node.left), *_conjuncts(node.right)]
    return [node]


def _settle_place(
    pattern: n.VariantPattern, name: str, below: list[n.Expr | n.Arm], variants: dict[str, list[n.Variant]]
) -> None:
    candidates = variants.get(pattern.name, [])
    if len(candidates) != 1 or pattern.items or pattern.named is not None or not candidates[0].payload:
        return
    variant = candidates[0]
    if any(isinstance(node, n.Assign) and root_of(node.target) == name for part in below for node in walk(part)):
        return
    asked = {
        node.name
        for part in below
        for node in walk(part)
        if isinstance(node, n.Member) and isinstance(node.object, n.Name) and node.object.name == name
    }
    words = {word: at for word in asked if (at := _place(variant, word)) >= 0}
    if not words:
        return
    names = [f"{name}_{word}" for word in (variant.names or _SEVERAL[: len(variant.payload)])]
    if not variant.names and len(variant.payload) == 1:
        names = [f"{name}_{next(iter(words))}"]
    used = {names[at] for at in words.values()}
    start = pattern.start
    pattern.items = [n.Binding(each, start=start, end=start) if each in used else n.Wildcard(start=start) for each in names]

    def named(node: n.Node) -> n.Node:
        is_place = isinstance(node, n.Member) and isinstance(node.object, n.Name) and node.object.name == name
        if is_place and isinstance(node, n.Member) and node.name in words:
            return n.Name(names[words[node.name]], start=node.start, end=node.end)
        return node

    for part in below:
        replace_below(part, named)


def _place(variant: n.Variant, word: str) -> int:
    """The place of what a field of a variant's value names; -1 for none."""
    if variant.names:
        return variant.names.index(word) if word in variant.names else -1
    if len(variant.payload) == 1:
        return 0
    return _SEVERAL.index(word) if word in _SEVERAL[: len(variant.payload)] else -1
