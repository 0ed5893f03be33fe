"""Patterns of values that may be absent, as languages write them whose types do not say so."""

from __future__ import annotations

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, argument, head
from analysis.fixes.dialect.typing.program import Program


def of_present(pattern: n.Pattern, kind: Type | None, program: Program) -> n.Pattern:
    """A pattern of a value that may be absent: a literal or a variant in it is that of the value inside."""
    if isinstance(pattern, n.OrPattern):
        pattern.options = [of_present(each, kind, program) for each in pattern.options]
        return pattern
    if isinstance(pattern, n.TuplePattern) and head(kind) == "Tuple":
        pattern.items = [of_present(each, argument(kind, place), program) for place, each in enumerate(pattern.items)]
        return pattern
    if head(kind) != "Option":
        return pattern
    is_variant = isinstance(pattern, n.VariantPattern) and program.variant(pattern.owner, pattern.name) is not None
    if not is_variant and not isinstance(pattern, (n.LiteralPattern, n.RangePattern)):
        return pattern
    return n.VariantPattern("", "Some", [pattern], start=pattern.start, end=pattern.end)
