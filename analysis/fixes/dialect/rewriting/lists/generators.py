"""Functions that `yield` values one by one, as functions that give the list of them."""

from __future__ import annotations

from analysis.fixes.dialect.rewriting.jumps.loop_else import own_breaks
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head, list_of
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import own_nodes, replace_below

YIELD = "yield value"
YIELD_ALL = "yield values"
"""The functions that stand for `yield x` and `yield from xs` until their function is known."""
_NAMES = ("Generator", "Iterator", "Iterable", "IEnumerable", "Sequence", "IterableIterator", "Array", "AsyncGenerator")
_HELD = "yielded"


def settle_generator(function: n.Function) -> None:
    """Notes what a function yields in a list, which it gives at its end and where it returns."""
    own = list(own_nodes(function.body))
    if not any(_is_yield(node) for node in own):
        return
    for node in own:
        if isinstance(node, n.While) and _is_endless(node):
            raise Untranslatable("a generator that has an end", node.start)

    def noted(node: n.Node) -> n.Node:
        start, end = node.start, node.end
        held = n.Name(_HELD, start=start, end=end)
        if isinstance(node, n.Jump) and node.kind == "return" and id(node) in places:
            return n.Jump("return", held, start=start, end=end)
        if not isinstance(node, n.Call) or not _is_yield(node):
            return node
        value = node.arguments[0]
        name = "push" if isinstance(node.function, n.Name) and node.function.name == YIELD else "extend"
        return n.Call(n.Member(held, name, start=start, end=end), [value], start=start, end=end)

    places = {id(node) for node in own if isinstance(node, n.Jump)}
    replace_below(function.body, noted)
    start, end = function.body.start, function.body.end
    empty = n.ListOf([], start=start, end=start)
    first = n.Let(n.Binding(_HELD, start=start, end=start), None, empty, True, start=start, end=start)
    last = n.Evaluate(n.Jump("return", n.Name(_HELD, start=end, end=end), start=end, end=end), start=end, end=end)
    function.body.statements = [first, *function.body.statements, last]
    kind = function.result
    if kind is None or head(kind) in _NAMES:
        function.result = list_of(kind.arguments[0] if kind is not None and kind.arguments else Type())


def _is_yield(node: n.Node) -> bool:
    return isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name in (YIELD, YIELD_ALL)


def _is_endless(loop: n.While) -> bool:
    """True if a loop goes on as long as somebody asks for values."""
    is_true = isinstance(loop.condition, n.Literal) and loop.condition.text == "true"
    leaves = any(isinstance(node, n.Jump) and node.kind in ("return", "throw") for node in own_nodes(loop.body))
    return is_true and not leaves and not own_breaks(loop.body)
