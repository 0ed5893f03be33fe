"""W604: a quotient of Ints in a computation with Floats, `(done / total) * 100.0`: its fraction is lost before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics.rule_context import RuleContext, TextContext
from analysis.semantics.ty import FLOAT, INT
from analysis.suggestions.conversions import conversions
from analysis.syntax import tree as t
from analysis.text.edits import Confidence, Fix


def concerns(context: TextContext) -> bool:
    """True if a text can hold a quotient."""
    return "/" in context.text


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """The operands of arithmetic."""
    once = {local.at for local in paced(context.summary.locals) if local.reads == 1 and not local.writes}
    for _, nodes in context.walked:
        lets: dict[int, t.Expr] | None = None
        for node in paced(nodes.of(t.Binary), 1_000):
            if node.operator not in ("+", "-", "*", "/"):
                continue
            for part, other in ((node.left, node.right), (node.right, node.left)):
                if context.inference.of(other) is not FLOAT or _is_conversion(other):
                    continue
                if lets is None:
                    lets = {each.at: each.value for each in nodes.of(t.Let) if each.at in once}
                quotient = _quotient(context, part, lets)
                if quotient is not None:
                    yield _dropped(quotient)


def _is_conversion(other: t.Expr) -> bool:
    """`* 1.0` and `+ 0.0` are how an Int becomes a Float: it is meant as it is."""
    return isinstance(other, t.FloatLiteral) and float(other.text) in (0.0, 1.0)


def _quotient(context: RuleContext, part: t.Expr, lets: Mapping[int, t.Expr]) -> t.Binary | None:
    """The division that an operand is, or that its variable was made by."""
    if isinstance(part, t.Name):
        part = lets.get(context.names.uses.get(part.start, -1), part)
    if not isinstance(part, t.Binary) or part.operator != "/" or context.inference.of(part) is not INT:
        return None
    left, right = part.left, part.right
    if (
        isinstance(left, t.IntLiteral)
        and isinstance(right, t.IntLiteral)
        and int(right.text)
        and int(left.text) % int(right.text) == 0
    ):
        return None
    return part


def _dropped(quotient: t.Binary) -> Diagnostic:
    edits = tuple(edit for fix in conversions(quotient.right, INT, FLOAT) for edit in fix.edits)
    fix = Fix("W604-float", "divide by a Float", Confidence.MEDIUM, "the quotient keeps its fraction then", edits)
    return diagnostic(
        "W604",
        (quotient.start, quotient.end),
        "this division of Ints drops the fraction before a Float is computed from it",
        help="divide by a Float",
        why="a quotient of two Ints is the whole part of it",
        fixes=(fix,),
    )
