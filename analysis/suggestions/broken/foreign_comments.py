"""Comments of other languages: `#`, `--`, `/* */`, `<!-- -->`-like ones aside. Each becomes `//`, all of the chunk at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.database import paced
from analysis.suggestions.broken.error_site import Proposal, Rule, Site, in_order
from analysis.syntax.lexer import Cause
from analysis.text.edits import Edit

_BEHIND: Final = ("#", " ", "\t", "\n", "\r", "!", "")
"""The text after a `#` that begins a comment behind code."""
_PIECE: Final = re.compile(r'"(?:[^"\\\n]++|\\.)*+("?)|//[^\n]*+|/\*|#|--')
_PIECE_BUT_STRINGS: Final = re.compile(r"//[^\n]*+|/\*|#|--")
_FENCE: Final = re.compile(r"^[ \t]*(?:```|~~~)[A-Za-z]*[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_BLOCK_END: Final = "*/"


def fences(site: Site) -> Iterator[Proposal]:
    """The ``` lines around a program that was copied out of a text."""
    if not site.lexical:
        return
    lines = list(_FENCE.finditer(site.text))
    if any(line.start() <= site.place < line.end() for line in lines):
        edits = tuple(Edit(line.span(), "") for line in lines)
        line = next(line for line in lines if line.start() <= site.place < line.end())
        yield Proposal("fence", line.span(), "this line belongs to the text around the program", "remove it", edits)


def hashes(site: Site) -> Iterator[Proposal]:
    """`# text` up to the end of the line."""
    # `#xs` in the middle of a line is a length, or an attribute.
    hashes = [
        at
        for at in _places(site, "#")
        if not site.text[site.line_start(at) : at].strip() or site.text[at + 1 : at + 2] in _BEHIND
    ]
    if not hashes or not _concerns(site, hashes):
        return
    edits = []
    for offset in hashes:
        end = offset + 1
        while site.text[end : end + 1] == "#":
            end += 1
        edits.append(Edit((offset, end), "//" if site.text[end : end + 1] in (" ", "\n", "!", "") else "// "))
    place = _nearest(site, hashes)
    yield Proposal("comment", (place, place + 1), "`#` begins no comment", "write `//`", tuple(edits))


def dashes(site: Site) -> Iterator[Proposal]:
    """`-- text`: at the start of a line or behind two blanks or more words."""
    places = [p for p in _places(site, "--") if site.text[p + 2 : p + 3] in (" ", "-", "\n")]
    if not places or not _concerns(site, places):
        return
    edits = []
    for offset in places:
        end = offset
        while site.text[end : end + 1] == "-":
            end += 1
        edits.append(Edit((offset, end), "//"))
    place = _nearest(site, places)
    yield Proposal("comment", (place, place + 2), "`--` begins no comment", "write `//`", tuple(edits))


def blocks(site: Site) -> Iterator[Proposal]:
    """`/* … */`, over several lines too: what stands behind it on its line stays code."""
    places = _places(site, "/*")
    if not places:
        return
    edits: list[Edit] = []
    for offset in paced(places):
        closing = site.text.find(_BLOCK_END, offset + 2)
        if closing < 0:
            break
        edits += _as_lines(site, offset, closing + 2)
    ordered = in_order(edits)
    if ordered:
        place = _nearest(site, places)
        yield Proposal("comment", (place, place + 2), "`/*` begins no comment", "write `//` on each line", ordered)


def _as_lines(site: Site, start: int, end: int) -> list[Edit]:
    text = site.text
    body = [line.strip() for line in text[start + 2 : end - 2].lstrip("*!").split("\n")]
    lines = [body[0], *(line.removeprefix("*").strip() for line in body[1:])]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    before = text[site.line_start(start) : start]
    line_end = site.line_end(end)
    after = text[end:line_end]
    written = [f"// {line}".rstrip() for line in lines] or ["//"]
    if not after.strip():
        return [Edit((start, line_end), ("\n" + site.indent(start)).join(written))]
    if not before.strip():
        blanks = len(after) - len(after.lstrip())
        return [Edit((start, end + blanks), ("\n" + before).join(written) + "\n" + before)]
    # In the middle of a line: the comment moves to the line's end.
    gone = end + 1 if before.endswith((" ", "(")) and after.startswith(" ") else end
    return [Edit((start, gone), ""), Edit((line_end, line_end), " " + " ".join(written))]


def _places(site: Site, mark: str) -> list[int]:
    """Offsets of a mark in code; the rest of its line is skipped."""
    found_at: list[int] = []
    position = open_until = 0
    is_closed = True
    while piece := _next_piece(site.text, position, open_until):
        position = piece.end()
        if piece[0].startswith('"') and not piece[1]:
            # A string that does not end on its line is none, nor does one begin behind it.
            position, open_until = piece.start() + 1, piece.end()
        elif piece[0] == "/*":
            # Behind a comment that does not end, none does.
            closing = site.text.find(_BLOCK_END, position) if is_closed else -1
            is_closed = closing >= 0
            position = closing + 2 if is_closed else position
        elif piece[0] == "#" or (piece[0] == "--" and mark == "--"):
            position = site.line_end(position)
        if piece[0] == mark:
            found_at.append(piece.start())
    return found_at


def _concerns(site: Site, places: list[int]) -> bool:
    """True if an error lies on the line of a place or right behind it, or is a string that an apostrophe or quote opened."""
    if site.lexical and any(e.cause is Cause.STRING for e in paced(site.tree.tokens.errors, 1_000)):
        return True
    return any(site.line_start(place) <= site.place <= site.line_end(site.next_line(place)) for place in places)


def _nearest(site: Site, places: list[int]) -> int:
    before = [place for place in places if place <= site.place]
    return before[-1] if before else places[0]


RULES: Final[tuple[Rule, ...]] = (fences, blocks, hashes, dashes)


def _next_piece(text: str, position: int, open_until: int) -> re.Match[str] | None:
    """The next piece of a text; strings do not count up to `open_until`."""
    piece = _PIECE_BUT_STRINGS.search(text, position, open_until) if position < open_until else None
    return piece or _PIECE.search(text, max(position, open_until))
