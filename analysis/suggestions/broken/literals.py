"""Literals of other languages: numbers with separators or bases, strings with prefixes, macros, tuples, doc strings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.suggestions.broken.error_site import CLOSERS, OPENERS, Proposal, Rule, Site
from analysis.syntax.lexer import FLOAT, IDENT, INT, MAX_INT, STRING
from analysis.text.edits import Confidence, Edit

_NUMBER: Final = re.compile(r"(?:0[xXoObB][0-9A-Fa-f_]+|[0-9][0-9_]*(?:\.[0-9_]+)?(?:[eE]-?[0-9]+)?)(?:[uUlLfFdn]+|[iu]\d+)?")
_SUFFIX: Final = re.compile(r"(?:[uUlLfFdn]+|[iuf](?:8|16|32|64|128))$")
_HOLE: Final = re.compile(r"\{([^{}\"\\:!]+)(?::[^{}]*)?\}")


def numbers(site: Site) -> Iterator[Proposal]:
    """`1_000`, `0x1F`, `1e5`, `10L` near the error: written out."""
    for index in (site.at, site.at - 1, site.at + 1):
        if site.kind(index) != IDENT or not site.touches(index) or site.kind(index - 1) not in (INT, FLOAT):
            continue
        match = _NUMBER.match(site.text, site.starts[index - 1])
        value = _written_out(match[0]) if match and match.end() >= site.ends[index] else None
        if match and value is not None:
            span = match.span()
            message = "numbers are plain decimal digits"
            yield Proposal("number", span, message, f"write `{value}`", (Edit(span, value),))


def _written_out(word: str) -> str | None:
    """A number of another language in plain digits; None if it is too large."""
    lower = word.lower()
    if lower[:2] in ("0x", "0o", "0b"):
        try:
            value = int(word.replace("_", ""), 0)
        except ValueError:
            return None
        return str(value) if value <= MAX_INT else None
    plain = _SUFFIX.sub("", word).replace("_", "")
    if "e" not in plain.lower():
        return plain
    digits, _, exponent = plain.lower().partition("e")
    if not exponent or abs(int(exponent)) > 18:
        return None
    whole = float(digits) * 10.0 ** int(exponent)
    return f"{whole:.1f}" if whole == int(whole) else format(whole, "f").rstrip("0")


def prefixed_strings(site: Site) -> Iterator[Proposal]:
    """`f"a {x}"` becomes a concatenation, other prefixes go."""
    for index in (site.at, site.at - 1, site.at + 1):
        if site.kind(index) != STRING or not site.touches(index) or site.kind(index - 1) != IDENT:
            continue
        prefix = site.word(index - 1)
        if prefix.lower() not in ("f", "r", "b", "u", "rb", "br", "fr", "rf", "s", "l"):
            continue
        span = site.span(index - 1, index)
        text = site.word(index)
        if "f" in prefix.lower() or prefix == "s":
            written = _concatenated(text)
            if written != text:
                message = "strings have no holes for values"
                yield Proposal("string-prefix", span, message, "concatenate with `++`", (Edit(span, written),), Confidence.MEDIUM)
                continue
        message = f"strings have no prefix `{prefix}`"
        yield Proposal("string-prefix", span, message, f"remove `{prefix}`", (Edit(site.span(index - 1), ""),))


def _concatenated(text: str) -> str:
    """`"a {x} b"` as `"a " ++ x ++ " b"`."""
    pieces: list[str] = []
    position = 1
    for hole in _HOLE.finditer(text):
        if hole.start() > position:
            pieces.append(f'"{text[position : hole.start()]}"')
        pieces.append(hole[1].strip())
        position = hole.end()
    if position < len(text) - 1 or not pieces:
        pieces.append(f'"{text[position:-1]}"')
    return " ++ ".join(pieces)


def macros(site: Site) -> Iterator[Proposal]:
    """`vec![1]` is `[1]`, `name!(x)` is `name(x)`."""
    for index in (site.at, site.at - 1):
        if site.kind(index) == "!" and site.touches(index) and site.kind(index - 1) == IDENT and site.touches(index + 1):
            if site.kind(index + 1) == "[":
                span = site.span(index - 1, index)
                yield Proposal("macro", span, "a list is written `[…]`", "write `[…]`", (Edit(span, ""),))
            elif site.kind(index + 1) == "(":
                yield Proposal("macro", site.span(index), "calls have no `!`", "remove `!`", (Edit(site.span(index), ""),))


def tuples(site: Site) -> Iterator[Proposal]:
    """`(a, b)`: a list is the nearest thing."""
    opened = site.open_before(site.at)
    if not site.wants_only(")") or site.kind(site.at) != "," or not opened or site.role(opened[-1]) != "group":
        return
    closing = site.partners.get(opened[-1])
    if closing is not None and site.kind(opened[-1] - 1) != "send":
        edits = (Edit(site.span(opened[-1]), "["), Edit(site.span(closing), "]"))
        span = site.span(opened[-1], closing)
        message = "there are no tuples: use a record type, or a list"
        yield Proposal("tuple", span, message, "write a list `[…]`", edits, Confidence.LOW)


def doc_strings(site: Site) -> Iterator[Proposal]:
    """A string in front of an item is a comment."""
    if not site.wants_item or site.kind(site.at) != STRING:
        return
    last = site.at
    while site.kind(last + 1) == STRING:
        last += 1
    text = "".join(site.word(i).strip('"') for i in range(site.at, last + 1))
    lines = [line.strip() for line in text.strip().split("\n")] or [""]
    written = "\n".join(f"// {line}".rstrip() for line in lines)
    span = site.span(site.at, last)
    yield Proposal("comment", span, "comments begin with `//`", "write `//`", (Edit(span, written),))


def placeholders(site: Site) -> Iterator[Proposal]:
    """`...` in the place of code that is still to be written."""
    at = site.at if site.kind(site.at) == ".." else site.at - 1
    if site.kind(at) != ".." or site.kind(at + 1) != "." or not site.touches(at + 1):
        return
    opened = site.open_before(at)
    if site.kind(at - 1) in ("{", "}", "") or site.begins_line(at):
        start = site.ends[at - 1] if site.kind(at - 1) in OPENERS and site.kind(at + 2) in CLOSERS else site.starts[at]
        end = site.starts[at + 2] if start < site.starts[at] and site.begins_line(at + 2) is False else site.ends[at + 1]
        if not opened or site.role(opened[-1]) == "block":
            yield Proposal(
                "placeholder", site.span(at, at + 1), "`...` is no statement", "remove `...`", (Edit((start, end), ""),)
            )
    yield Proposal(
        "placeholder",
        site.span(at, at + 1),
        "`...` is no value",
        "write `{}`",
        (Edit(site.span(at, at + 1), "{}"),),
        Confidence.LOW,
        is_placeholder=True,
    )


RULES: Final[tuple[Rule, ...]] = (numbers, prefixed_strings, macros, doc_strings, placeholders)
LATE_RULES: Final[tuple[Rule, ...]] = (tuples,)
