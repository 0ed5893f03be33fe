"""`if` of other dialects in `.ax`: conditions that match a pattern become matches."""

from __future__ import annotations

from analysis.fixes.dialect.lowering.lowering_matches import Matches
from analysis.fixes.dialect.lowering.writer import AND, ANY, Code
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import BOOL, Type, head


class Conditions(Matches):
    """`conditional` writes every `if`."""

    def _lower(self, node: n.Expr, expected: Type | None) -> Code:
        """Also what a value is asked elsewhere than in an `if`."""
        if isinstance(node, n.LetCondition):
            return self.matched(_as_match(node.value, node.pattern, node), BOOL)
        if isinstance(node, n.Binary) and node.operator == "in" and isinstance(node.right, n.Range) and _is_of_signs(node.right):
            sign, last = self.named(self.lower(node.left), "sign"), "<=" if node.right.inclusive else "<"
            low, high = (self.value(each) for each in (node.right.low, node.right.high) if each is not None)
            return Code(f"{sign} >= {low} && {sign} {last} {high}", AND)
        return super()._lower(node, expected)

    def conditional(self, node: n.If, expected: Type | None) -> Code:
        wanted = expected if head(expected) else (node.ty if node.otherwise is not None else None)
        letting = _first_let(node.condition)
        if letting is not None:
            return self._if_let(node, letting, wanted)
        condition = self.lower(node.condition, BOOL)
        then = self.block_text(node.then, wanted)
        text = f"if {self.condition_text(condition)} {then}"
        if node.otherwise is not None:
            text += f" else {self.block_text(node.otherwise, wanted)}"
        return Code(text, ANY)

    def condition_text(self, code: Code) -> str:
        """A condition in front of a brace: a name in capitals there would begin a record."""
        words = code.text.replace("(", " ").split()
        return f"({code.text})" if words and words[-1][0].isupper() and words[-1].isidentifier() else code.text

    def _if_let(self, node: n.If, letting: tuple[n.LetCondition, n.Expr | None], expected: Type | None) -> Code:
        first, rest = letting
        then: n.Expr = node.then
        otherwise: n.Expr = node.otherwise if node.otherwise is not None else n.Block([])
        if rest is not None:
            then = n.If(rest, node.then, _as_block(otherwise), start=node.start, end=node.end, ty=node.ty)
        arms = [n.Arm(first.pattern, None, then, start=node.start), n.Arm(n.Wildcard(), None, otherwise, start=node.start)]
        return self.matched(n.Match(first.value, arms, start=node.start, end=node.end, ty=node.ty), expected)


def _as_match(value: n.Expr, pattern: n.Pattern, node: n.Expr) -> n.Match:
    """True if a value fits a pattern."""
    start, end = node.start, node.end
    pattern.start, pattern.end = pattern.start or start, pattern.end or end
    arms = [
        n.Arm(each, None, n.Literal("bool", text, start=start, end=start, ty=BOOL), start=start, end=start)
        for each, text in ((pattern, "true"), (n.Wildcard(start=start, end=start), "false"))
    ]
    return n.Match(value, arms, start=start, end=end, ty=BOOL)


def _is_of_signs(node: n.Range) -> bool:
    """`'a'..'z'`."""
    return all(isinstance(each, n.Literal) and each.kind == "string" for each in (node.low, node.high))


def _first_let(condition: n.Expr) -> tuple[n.LetCondition, n.Expr | None] | None:
    """The pattern that a condition begins with, and the rest of the condition."""
    if isinstance(condition, n.LetCondition):
        return condition, None
    if isinstance(condition, n.Binary) and condition.operator == "&&":
        inner = _first_let(condition.left)
        if inner is not None:
            first, rest = inner
            return first, condition.right if rest is None else n.Binary("&&", rest, condition.right, ty=BOOL)
    return None


def _as_block(node: n.Expr) -> n.Block:
    return node if isinstance(node, n.Block) else n.Block([n.Evaluate(node)], start=node.start, end=node.end)
