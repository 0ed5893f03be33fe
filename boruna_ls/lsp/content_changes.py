"""The changes of `textDocument/didChange`, as parsed JSON, applied to a text. No library of the protocol is loaded."""

from __future__ import annotations

from typing import Any, Final

from analysis.text.source import Encoding, Source

_FARTHEST: Final = 2**31 - 1
"""Lines and characters; what is beyond lies outside of any text."""


def changed(text: Source, change: dict[str, Any], encoding: Encoding) -> tuple[Source, int]:
    """The text after a change, and where what is new ends; -1 if the whole text was replaced.

    Raises KeyError, TypeError or AttributeError for what is no change.
    """
    new, place = change["text"], change.get("range")
    if not isinstance(new, str):
        raise TypeError("the text of a change is a string")
    if place is None:
        return text.replaced_by(new), -1
    start, end = (_clamped(text, place[name], encoding) for name in ("start", "end"))
    start, end = min(start, end), max(start, end)
    return text.edited(start, end, new), start + len(new)


def _clamped(text: Source, position: dict[str, Any], encoding: Encoding) -> int:
    """The offset of a position of any kind: what lies outside the text means the text's nearest end."""
    line, character = position["line"], position["character"]
    if not (isinstance(line, int) and isinstance(character, int)):
        raise TypeError("lines and characters are whole numbers")
    if line < 0:
        return 0
    return text.lsp_offset(min(line, _FARTHEST), min(max(character, 0), _FARTHEST), encoding)
