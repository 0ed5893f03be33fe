"""Lists without an end that repeat: `zip xs (cycle ys)`, `Stream.cycle(keys)` in a variable, `xs.zip(ys.cycle())`."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import rewritten, walk

_ZIPS: Final = ("zip", "zip_with", "zipWith", "map2", "take")
_MODULES: Final = ("Stream", "Enum", "List", "itertools", "Seq", "list", "iter", "Iterator", "stream")


def settle_cycles(items: list[n.Item]) -> list[n.Item]:
    """The items with operations of the list that is repeated in the place of the endless one."""
    declared = {item.name for item in items if isinstance(item, n.Function)}
    if "cycle" in declared:
        return items
    return [_Cycles(item).settled() if _cycles(item) else item for item in items]


def _cycles(item: n.Item) -> bool:
    return isinstance(item, n.Function) and any(_repeated(node) is not None for node in walk(item) if isinstance(node, n.Expr))


def _repeated(node: n.Expr) -> n.Expr | None:
    """The list that `cycle` repeats; None for another value."""
    if isinstance(node, n.Piped):
        inner = node.function.function if isinstance(node.function, n.Call) else node.function
        has_arguments = isinstance(node.function, n.Call) and node.function.arguments
        return node.value if _is_cycle(inner) and not has_arguments else None
    if not isinstance(node, n.Call):
        return None
    function, values = node.function, [each.value for each in node.arguments]
    if isinstance(function, n.Member) and function.name == "cycle" and not values and not _is_module(function.object):
        return function.object
    return values[0] if _is_cycle(function) and len(values) == 1 else None


def _is_cycle(function: n.Expr) -> bool:
    if isinstance(function, n.Name):
        return function.name == "cycle"
    return isinstance(function, n.Member) and function.name == "cycle" and _is_module(function.object)


def _is_module(node: n.Expr) -> bool:
    return isinstance(node, n.Name) and node.name in _MODULES


class _Cycles:
    """`settled` rewrites one function."""

    def __init__(self, item: n.Item) -> None:
        self.item = item
        self.names: set[str] = set()
        for node in walk(item):
            if isinstance(node, n.Let) and isinstance(node.pattern, n.Binding) and node.value is not None:
                repeated = _repeated(node.value)
                if repeated is not None:
                    self.names.add(node.pattern.name)
                    node.value = repeated

    def settled(self) -> n.Item:
        changed = rewritten(self.item, self._change)
        assert isinstance(changed, n.Item)
        uses = sum(isinstance(node, n.Name) and node.name in self.names for node in walk(changed))
        if uses != self._settled or any(_repeated(node) is not None for node in walk(changed) if isinstance(node, n.Expr)):
            raise Untranslatable("a list without an end", self.item.start)
        return changed

    _settled = 0

    def _change(self, node: n.Node) -> n.Node:
        if isinstance(node, n.Piped) and isinstance(node.function, n.Call):
            call = node.function
            return self._zipped(node, _word(call.function), [node.value, *(each.value for each in call.arguments)])
        if not isinstance(node, n.Call) or not isinstance(node.function, (n.Name, n.Member)):
            return node
        values = [each.value for each in node.arguments]
        if isinstance(node.function, n.Member) and not _is_module(node.function.object):
            values.insert(0, node.function.object)
        return self._zipped(node, node.function.name, values)

    def _zipped(self, node: n.Expr, word: str, values: list[n.Expr]) -> n.Expr:
        """`zip(a, cycle(b))`, `zipWith(f, a, cycle(b))`, `take(n, cycle(b))` as operations of both lists."""
        at = next((place for place, value in enumerate(values) if self._endless(value) is not None), None)
        if word not in _ZIPS or at is None or len(values) not in (2, 3):
            return node
        endless = self._endless(values[at])
        assert endless is not None
        self._settled += isinstance(values[at], n.Name)
        others = [value for place, value in enumerate(values) if place != at]
        if word == "take":
            return _method(endless, "cycled_take", others, node)
        is_function = [isinstance(value, (n.Lambda, n.OperatorFunction)) for value in others]
        function = others.pop(is_function.index(True) if True in is_function else 0) if len(others) == 2 else None
        more = [function] if function is not None else []
        word = "zip_with" if more else "zip"
        rest = [value for value in values if value not in more]
        if rest[0] is values[at]:
            return _method(endless, f"cycled_{word}", [*others, *more], node)
        return _method(others[0], f"{word}_cycled", [endless, *more], node)

    def _endless(self, value: n.Expr) -> n.Expr | None:
        if isinstance(value, n.Name) and value.name in self.names:
            return value
        return _repeated(value)


def _word(function: n.Expr) -> str:
    return function.name if isinstance(function, (n.Name, n.Member)) else ""


def _method(owner: n.Expr, name: str, values: list[n.Expr], node: n.Expr) -> n.Expr:
    member = n.Member(owner, name, start=node.start, end=node.end)
    return n.Call(member, [n.Argument(value) for value in values], start=node.start, end=node.end)
