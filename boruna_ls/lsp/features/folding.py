"""textDocument/foldingRange: items, blocks, matches, runs of comments and of imports."""

from __future__ import annotations

from typing import Final

from lsprotocol import types

from analysis.ide.folding import Fold, FoldKind, folding_ranges
from analysis.text.source import Source
from boruna_ls.lsp.session import Session

_KINDS: Final = {
    FoldKind.CODE: None,
    FoldKind.COMMENT: types.FoldingRangeKind.Comment,
    FoldKind.IMPORTS: types.FoldingRangeKind.Imports,
}


def folding(session: Session, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    """The ranges; between brackets, both brackets stay in sight."""
    text = session.text(file := session.file(params.text_document.uri))
    is_by_line = session.supports("text_document.folding_range.line_folding_only")
    ranges = (_range(session, text, fold, is_by_line) for fold in folding_ranges(session.db, file))
    return [folded for folded in ranges if folded.end_line > folded.start_line]


def _range(session: Session, text: Source, fold: Fold, is_by_line: bool) -> types.FoldingRange:
    kind = _KINDS[fold.kind]
    inset = 1 if fold.kind is FoldKind.CODE else 0
    start = session.position(text, fold.span[0] + inset)
    end = session.position(text, fold.span[1] - inset)
    if is_by_line:
        # The line of the closing bracket is not folded away with the rest.
        return types.FoldingRange(start.line, end.line - inset, kind=kind)
    return types.FoldingRange(start.line, end.line, start.character, end.character, kind)
