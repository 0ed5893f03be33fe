"""textDocument/prepareRename and textDocument/rename: a new name for what stands at the cursor, in every file that
uses it.
"""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from analysis.ide.rename import Refusal
from analysis.ide.rename import prepare_rename as prepare_at
from analysis.ide.rename import rename as rename_at
from boruna_ls.lsp.session import Session


def prepare_rename(session: Session, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder:
    """The range and the present name; refused with a reason where nothing can be renamed."""
    file = session.file(params.text_document.uri)
    text = session.text(file)
    prepared = prepare_at(session.db, file, session.offset(text, params.position))
    if isinstance(prepared, Refusal):
        raise _refused(prepared)
    return types.PrepareRenamePlaceholder(session.range(text, prepared.span), prepared.placeholder)


def rename(session: Session, params: types.RenameParams) -> types.WorkspaceEdit:
    """The edits of all files; refused with a reason if the new name does not fit."""
    file = session.file(params.text_document.uri)
    offset = session.offset(session.text(file), params.position)
    renamed = rename_at(session.db, file, offset, params.new_name, session.others(file))
    if isinstance(renamed, Refusal):
        raise _refused(renamed)
    return session.workspace_edit({each.file: each.edits for each in renamed})


def _refused(refusal: Refusal) -> JsonRpcException:
    return JsonRpcException(refusal.reason, types.LSPErrorCodes.RequestFailed.value)
