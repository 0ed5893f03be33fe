"""Match arms that a fix adds: where they belong, at the others' indentation, with a value that compiles and fits."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Final

from analysis.database import paced, paced_sorted
from analysis.semantics.declarations import TypeFact
from analysis.suggestions.default_values import value_of_type
from analysis.syntax.tree import Arm, BoolPattern, Match, NonePattern, Pattern, VariantPattern, WrapPattern
from analysis.text.edits import Edit

_OFTEN: Final = 1_000
"""Patterns between two looks at whether to stop."""


def add_arms(
    text: str,
    node: Match,
    patterns: list[str],
    order: list[str],
    expected: str | None,
    declared: Callable[[str], TypeFact | None],
) -> tuple[Edit, ...]:
    """The edits that add arms with the given patterns to a match, each where it stands in `order` (names of constructors)."""
    value = value_of_type(expected, declared)
    edits: list[Edit] = []
    for place, missing in places_of(node, patterns, order):
        arms = [f"{pattern} => {value}" for pattern in paced(missing, _OFTEN)]
        edits += _before(text, node.arms[place], arms) if place < len(node.arms) else _at_the_end(text, node, arms)
    return tuple(edits)


def places_of(node: Match, patterns: list[str], order: list[str]) -> list[tuple[int, list[str]]]:
    """The numbers of the arms before which patterns belong, by the order of the constructors; the number of arms for the end."""
    ranks = {name: rank for rank, name in enumerate(order)}
    heads = [ranks.get(_head(arm.pattern)) for arm in node.arms]
    present = [rank for rank in heads if rank is not None]
    # Where the author has another order in mind, the end is as good as any place.
    is_ordered = present == sorted(present)
    tail = len(heads)
    while tail and heads[tail - 1] is not None:
        tail -= 1
    behind = present[len(present) - (len(heads) - tail) :]
    places: dict[int, list[str]] = {}
    ranked = [(ranks.get(pattern.split("(")[0]), pattern) for pattern in paced(patterns, _OFTEN)]
    if is_ordered:
        ranked = paced_sorted(ranked, key=lambda row: len(ranks) if row[0] is None else row[0])
    for rank, pattern in paced(ranked, _OFTEN):
        place = tail + bisect_right(behind, rank) if is_ordered and rank is not None else len(heads)
        places.setdefault(place, []).append(pattern)
    return sorted(places.items())


def _head(pattern: Pattern) -> str:
    match pattern:
        case VariantPattern(name=name) | WrapPattern(kind=name):
            return name
        case NonePattern():
            return "None"
        case BoolPattern(value=value):
            return "true" if value else "false"
    return ""


def _before(text: str, arm: Arm, arms: list[str]) -> list[Edit]:
    line_start = text.rfind("\n", 0, arm.start) + 1
    indent = text[line_start : arm.start]
    if indent.strip():
        return [Edit((arm.start, arm.start), "".join(f"{added}, " for added in arms))]
    return [Edit((line_start, line_start), "".join(f"{indent}{added},\n" for added in arms))]


def _at_the_end(text: str, node: Match, arms: list[str]) -> list[Edit]:
    closing = node.end - 1
    line_start = text.rfind("\n", 0, closing) + 1
    closes_line = text[line_start:closing].strip() == ""
    if not node.arms and "\n" not in text[node.opening : closing]:
        return [Edit((node.opening + 1, closing), f" {', '.join(arms)} ")]
    if node.arms:
        last = node.arms[-1]
        if not closes_line:
            behind = text[last.end : closing]
            comma = last.end + behind.index(",") + 1 if behind.lstrip().startswith(",") else last.end
            return [Edit((comma, comma), (" " if comma > last.end else ", ") + ", ".join(arms))]
        first_line = text.rfind("\n", 0, last.start) + 1
        indent = text[first_line : last.start]
        indent = indent if indent.strip() == "" else text[line_start:closing] + "    "
        comma_edit = [] if text[last.end : closing].lstrip().startswith(",") else [Edit((last.end, last.end), ",")]
    else:
        indent, comma_edit = text[line_start:closing] + "    ", []
    return [*comma_edit, Edit((line_start, line_start), "".join(f"{indent}{added},\n" for added in arms))]
