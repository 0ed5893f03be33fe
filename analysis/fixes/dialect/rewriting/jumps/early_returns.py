"""Closures that return early, as values of branches: what is written in place of a call cannot return."""

from __future__ import annotations

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import children


def without_early_returns(closure: n.Lambda) -> None:
    """Rewrites a closure's body; leaves it where a return stands in a loop or an operand."""
    if isinstance(closure.body, n.Block) and _returns(closure.body):
        try:
            body = _valued(closure.body.statements, closure.body)
        except RecursionError:
            return
        if body is not None:
            closure.body = body


def _valued(statements: list[n.Statement], around: n.Node) -> n.Block | None:
    settled: list[n.Statement] = []
    for place, statement in enumerate(statements):
        rest = statements[place + 1 :]
        value = statement.value if isinstance(statement, n.Evaluate) else None
        if isinstance(value, n.Jump) and value.kind == "return":
            if value.value is None or _returns(value.value):
                return None
            settled.append(n.Evaluate(value.value, start=statement.start, end=statement.end))
            break
        if not _returns(statement):
            settled.append(statement)
            continue
        last = _branches(value, rest, statement)
        if last is None:
            return None
        settled.append(n.Evaluate(last, start=statement.start, end=around.end))
        break
    return n.Block(settled, start=around.start, end=around.end)


def _branches(value: n.Expr | None, rest: list[n.Statement], statement: n.Statement) -> n.Expr | None:
    """A choice of which a branch returns, with what follows in the branches that go on."""
    if isinstance(value, n.If):
        otherwise = value.otherwise.statements if value.otherwise is not None else []
        if rest and not (_leaves(value.then.statements) or (otherwise and _leaves(otherwise))):
            return None
        then = _valued([*value.then.statements, *([] if _leaves(value.then.statements) else rest)], value.then)
        other = _valued([*otherwise, *([] if _leaves(otherwise) else rest)], value.otherwise or statement)
        if then is None or other is None or not other.statements:
            return None
        return n.If(value.condition, then, other, start=value.start, end=value.end)
    if isinstance(value, n.Match) and not rest:
        for arm in value.arms:
            only: list[n.Statement] = [n.Evaluate(arm.body, start=arm.start)]
            body = _valued(arm.body.statements if isinstance(arm.body, n.Block) else only, arm.body)
            if body is None:
                return None
            arm.body = body
        return value
    return None


def _leaves(statements: list[n.Statement]) -> bool:
    last = statements[-1] if statements else None
    value = last.value if isinstance(last, n.Evaluate) else None
    if isinstance(value, n.If) and value.otherwise is not None:
        return _leaves(value.then.statements) and _leaves(value.otherwise.statements)
    return isinstance(value, n.Jump) and value.kind == "return"


def _returns(node: n.Node) -> bool:
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, n.Jump) and part.kind == "return":
            return True
        if part is node or not isinstance(part, (n.Lambda, n.Local)):
            waiting += children(part)
    return False


def with_choices(statements: list[n.Statement]) -> list[n.Statement]:
    """Statements with a match in place of a `let` that may not fit, and of what follows it."""
    for place, each in enumerate(statements):
        last = statements[-1]
        if not isinstance(each, n.Let) or each.otherwise is None or each.value is None or not isinstance(last, n.Evaluate):
            continue
        body = n.Block(with_choices(statements[place + 1 :]), start=each.end, end=last.end, ty=last.value.ty)
        arms = [n.Arm(each.pattern, None, body), n.Arm(n.Wildcard(), None, each.otherwise)]
        chosen = n.Match(each.value, arms, ty=last.value.ty, start=each.start, end=last.end)
        return [*statements[:place], n.Evaluate(chosen, start=each.start, end=last.end)]
    return list(statements)
