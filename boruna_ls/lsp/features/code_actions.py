"""textDocument/codeAction and codeAction/resolve: quick fixes from the repair patches, imports, and "fix all".

A quick fix was tried before it is offered. "Fix all" is the repair of the whole file; since that takes a while, it
is computed when the editor asks for this kind, or when its user has chosen it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcInvalidParams

from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Confidence, Finding, Patch, Span
from analysis.fixes.engine import fixes_for, repair_file
from analysis.ide.import_edits import import_fixes, unused_imports
from analysis.inputs import FileId
from analysis.text import Source
from boruna_ls.lsp.features.formatting import line_edits
from boruna_ls.lsp.session import Session

FIX_ALL: Final = "source.fixAll.boruna"
ORGANISE: Final = types.CodeActionKind.SourceOrganizeImports
OPTIONS: Final = types.CodeActionOptions([types.CodeActionKind.QuickFix, FIX_ALL, ORGANISE], resolve_provider=True)
_TITLE: Final = "Fix all problems that boruna can fix"
MOST_FINDINGS: Final = 20
"""Of a large selection, the fixes of so many findings are tried."""


def code_actions(session: Session, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Quick fixes of the findings that the range touches, the likeliest marked as preferred; then "fix all"."""
    file = session.file(params.text_document.uri)
    only = params.context.only
    actions: list[types.CodeAction] = []
    if _is_wanted(types.CodeActionKind.QuickFix, only):
        actions += _quick_fixes(session, file, params)
    if _is_wanted(FIX_ALL, only):
        actions += _fix_all(session, file, params.text_document.uri, is_asked_for=only is not None)
    if _is_wanted(ORGANISE, only) and (edits := unused_imports(session.db, file)):
        edit = session.workspace_edit({file: edits})
        actions.append(types.CodeAction("Remove imports that are not used", kind=ORGANISE, edit=edit))
    return actions


def resolve(session: Session, action: types.CodeAction) -> types.CodeAction:
    """Fills in the edit of "fix all"."""
    data = action.data
    if not isinstance(data, dict) or not isinstance(data.get("uri"), str):
        raise JsonRpcInvalidParams("this code action has nothing to resolve")
    if session.version(data["uri"]) != data.get("version"):
        raise JsonRpcContentModified("the document was changed meanwhile")
    action.edit = _repaired(session, session.file(data["uri"]))
    return action


def _is_wanted(kind: str, only: Sequence[str] | None) -> bool:
    """Kinds are trees: who asks for `source` wants `source.fixAll.boruna`, too."""
    return only is None or any(kind == wanted or kind.startswith(f"{wanted}.") or not wanted for wanted in only)


def _quick_fixes(session: Session, file: FileId, params: types.CodeActionParams) -> Iterator[types.CodeAction]:
    text = session.text(file)
    for chunk, finding in _touched(session, file, text, session.span(text, params.range)):
        base = text.offsets[chunk]
        place = session.range(text, (finding.span[0] + base, finding.span[1] + base))
        shown = [each for each in params.context.diagnostics if each.range == place and each.code == finding.code]
        patches = (*fixes_for(session.db, file, chunk, finding), *import_fixes(session.db, file, finding))
        for number, patch in enumerate(patches):
            yield types.CodeAction(
                title=patch.description,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=shown or None,
                is_preferred=True if number == 0 and _is_sure(patch, patches) else None,
                edit=session.workspace_edit({file: patch.edits}),
            )


def _is_sure(patch: Patch, patches: Sequence[Patch]) -> bool:
    return patch.confidence is Confidence.HIGH or len(patches) == 1


def _touched(session: Session, file: FileId, text: Source, span: Span) -> list[tuple[int, Finding]]:
    """The findings that a range touches, with the chunks they are in."""
    first, last = text.chunk_at(span[0]), text.chunk_at(span[1])
    found = []
    for chunk, finding in check_file(session.db, file).entries:
        if first <= chunk <= last:
            base = text.offsets[chunk]
            if finding.span[0] + base <= span[1] and finding.span[1] + base >= span[0]:
                found.append((chunk, finding))
    return found[:MOST_FINDINGS]


def _fix_all(session: Session, file: FileId, uri: str, is_asked_for: bool) -> Iterator[types.CodeAction]:
    if not any(finding.patches or finding.error for _, finding in check_file(session.db, file).entries):
        return
    data: dict[str, Any] = {"uri": uri, "version": session.version(uri)}
    if session.can_resolve_edits():
        yield types.CodeAction(_TITLE, kind=FIX_ALL, data=data)
    elif is_asked_for:
        yield types.CodeAction(_TITLE, kind=FIX_ALL, edit=_repaired(session, file))


def _repaired(session: Session, file: FileId) -> types.WorkspaceEdit:
    outcome = repair_file(session.db, file, "best")
    return session.workspace_edit({file: tuple(line_edits(session.text(file).text, outcome.text))})
