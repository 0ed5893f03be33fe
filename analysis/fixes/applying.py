"""Texts after edits, and the place of what a fix invented there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from analysis.text.edits import Edit, Fix, Span, moved
from analysis.text.source import Source

_AROUND: Final = " \t\r\n,"
"""What may stand around an invented value in the text that brings it."""


class Invented(NamedTuple):
    """What a fix wrote that a person must replace: the text after the fix, and the place in it."""

    after: Source
    span: Span

    @property
    def text(self) -> str:
        return self.after.text[slice(*self.span)]


def invented(text: Source, fix: Fix) -> Invented | None:
    """What a placeholder wrote: of several edits the longest. None for a fix that invents nothing."""
    if not fix.is_placeholder:
        return None
    after, longest = edited(text, fix.edits), longest_edit(fix)
    new = _with_ends_of(text, longest.new_text)
    before = [Edit(edit.span, _with_ends_of(text, edit.new_text)) for edit in fix.edits if edit.span < longest.span]
    start = moved(longest.span[0], before) + len(new) - len(new.lstrip(_AROUND))
    return Invented(after, (start, start + len(new.strip(_AROUND))))


def longest_edit(fix: Fix) -> Edit:
    """The edit that writes most."""
    return max(fix.edits, key=lambda edit: len(edit.new_text))


def edited(text: Source, edits: Iterable[Edit]) -> Source:
    """A source with edits applied; new line ends are those that the file has. Raises ValueError for edits that overlap."""
    ordered = sorted(edits, key=lambda edit: edit.span)
    pieces: list[str] = []
    position = 0
    for edit in ordered:
        if edit.span[0] < position:
            raise ValueError("the edits of a patch overlap")
        pieces += (text.text[position : edit.span[0]], _with_ends_of(text, edit.new_text))
        position = edit.span[1]
    if not ordered:
        return text
    # Scanned again once, from the first change to the last, however many there are.
    start, end = ordered[0].span[0], position
    return text.edited(start, end, "".join(pieces)[start:])


def _with_ends_of(text: Source, new: str) -> str:
    return new.replace("\r\n", "\n").replace("\n", "\r\n") if text.has_crlf else new
