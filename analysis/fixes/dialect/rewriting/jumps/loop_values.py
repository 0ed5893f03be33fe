"""Loops that give a value by `break value`: what the loop ends with is held in a variable."""

from __future__ import annotations

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import bound_names, children, replace_below, walk

_LOOPS = (n.While, n.For, n.CountingFor)


def with_value(loop: n.While) -> n.Expr | None:
    """`loop { … break value; … }` as a value; None where no `break` of the loop has one."""
    jumps = {id(jump) for jump in _own_jumps(loop.body)}
    if not jumps:
        return None
    taken = {name for node in walk(loop.body) if isinstance(node, n.Pattern) for name in bound_names(node)}
    held = next(name for name in ("ended_with", *(f"ended_with_{count}" for count in range(2, 1000))) if name not in taken)
    start, end = loop.start, loop.end

    def kept(node: n.Node) -> n.Node:
        if id(node) not in jumps or not isinstance(node, n.Jump) or node.value is None:
            return node
        at, behind = node.start, node.end
        some = n.Call(n.Name("Some", start=at, end=at), [n.Argument(node.value)], start=at, end=behind)
        assign = n.Assign(n.Name(held, start=at, end=at), "", some, start=at, end=behind)
        leave = n.Evaluate(n.Jump("break", start=at, end=behind), start=at, end=behind)
        return n.Block([assign, leave], start=at, end=behind)

    replace_below(loop.body, kept)
    none = n.Literal("none", "None", start=start, end=start)
    first = n.Let(n.Binding(held, start=start, end=start), None, none, True, start=start, end=start)
    member = n.Member(n.Name(held, start=end, end=end), "unwrap", start=end, end=end)
    last = n.Evaluate(n.Call(member, [], start=end, end=end), start=end, end=end)
    return n.Block([first, loop, last], start=start, end=end)


def _own_jumps(body: n.Block) -> list[n.Jump]:
    """The jumps out of a loop that have a value, not those of loops and functions inside of it."""
    jumps: list[n.Jump] = []
    waiting: list[n.Node] = [body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, n.Jump) and node.kind == "break" and node.value is not None and not _is_label(node.value):
            jumps.append(node)
        if node is body or not isinstance(node, (*_LOOPS, n.Lambda, n.Local)):
            waiting += children(node)
    return jumps


def _is_label(value: n.Expr) -> bool:
    return isinstance(value, n.Name) and value.name.startswith("to ")
