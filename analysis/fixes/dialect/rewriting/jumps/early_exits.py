"""Jumps in an operand: `let x = f() ?: return none`, `g(m[k] orelse continue)`. The value is found before the statement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import children, replace_below, walk

_ENCLOSING: Final = (n.Block, n.Lambda, n.If, n.Comprehension, n.Local)
"""Nodes whose parts are evaluated in some cases only, or on their own."""


def settle_exits(items: list[n.Item]) -> None:
    """Rewrites the operands of a program that leave a function or a loop; others stay, and are refused later."""
    functions = [each for item in items for each in (item.functions if isinstance(item, n.Implementation) else [item])]
    for function in functions:
        nodes = list(walk(function)) if isinstance(function, n.Function) else []
        if not any(_is_exit(node) or (isinstance(node, n.Evaluate) and _guarded(node)) for node in nodes):
            continue
        for node in nodes:
            if isinstance(node, n.Arm) and not isinstance(node.body, (n.Block, n.Jump)) and _exits_in(node.body):
                body = n.Evaluate(node.body, start=node.body.start, end=node.body.end)
                node.body = n.Block([body], start=node.body.start, end=node.body.end)
        for block in [node for node in walk(function) if isinstance(node, n.Block)]:
            block.statements = [statement for each in block.statements for statement in _settled(each)]


def _guarded(statement: n.Statement) -> n.Let | None:
    """`if (!m.TryGetValue(k, out var v)) return -1;`: what is given out is known behind it."""
    choice = statement.value if isinstance(statement, n.Evaluate) else None
    if not isinstance(choice, n.If) or choice.otherwise is not None or not _leaves(choice.then):
        return None
    condition = choice.condition.operand if isinstance(choice.condition, n.Unary) else None
    if not isinstance(condition, n.LetCondition) or not isinstance(choice.condition, n.Unary) or choice.condition.operator != "!":
        return None
    start, end = statement.start, statement.end
    return n.Let(condition.pattern, None, condition.value, False, choice.then, start=start, end=end)


def _settled(statement: n.Statement) -> list[n.Statement]:
    if (guarded := _guarded(statement)) is not None:
        return [guarded]
    if isinstance(statement, (n.While, n.For, n.CountingFor, n.Local)):
        return [statement]
    before: list[n.Statement] = []
    for number, node in enumerate(_exits_in(statement)):
        match = _as_match(node)
        if isinstance(statement, n.Let) and statement.value is node:
            statement.value = match
            continue
        name = n.Name(f"value_{node.start}_{number}", start=node.start, end=node.end)
        replace_below(statement, lambda part, node=node, name=name: name if part is node else part)  # type: ignore[misc]
        before.append(n.Let(n.Binding(name.name), None, match, start=node.start, end=node.end))
    return [*before, statement]


def _is_exit(node: n.Node) -> bool:
    if isinstance(node, n.Binary):
        return node.operator == "??" and _leaves(node.right)
    return isinstance(node, n.Match) and any(isinstance(arm.body, n.Jump) for arm in node.arms)


def _leaves(value: n.Expr) -> bool:
    """`return none`, `run { …; return none }`."""
    last = value.statements[-1] if isinstance(value, n.Block) and value.statements else None
    return isinstance(value, n.Jump) or (isinstance(last, n.Evaluate) and isinstance(last.value, n.Jump))


def _exits_in(statement: n.Node) -> list[n.Expr]:
    """The operands of a statement that may leave, in the order in which they are evaluated; a whole match is none."""
    first = [statement] if isinstance(statement, n.Expr) and _is_exit(statement) else []
    return [*first, *_exits_below(statement, isinstance(statement, (n.Let, n.Evaluate, n.Jump)))]


def _exits_below(node: n.Node, is_whole: bool) -> Iterator[n.Expr]:
    for child in _evaluated(node):
        if isinstance(child, (n.Jump, n.Evaluate)):
            yield from _exits_below(child, True)
        elif isinstance(child, n.If) or not isinstance(child, (*_ENCLOSING, n.Arm, n.Pattern)):
            yield from _exits_below(child, False)
            if _is_exit(child) and isinstance(child, (n.Binary, n.Match)) and not (is_whole and isinstance(child, n.Match)):
                yield child


def _evaluated(node: n.Node) -> list[n.Node]:
    """The parts of a node that are evaluated in any case."""
    if isinstance(node, n.If):
        return [node.condition]
    if isinstance(node, n.Binary) and node.operator in ("&&", "||", "??"):
        return [node.left]
    return list(children(node))


def _as_match(node: n.Expr) -> n.Match:
    if isinstance(node, n.Match):
        return node
    assert isinstance(node, n.Binary)
    start, end = node.start, node.end
    held = f"held_{start}"
    some = n.VariantPattern("", "Some", [n.Binding(held)], start=start, end=start)
    none = n.VariantPattern("", "None", start=start, end=start)
    arms = [
        n.Arm(some, None, n.Name(held, start=start, end=start), start=start, end=start),
        n.Arm(none, None, node.right, start=node.right.start, end=end),
    ]
    return n.Match(node.left, arms, start=start, end=end)
