"""When no rule knows the mistake: one token is inserted, taken away or replaced near the error, the likeliest change first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.suggestions.broken.error_site import CLOSERS, OPENERS, OPERATORS, Proposal, Site, deletion, insert
from analysis.syntax.lexer import EOF, IDENT, KEYWORDS, STRING
from analysis.text.edits import Confidence, Edit

_SURPLUS: Final = "does not fit here"
_WRITTEN: Final = {"{": ("{", "->"), IDENT: ("name", "Int"), STRING: ('""',)}
"""What could stand where a token of a kind is expected, if not the kind itself."""
_INSERTED: Final = (",", ")", "}", "]", ":", "=", "=>", "->", "{", "(", "==", "&&", "+", "_")
_REPLACED: Final = {
    ":": ("=", "=>", ",", "::"), "=": ("==", ":", "=>"), "==": ("=",), "->": ("=>", ":", "("), "=>": ("->", ":", ">="),
    ".": (",", "::"), "::": (".", ":"), ",": (":", ")", "}"), ";": (",", ":"), "(": ("{", "["), ")": ("}", "]"), "[": ("(", "<"),
    "]": (")", ">"), "{": ("(",), "}": (")",), "<": ("(",), ">": (")",), "..": ("(", ".", ","), "+": ("=",),
    "!": ("!=", ">", ")"),
    "-": ("->",),
}  # fmt: skip
_PLACEHOLDERS: Final = frozenset(("name", "Int", "0", "_", '""'))
_WINDOW: Final = 4


def proposals(site: Site) -> Iterator[Proposal]:
    """Changes of one token: first what the parser asked for, then what is nearest to the error."""
    wanted = _expected(site)
    places = [index for index in range(site.at, max(-1, site.at - _WINDOW), -1) if index < len(site.kinds)]
    if site.kind(site.at) not in ("", EOF) and site.kind(site.at) not in (*OPENERS, *CLOSERS):
        for new in wanted:
            yield _replaced(site, site.at, new)
    for index in [*places, site.at + 1]:
        for new in _REPLACED.get(site.kind(index), ()):
            yield _replaced(site, index, new)
    for index in places:
        if site.kind(index) not in ("", EOF):
            short = _shortened(site.word(index))
            message, advice = f"`{short}` {_SURPLUS}", f"remove `{short}`"
            yield Proposal("remove", site.span(index), message, advice, (deletion(site, index),), Confidence.LOW, is_surplus=True)
    for new in wanted:
        yield _inserted(site, site.at, new)
    for index in places:
        if index:
            for new in _INSERTED:
                yield _inserted(site, index, new)


def _expected(site: Site) -> tuple[str, ...]:
    """What the parser asked for; where a list can end as well as go on, that it goes on."""
    if site.wants_expression:
        return ("0",)
    if site.wants_pattern:
        return ("_",)
    kinds = (",",) if site.wants(",") else sorted(site.expected)
    return tuple([written for kind in kinds for written in _WRITTEN.get(kind, (kind,))])


def _replaced(site: Site, index: int, new: str) -> Proposal:
    span = site.span(index)
    message = f"`{_shortened(site.word(index))}` {_SURPLUS}"
    is_surplus = site.kind(index) not in KEYWORDS or new != "name"
    if not is_surplus:
        message = f"`{site.kind(index)}` is a keyword and cannot be a name"
    return Proposal(
        "replace", span, message, f"write `{new}`", (Edit(span, new),), Confidence.LOW, new in _PLACEHOLDERS, is_surplus
    )


def _inserted(site: Site, index: int, new: str) -> Proposal:
    place = site.ends[index - 1] if index else site.starts[0]
    glued = new in CLOSERS or new in (",", ":") or (new == "(" and site.touches(index))
    written = new if glued or not index or site.kind(index - 1) in OPENERS else f" {new}"
    if (
        not site.begins_line(index)
        and site.touches(index)
        and (new in OPERATORS or new[0].isalnum() or new in ("=", "=>", "->", "{"))
    ):
        written += " "
    message = "something is missing here" if new in _PLACEHOLDERS else f"something is missing here: `{new}`"
    return Proposal(
        "insert", (place, place), message, f"add `{new}`", (insert(place, written),), Confidence.LOW, new in _PLACEHOLDERS
    )


def _shortened(word: str) -> str:
    line = word.split("\n", 1)[0]
    return line if len(line) <= 30 else line[:29] + "…"
