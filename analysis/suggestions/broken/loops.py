"""Loops of other languages: `for (x in xs)`, `for x of xs`, `for i in 0..n`, `for (i = 0; i < n; i++)`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.suggestions.broken.error_site import Proposal, Rule, Site, insert
from analysis.syntax.lexer import EOF, IDENT
from analysis.text.edits import Confidence, Edit

_C_FOR: Final = re.compile(
    r"for\s*+(?:\(\s*+)?(?:(?:let|var|int|mut)\s++)*+([A-Za-z_]\w*+)\s*+(?::\s*+\w++\s*+)?=\s*+"
    r"([^;\n]*[^;\s])\s*+;\s*+([^;\n]*[^;\s])\s*+;\s*+((?:[^;\n{]*[^;\s{])?)\s*+\{"
)


def loops(site: Site) -> Iterator[Proposal]:
    """`for (x in xs)`, `for x of xs`, `for i in 0..n`, `for (i = 0; i < n; i++)`, `while` without a condition."""
    at = site.at
    head = next((i for i in range(at, max(-1, at - 24), -1) if site.kind(i) == "for"), None)
    if head is None:
        return
    if site.wants("in") and site.kind(head + 1) == IDENT and at == head + 2:
        word = site.word(at)
        if site.kind(at) in (IDENT, ":", "=", "<", "..") and site.kind(at + 1) not in (EOF, "{"):
            end = site.ends[at + 1] if (site.kind(at), site.kind(at + 1)) == ("<", "-") else site.ends[at]
            lead = "" if not site.touches(at) else " "
            yield Proposal(
                "in",
                site.span(at),
                f"write `in` before the list, not `{word}`",
                "write `in`",
                (Edit((site.starts[at], end), f"{lead}in"),),
            )
        place = site.ends[at - 1]
        yield Proposal("in", (place, place), "`in` is missing", "add `in`", (insert(place, " in"),))
    if site.kind(head + 1) == "_" and site.kind(head + 2) == "in":
        unnamed = site.span(head + 1)
        yield Proposal("name", unnamed, "`for` needs a name for the item", "write `_item`", (Edit(unnamed, "_item"),))
    if (
        site.kind(head + 1) == "("
        and (closing := site.partners.get(head + 1)) is not None
        and ";" not in site.kinds[head:closing]
    ):
        lead = " " if site.touches(head + 1) else ""
        edits = [Edit((site.starts[head + 1], site.starts[head + 2]), lead), Edit(site.span(closing), "")]
        start = head + 2
        while site.kind(start) in ("let", "mut") or site.word(start) in ("var", "const", "auto", "final"):
            start += 1
        if start > head + 2:
            edits[0] = Edit((site.starts[head + 1], site.starts[start]), lead)
        if site.kind(start + 1) in (":", "=") or site.word(start + 1) == "of":
            edits.insert(1, Edit(site.span(start + 1), "in" if not site.touches(start + 1) else " in"))
        yield Proposal(
            "for-parentheses",
            site.span(head + 1, closing),
            "`for` takes no parentheses",
            "write `for x in xs {`",
            tuple(edits),
        )
    if site.kind(head + 1) in ("let", "mut") or (
        site.word(head + 1) in ("var", "const", "auto") and site.kind(head + 2) == IDENT
    ):
        word = site.word(head + 1)
        edits = [Edit((site.starts[head + 1], site.starts[head + 2]), "")]
        if site.word(head + 3) == "of" or site.kind(head + 3) == ":":
            edits.append(Edit(site.span(head + 3), "in"))
        yield Proposal(f"remove-{word}", site.span(head + 1), f"`for` needs no `{word}`", f"remove `{word}`", tuple(edits))
    yield from _range_loop(site, head)
    yield from _c_loop(site, head)


def _range_loop(site: Site, head: int) -> Iterator[Proposal]:
    """`for i in a..b {`: a `while` loop that counts."""
    opening = site.body_brace(head)
    if opening is None or site.kind(head + 1) != IDENT or site.kind(head + 2) != "in":
        return
    dots = next((i for i in range(head + 3, opening) if site.kinds[i] == ".."), None)
    closing = site.partners.get(opening)
    if dots is None or closing is None:
        return
    name = site.word(head + 1)
    after = dots + 1
    inclusive = site.kind(after) == "=" or (site.kind(after) == "." and site.touches(after))
    after += inclusive
    first, last = site.slice(head + 3, dots - 1), site.slice(after, opening - 1)
    if first.startswith("(") and last.endswith(")") and site.partners.get(head + 3) == opening - 1:
        first, last = first[1:], last[:-1]
    yield _counting(
        site,
        head,
        opening,
        closing,
        name,
        first,
        f"{name} {'<=' if inclusive else '<'} {last}",
        f"{name} = {name} + 1",
        "there are no ranges",
    )


def _c_loop(site: Site, head: int) -> Iterator[Proposal]:
    match = _C_FOR.match(site.text, site.starts[head])
    if match is None:
        return
    opening = site.token_at(match.end() - 1)
    closing = site.partners.get(opening)
    if closing is None:
        return
    name, first, condition, step = match.groups()
    step = step.removesuffix(")").rstrip()
    step = re.sub(r"^(\w+)\+\+$|^\+\+(\w+)$", lambda m: f"{m[1] or m[2]} = {m[1] or m[2]} + 1", step)
    step = re.sub(r"^(\w+)--$|^--(\w+)$", lambda m: f"{m[1] or m[2]} = {m[1] or m[2]} - 1", step)
    step = re.sub(r"^(\w+)\s*([-+*/])=\s*(.+)$", r"\1 = \1 \2 \3", step)
    yield _counting(site, head, opening, closing, name, first, condition, step, "there is no counting `for`")


def _counting(
    site: Site, head: int, opening: int, closing: int, name: str, first: str, condition: str, step: str, message: str
) -> Proposal:
    """A `while` loop in the place of a `for` loop that counts."""
    indent = site.indent(site.starts[head])
    broken = "\n" if site.begins_line(opening + 1) else " "
    start = Edit((site.starts[head], site.ends[opening]), f"let mut {name} = {first}\n{indent}while {condition} {{")
    if broken == "\n":
        outer = site.indent(site.starts[closing])
        end = Edit((site.line_start(site.starts[closing]), site.starts[closing]), f"{outer}{site.unit}{step}\n{outer}")
    else:
        end = insert(site.ends[closing - 1], f" {step}")
    return Proposal(
        "counting-loop", site.span(head, opening), message, "count in a `while` loop", (start, end), Confidence.MEDIUM
    )


RULES: Final[tuple[Rule, ...]] = (loops,)
