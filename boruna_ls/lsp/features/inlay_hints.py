"""textDocument/inlayHint: types of variables, the parameters that literals are given to, capabilities that are not declared."""

from __future__ import annotations

from typing import Final

from lsprotocol import types

from analysis.ide.inlay_hints import Hint, HintKind
from analysis.ide.inlay_hints import inlay_hints as find
from analysis.text.source import Source
from boruna_ls.lsp.session import Session

_KINDS: Final = {HintKind.TYPE: types.InlayHintKind.Type, HintKind.PARAMETER: types.InlayHintKind.Parameter}


def inlay_hints(session: Session, params: types.InlayHintParams) -> list[types.InlayHint]:
    """The hints of a range; a type or a capability that could be written there comes with that edit."""
    text = session.text(file := session.file(params.text_document.uri))
    return [_hint(session, text, hint) for hint in find(session.db, file, session.span(text, params.range))]


def _hint(session: Session, text: Source, hint: Hint) -> types.InlayHint:
    position = session.position(text, hint.offset)
    edits = [types.TextEdit(types.Range(position, position), hint.text)] if hint.insert else None
    is_name = hint.kind is HintKind.PARAMETER
    return types.InlayHint(position, hint.text, _KINDS.get(hint.kind), edits, padding_right=True if is_name else None)
