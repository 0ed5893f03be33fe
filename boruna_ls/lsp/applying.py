"""workspace/applyEdit: edits of agents reach a file that is open here as edits of the editor, which its user can undo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lsprotocol import types

from boruna_ls.lsp.session import Session
from boruna_ls.workspace.applying import FileChange

_LABEL: Final = "Changes of an agent"


async def apply_changes(session: Session, changes: Mapping[str, FileChange]) -> bool:
    """Sends changes of open documents, with the versions that they are for; False if the editor does not make them."""
    if not session.supports("workspace.apply_edit"):
        return False
    documents: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile] = []
    plain: dict[str, list[types.TextEdit]] = {}
    for path, change in changes.items():
        buffer = session.host.state.buffers.own(session.client, path)
        if buffer is None or buffer.source.text != change.before:
            return False
        edits = [session.text_edit(buffer.source, edit) for edit in change.edits]
        uri = session.uri(path)
        plain[uri] = edits
        documents.append(types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, buffer.version), list(edits)))
    has_versions = session.supports("workspace.workspace_edit.document_changes")
    edit = types.WorkspaceEdit(document_changes=documents) if has_versions else types.WorkspaceEdit(plain)
    return await session.connection.apply(types.ApplyWorkspaceEditParams(edit, label=_LABEL))
