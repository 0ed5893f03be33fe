"""W105: conditions and operands of `!` that are no Bool and always count the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics.rule_context import RuleContext, TextContext
from analysis.semantics.ty import Ty
from analysis.syntax import tree as t
from analysis.text.edits import Confidence, Edit, Fix

_OFTEN: Final = 16


def concerns(context: TextContext) -> bool:
    """True if a text can hold a condition or such an operand."""
    text = context.text
    return "if" in text or "while" in text or "!" in text or "&&" in text or "||" in text


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """The conditions of `if` and `while`, then the operands of `!`."""
    for condition in paced(context.inference.conditions, _OFTEN):
        if condition.keyword in ("if", "while"):
            always = _literal(condition.node) or _always(condition.type)
            yield from _decided(condition.node, condition.type, f"the condition of this `{condition.keyword}`", always)
    for _, nodes in context.walked:
        for node in paced(nodes.of(t.Unary, t.Binary), 1_000):
            if isinstance(node, t.Unary):
                if node.operator == "!":
                    yield from _operand(context, node.operand, "!")
            elif node.operator in ("&&", "||"):
                yield from _operand(context, node.left, node.operator)
                yield from _operand(context, node.right, node.operator)


def _operand(context: RuleContext, node: t.Expr, sign: str) -> Iterator[Diagnostic]:
    held = context.inference.of(node)
    yield from _decided(node, held, f"this operand of `{sign}`", _always(held))


def _decided(node: t.Expr, held: Ty, what: str, always: tuple[str, str] | None) -> Iterator[Diagnostic]:
    if always is None:
        return
    kind, truth = always
    fixes: tuple[Fix, ...] = ()
    if held.head == "Fn" and len(held.arguments) == 1 and isinstance(node, t.Name):
        edit = Edit((node.end, node.end), "()")
        fixes = (Fix("W105-call", f"call it: `{node.name}()`", Confidence.HIGH, "the condition needs its result", (edit,)),)
    yield diagnostic(
        "W105",
        (node.start, node.end),
        f"{what} is {kind}, not a Bool: it is always treated as {truth}",
        help=fixes[0].description if fixes else "compare it with something, or write `true` or `false`",
        why="only false, 0, empty texts, lists and maps, None, Err and Unit count as false",
        fixes=fixes,
    )


def _always(held: Ty) -> tuple[str, str] | None:
    """A type and the constant that all its values count as; None if they can be either."""
    if held.is_declared:
        return f"of type '{held.name}'", "true"
    return ("a function", "true") if held.head == "Fn" else None


def _literal(node: t.Expr) -> tuple[str, str] | None:
    match node:
        case t.StringLiteral(raw=raw):
            return "a String", "true" if raw else "false"
        case t.IntLiteral(text=text):
            return "an Int", "true" if int(text) else "false"
        case t.FloatLiteral(text=text):
            return "a Float", "true" if float(text) else "false"
        case t.NoneLiteral():
            return "None", "false"
        case t.ListLiteral(items=items):
            return "a List", "true" if items else "false"
        case t.Wrap(kind=kind):
            return f"{kind}(…)", "false" if kind == "Err" else "true"
        case t.RecordLiteral() | t.VariantLiteral():
            return "a record" if isinstance(node, t.RecordLiteral) else "an enum value", "true"
        case t.BoolLiteral():
            return None
    return None
