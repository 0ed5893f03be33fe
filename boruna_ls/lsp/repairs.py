"""`boruna.applyRepair`: repairs a document as an edit of the editor, which its user can undo.

The second argument may be the id of a patch, as the data of a diagnostic names it; without it the whole document is repaired.
"""

from __future__ import annotations

from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcInvalidParams

from boruna_ls.answers.repair import repair_answer
from boruna_ls.lsp.features.formatting import line_edits
from boruna_ls.lsp.program_runs import source_uri
from boruna_ls.lsp.session import Session
from boruna_ls.workspace import Host

_LABEL: Final = "Repair"
_LONGEST: Final = 200


async def execute(session: Session, params: types.ExecuteCommandParams) -> dict[str, Any]:
    """The answer of `boruna_repair` without the text, and whether the editor made the edit (`edited`)."""
    uri, patch = source_uri(params), (params.arguments or [])[1:2]
    patch_id = patch[0] if patch else None
    if patch_id is not None and not (isinstance(patch_id, str) and len(patch_id) <= _LONGEST):
        raise JsonRpcInvalidParams("the second argument of boruna.applyRepair is the id of a patch")
    if not session.supports("workspace.apply_edit"):
        raise JsonRpcInvalidParams("this editor does not support `workspace/applyEdit`: use a quick fix instead")
    version = session.version(uri)
    if version is None:
        raise JsonRpcInvalidParams(f"{uri} is not open")

    def repaired(host: Host) -> tuple[dict[str, Any], types.WorkspaceEdit]:
        seen = session.at(host)
        file = seen.file(uri)
        answer = repair_answer(seen.db, file, None, patch_id)
        return answer, seen.workspace_edit({file: line_edits(seen.text(file).text, answer.pop("repaired_source"))})

    answer, edit = await session.computed(repaired)
    if session.version(uri) != version:
        raise JsonRpcContentModified("the document was changed meanwhile")
    edited = answer["patches_applied"] > 0 and await session.connection.apply(types.ApplyWorkspaceEditParams(edit, label=_LABEL))
    return answer | {"edited": edited}
