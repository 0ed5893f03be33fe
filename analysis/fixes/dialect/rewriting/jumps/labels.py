"""Jumps out of several loops at once: `break outer`, `continue outer` as flags that the loops between ask."""

from __future__ import annotations

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import children, walk

_Loop = (n.While, n.For, n.CountingFor)


def leave_labelled(loop: n.Statement, label: str) -> n.Statement:
    """A loop with jumps to its label, as a block that needs no label."""
    if not isinstance(loop, _Loop):
        raise Untranslatable("a label of a loop", loop.start)
    wanted = f"to {label}"
    kinds = {node.kind for node in walk(loop) if isinstance(node, n.Jump) and _aims_at(node, wanted)}
    start, end = loop.start, loop.end
    flags = {kind: f"{label}_{'done' if kind == 'break' else 'next'}" for kind in sorted(kinds)}
    _leave(loop.body, wanted, flags, is_outermost=True)
    first: list[n.Statement] = []
    for kind, flag in flags.items():
        clear = n.Let(n.Binding(flag), None, n.Literal("bool", "false", start=start, end=start), True, start=start, end=start)
        if kind == "break":
            first.append(clear)
        else:
            loop.body.statements.insert(0, clear)
    if not first:
        return loop
    return n.Evaluate(n.Block([*first, loop], start=start, end=end), start=start, end=end)


def _aims_at(jump: n.Jump, wanted: str) -> bool:
    return isinstance(jump.value, n.Name) and jump.value.name == wanted


def _leave(body: n.Node, wanted: str, flags: dict[str, str], is_outermost: bool) -> None:
    """Replaces the jumps below a loop's body, which is that of the labelled loop itself or of one inside of it."""
    waiting: list[n.Node] = [body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, n.Block):
            node.statements = _with_flags(node.statements, wanted, flags, is_outermost)
        if isinstance(node, n.Jump) and _aims_at(node, wanted):
            # Not a statement of its own: an arm, or a branch without braces.
            raise Untranslatable("a jump to a label inside of an expression", node.start)
        waiting += [each for each in children(node) if not isinstance(each, (*_Loop, n.Lambda, n.Local))]


def _with_flags(statements: list[n.Statement], wanted: str, flags: dict[str, str], is_outermost: bool) -> list[n.Statement]:
    flagged: list[n.Statement] = []
    for statement in statements:
        at = statement.end
        if isinstance(statement, n.Evaluate) and isinstance(statement.value, n.Jump) and _aims_at(statement.value, wanted):
            jump = statement.value
            jump.value = None
            if not is_outermost:
                true = n.Literal("bool", "true", start=statement.start, end=statement.start)
                flag = n.Name(flags[jump.kind], start=statement.start, end=statement.start)
                flagged.append(n.Assign(flag, "", true, start=statement.start, end=statement.start))
                jump.kind = "break"
            flagged.append(statement)
            continue
        flagged.append(statement)
        if not isinstance(statement, _Loop):
            continue
        kinds = [node.kind for node in walk(statement) if isinstance(node, n.Jump) and _aims_at(node, wanted)]
        _leave(statement.body, wanted, flags, is_outermost=False)
        for kind in dict.fromkeys(kinds):
            then = n.Jump(kind if is_outermost else "break", start=at, end=at)
            block = n.Block([n.Evaluate(then, start=at, end=at)], start=at, end=at)
            flagged.append(
                n.Evaluate(n.If(n.Name(flags[kind], start=at, end=at), block, None, start=at, end=at), start=at, end=at)
            )
    return flagged
