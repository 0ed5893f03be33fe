"""`else` behind a loop, as in Python: what happens where the loop ends without `break`."""

from __future__ import annotations

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import children, replace_below

LOOPS = (n.While, n.For, n.CountingFor)


def with_else(loop: n.While | n.For | n.CountingFor, otherwise: n.Block) -> list[n.Statement]:
    """The statements that stand for a loop with an `else`."""
    jumps = {id(jump) for jump in own_breaks(loop.body)}
    if not jumps:
        return [loop, *otherwise.statements]
    start, end = loop.start, otherwise.end
    flag = f"left_{start}"

    def noted(node: n.Node) -> n.Node:
        if id(node) not in jumps or not isinstance(node, n.Jump):
            return node
        at, behind = node.start, node.end
        true = n.Literal("bool", "true", start=at, end=at)
        assign = n.Assign(n.Name(flag, start=at, end=at), "", true, start=at, end=behind)
        leave = n.Evaluate(n.Jump("break", node.value, start=at, end=behind), start=at, end=behind)
        return n.Block([assign, leave], start=at, end=behind)

    replace_below(loop.body, noted)
    false = n.Literal("bool", "false", start=start, end=start)
    first = n.Let(n.Binding(flag, start=start, end=start), None, false, True, start=start, end=start)
    condition = n.Unary("!", n.Name(flag, start=end, end=end), start=end, end=end)
    choice = n.If(condition, otherwise, None, start=otherwise.start, end=end)
    return [first, loop, n.Evaluate(choice, start=otherwise.start, end=end)]


def own_breaks(body: n.Block) -> list[n.Jump]:
    """The jumps out of a loop, not those of loops and functions inside of it; those to a label leave more than this loop."""
    jumps: list[n.Jump] = []
    waiting: list[n.Node] = [body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, n.Jump) and node.kind == "break":
            jumps.append(node)
        if node is body or not isinstance(node, (*LOOPS, n.Lambda, n.Local)):
            waiting += children(node)
    return jumps
