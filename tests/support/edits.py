"""Applies edits to a text, as an editor would."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.text.edits import Edit


def applied(text: str, edits: Iterable[Edit]) -> str:
    """The text after edits whose spans all count in the text before; they must be in order and not overlap."""
    pieces: list[str] = []
    position = 0
    for edit in edits:
        start, end = edit.span
        assert position <= start <= end <= len(text), "edits overlap or lie outside of the text"
        pieces += (text[position:start], edit.new_text)
        position = end
    return "".join((*pieces, text[position:]))
