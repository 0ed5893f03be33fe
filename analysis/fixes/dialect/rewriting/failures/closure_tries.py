"""`?` in a closure of Rust as a match whose other arm is the closure's value: a loop around it may not be left."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, argument, head
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import children, replace_below

_APART: Final = (n.Lambda, n.Local)
_LOOPS: Final = (n.While, n.For, n.CountingFor, n.Comprehension)


def holds_tries(node: n.Node) -> bool:
    """True if a question mark ends the closure at hand, not one inside of it."""
    if isinstance(node, n.Try) and node.ends_closure:
        return True
    return any(holds_tries(child) for child in children(node) if not isinstance(child, _APART))


def without_tries(body: n.Expr, result: Type | None) -> n.Block:
    """The body of a closure whose types are known, without question marks; refuses those in loops."""
    whole = n.Evaluate(body, start=body.start, end=body.end)
    return _block(body.statements if isinstance(body, n.Block) else [whole], body, result)


def _block(statements: list[n.Statement], around: n.Node, result: Type | None) -> n.Block:
    settled: list[n.Statement] = []
    for place, statement in enumerate(statements):
        if not holds_tries(statement):
            settled.append(statement)
            continue
        rest = statements[place + 1 :]
        last = _split(statement, rest, around, result) or _in_branches(statement, rest, result)
        settled.append(n.Evaluate(last, start=statement.start, end=around.end))
        break
    return n.Block(settled, start=around.start, end=around.end, ty=result)


def _split(statement: n.Statement, rest: list[n.Statement], around: n.Node, result: Type | None) -> n.Expr | None:
    """A match on the first value that a question mark asks for; None if all of them stand in branches."""
    tried = _first(statement)
    if tried is None:
        return None
    kind = tried.value.ty
    if head(kind) not in ("Option", "Result"):
        raise Untranslatable("`?` on a value whose type cannot be told", tried.start)
    start, end = statement.start, around.end
    pattern: n.Pattern = n.Binding(f"tried_{tried.start}_{tried.end}", start=start, end=start)
    if isinstance(statement, n.Let) and statement.value is tried and statement.otherwise is None and not statement.mutable:
        pattern = statement.pattern
    else:
        assert isinstance(pattern, n.Binding)
        name = n.Name(pattern.name, start=tried.start, end=tried.end, ty=argument(kind))
        replace_below(statement, lambda part: name if part is tried else part)
        rest = [statement, *rest]
    good = "Some" if head(kind) == "Option" else "Ok"
    body = _block(rest, around, result)
    arms = [n.Arm(n.VariantPattern("", good, [pattern], start=start, end=start), None, body, start=start, end=end)]
    return n.Match(tried.value, [*arms, _other(kind, result, start)], start=start, end=end, ty=result)


def _other(kind: Type | None, result: Type | None, start: int) -> n.Arm:
    """The arm of what is no value: it is the closure's value, too."""
    if head(kind) == "Result" and head(result) in ("", "Result"):
        error = n.Name("error_inside", start=start, end=start, ty=argument(kind, 1))
        failed = n.Call(n.Name("Err"), [n.Argument(error)], start=start, end=start, ty=result)
        return n.Arm(n.VariantPattern("", "Err", [n.Binding("error_inside")], start=start, end=start), None, failed, start=start)
    if head(kind) != "Option" or head(result) not in ("", "Option"):
        raise Untranslatable("`?` in a closure that gives another type", start)
    none = n.Literal("none", "None", start=start, end=start, ty=result)
    return n.Arm(n.VariantPattern("", "None", start=start, end=start), None, none, start=start)


def _in_branches(statement: n.Statement, rest: list[n.Statement], result: Type | None) -> n.Expr:
    """The last statement of a closure, with question marks in its branches."""
    value = statement.value if isinstance(statement, n.Evaluate) else None
    if rest or not isinstance(value, (n.If, n.Match, n.Block)):
        raise Untranslatable("`?` in a closure", statement.start)
    if isinstance(value, n.Block):
        return without_tries(value, result)
    if isinstance(value, n.If):
        if value.otherwise is None:
            raise Untranslatable("`?` in a closure", statement.start)
        then, otherwise = without_tries(value.then, result), without_tries(value.otherwise, result)
        return n.If(value.condition, then, otherwise, start=value.start, end=value.end, ty=result)
    for arm in value.arms:
        if arm.guard is not None and holds_tries(arm.guard):
            raise Untranslatable("`?` in a closure", statement.start)
        if holds_tries(arm.body):
            arm.body = without_tries(arm.body, result)
    return value


def _first(node: n.Node) -> n.Try | None:
    """The first question mark that is evaluated in any case."""
    for child in _evaluated(node):
        if isinstance(child, (*_APART, *_LOOPS, n.Block, n.Pattern)):
            continue
        if (inner := _first(child)) is not None:
            return inner
        if isinstance(child, n.Try) and child.ends_closure:
            return child
    return None


def _evaluated(node: n.Node) -> list[n.Node]:
    if isinstance(node, n.If):
        return [node.condition]
    if isinstance(node, n.Match):
        return [node.value]
    if isinstance(node, n.Binary) and node.operator in ("&&", "||", "??"):
        return [node.left]
    return list(children(node))
