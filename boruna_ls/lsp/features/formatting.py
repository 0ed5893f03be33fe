"""textDocument/formatting, rangeFormatting and onTypeFormatting: the canonical layout, as the smallest edits that lead to it.

The language has one layout, so an editor's options are not looked at. A text with errors stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from lsprotocol import types

from analysis.database import paced
from analysis.formatting.formatter import Formatted, format_source
from analysis.ide.bracket_pairs import opening_of
from analysis.text.diff import line_changes, lines_with_ends
from analysis.text.edits import Edit
from analysis.text.source import Source
from boruna_ls.lsp.session import Session

BRACE: Final = "}"
ON_TYPE: Final = types.DocumentOnTypeFormattingOptions(BRACE)


def formatting(session: Session, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    """Edits for the whole text, none if it has its layout already."""
    text = session.text(session.file(params.text_document.uri))
    return [session.text_edit(text, edit) for edit in paced(_edits(session, text))]


def range_formatting(session: Session, params: types.DocumentRangeFormattingParams) -> list[types.TextEdit]:
    """Formatting edits that touch the range."""
    text = session.text(session.file(params.text_document.uri))
    start, end = session.span(text, params.range)
    edits = (edit for edit in _edits(session, text) if edit.span[0] <= end and edit.span[1] >= start)
    return [session.text_edit(text, edit) for edit in edits]


def on_type_formatting(session: Session, params: types.DocumentOnTypeFormattingParams) -> list[types.TextEdit]:
    """Formatting edits within the lines of the block that the brace before the cursor closes."""
    text = session.text(session.file(params.text_document.uri))
    end = session.offset(text, params.position)
    start = opening_of(session.db, text, end) if text.text[end - 1 : end] == BRACE else None
    if start is None:
        return []
    first = text.text.rfind("\n", 0, start) + 1
    last = text.text.find("\n", end)
    last = len(text.text) if last < 0 else last + 1
    edits = (edit for edit in _edits(session, text) if first <= edit.span[0] and edit.span[1] <= last)
    return [session.text_edit(text, edit) for edit in edits]


def _edits(session: Session, text: Source) -> list[Edit]:
    formatted = format_source(session.db, text)
    if not isinstance(formatted, Formatted) or formatted.text == text.text:
        return []
    return list(line_edits(text.text, formatted.text))


def line_edits(old: str, new: str) -> Iterator[Edit]:
    """Edits of whole lines that turn one text into another."""
    before, after = lines_with_ends(old), lines_with_ends(new)
    starts = [0, *accumulate(map(len, before))]
    for start, end, new_start, new_end in paced(line_changes(before, after)):
        if end - start == new_end - new_start:
            yield from _line_by_line(before[start:end], after[new_start:new_end], starts[start])
        else:
            yield Edit((starts[start], starts[end]), "".join(after[new_start:new_end]))


def _line_by_line(before: list[str], after: list[str], start: int) -> Iterator[Edit]:
    """Edits of as many lines as there were; an editor keeps marks and folds of those that stay."""
    for old, new in zip(before, after, strict=True):
        if old != new:
            yield Edit((start, start + len(old)), new)
        start += len(old)
