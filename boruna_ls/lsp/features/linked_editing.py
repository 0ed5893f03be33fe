"""textDocument/linkedEditingRange: a local name is changed at all its places while it is typed at one."""

from __future__ import annotations

from lsprotocol import types

from analysis.ide.linked_names import linked_names
from boruna_ls.lsp.session import Session


def linked_editing(session: Session, params: types.LinkedEditingRangeParams) -> types.LinkedEditingRanges | None:
    """The places of the parameter or variable at the cursor."""
    file = session.file(params.text_document.uri)
    text = session.text(file)
    spans = linked_names(session.db, file, session.offset(text, params.position))
    ranges = [session.range(text, span) for span in spans]
    return types.LinkedEditingRanges(ranges, "[A-Za-z_][A-Za-z0-9_]*") if ranges else None
