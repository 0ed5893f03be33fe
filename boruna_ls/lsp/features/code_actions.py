"""textDocument/codeAction and codeAction/resolve: quick fixes from the repair patches, imports, "fix all", refactorings.

A quick fix was tried before it is offered. "Fix all" is the repair of the whole file; since that takes a while, it
is computed when the editor asks for this kind, or when its user has chosen it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcInvalidParams

from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.documents.file_diagnostics import file_diagnostics
from analysis.fixes.applying import invented
from analysis.ide.import_edits import unused_imports
from analysis.inputs import FileId
from analysis.text.edits import Confidence, Fix, Span
from analysis.text.source import Source
from boruna_ls.lsp.features.formatting import line_edits
from boruna_ls.lsp.features.refactorings import KINDS, refactorings, resolve_refactoring
from boruna_ls.lsp.session import Session

FIX_ALL: Final = "source.fixAll.boruna"
ORGANISE: Final = types.CodeActionKind.SourceOrganizeImports
OPTIONS: Final = types.CodeActionOptions([types.CodeActionKind.QuickFix, FIX_ALL, ORGANISE, *KINDS], resolve_provider=True)
_TITLE: Final = "Fix all problems that boruna can fix"
MOST_DIAGNOSTICS: Final = 20
"""Maximum number of diagnostics of a large selection whose fixes are tried."""


def code_actions(session: Session, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Quick fixes of the diagnostics that the range touches, the likeliest marked as preferred; then "fix all"."""
    file = session.file(params.text_document.uri)
    only = params.context.only
    actions: list[types.CodeAction] = []
    if _should_yield(types.CodeActionKind.QuickFix, only):
        actions += _quick_fixes(session, file, params)
    if _should_yield(FIX_ALL, only):
        actions += _fix_all(session, file, params.text_document.uri, is_asked_for=only is not None)
    if _should_yield(ORGANISE, only) and (edits := unused_imports(session.db, file)):
        edit = session.workspace_edit({file: edits})
        actions.append(types.CodeAction("Remove imports that are not used", kind=ORGANISE, edit=edit))
    span = session.span(session.text(file), params.range)
    actions += refactorings(session, file, params.text_document.uri, span, partial(_should_yield, only=only))
    return actions


def of_document(session: Session, params: types.CodeActionParams) -> list[types.CodeAction]:
    """The fixes of the diagnostics of a document other than a program. They replace names: there is nothing to try."""
    file = session.file(params.text_document.uri)
    text = session.text(file)
    if not _should_yield(types.CodeActionKind.QuickFix, params.context.only):
        return []
    start, end = session.span(text, params.range)
    actions: list[types.CodeAction] = []
    for _, diagnostic in file_diagnostics(session.db, file).entries:
        if diagnostic.span[0] <= end and diagnostic.span[1] >= start:
            place = session.range(text, diagnostic.span)
            shown = [each for each in params.context.diagnostics if each.range == place and each.code == diagnostic.code]
            for fix in diagnostic.fixes[:1] if len(actions) < MOST_DIAGNOSTICS else ():
                edit = session.workspace_edit({file: fix.edits})
                kind = types.CodeActionKind.QuickFix
                title = fix.description
                actions.append(types.CodeAction(title, kind=kind, diagnostics=shown or None, is_preferred=True, edit=edit))
    return actions


def resolve(session: Session, action: types.CodeAction) -> types.CodeAction:
    """Fills in the edit of "fix all". An action that has its edit is complete: some editors ask all the same."""
    if action.edit is not None:
        return action
    data = action.data
    if not isinstance(data, dict) or not isinstance(data.get("uri"), str):
        raise JsonRpcInvalidParams("this code action has nothing to resolve")
    if session.version(data["uri"]) != data.get("version"):
        raise JsonRpcContentModified("the document was changed meanwhile")
    if "start" in data:
        return resolve_refactoring(session, action, data)
    action.edit = _repaired(session, session.file(data["uri"]))
    return action


def _should_yield(kind: str, only: Sequence[str] | None) -> bool:
    """Kinds are trees: a request for `source` includes `source.fixAll.boruna`."""
    return only is None or any(kind == requested or kind.startswith(f"{requested}.") or not requested for requested in only)


def _quick_fixes(session: Session, file: FileId, params: types.CodeActionParams) -> Iterator[types.CodeAction]:
    # The engine of fixes takes as long to import as all features together, and the first diagnostics need none.
    session.db.before_import("analysis.fixes.repair")
    from analysis.fixes.repair import fixes_for

    text = session.text(file)
    for chunk, diagnostic in _touched(session, file, text, session.span(text, params.range)):
        base = text.offsets[chunk]
        seen = diagnostic.for_people() or diagnostic
        place = session.range(text, (seen.span[0] + base, seen.span[1] + base))
        shown = [each for each in params.context.diagnostics if each.range == place and each.code == diagnostic.code]
        fixes = fixes_for(session.db, file, chunk, diagnostic)
        for number, fix in enumerate(fixes):
            yield types.CodeAction(
                title=fix.title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=shown or None,
                is_preferred=True if number == 0 and _is_sure(fix, fixes) else None,
                edit=session.workspace_edit({file: fix.edits}),
                data=_placeholder(session, text, fix),
            )


def _placeholder(session: Session, text: Source, fix: Fix) -> dict[str, Any] | None:
    """Where a value must be filled in once the fix is applied; None if it invents none."""
    invention = invented(text, fix)
    return (
        None
        if invention is None
        else {"placeholder": {"range": session.range(invention.after, invention.span), "text": invention.text}}
    )


def _is_sure(fix: Fix, fixes: Sequence[Fix]) -> bool:
    return not fix.is_placeholder and (fix.confidence is Confidence.HIGH or len(fixes) == 1)


def _touched(session: Session, file: FileId, text: Source, span: Span) -> list[tuple[int, Diagnostic]]:
    """The diagnostics that a range touches, with the chunks they are in."""
    # What is missing at an item's end is recorded at the start of the next one.
    first, last = text.chunk_at(span[0]), text.chunk_at(span[1]) + 1
    touched = []
    for chunk, diagnostic in check_file(session.db, file).entries:
        if first <= chunk <= last:
            base = text.offsets[chunk]
            shown = diagnostic.for_people()
            if shown is not None and shown.span[0] + base <= span[1] and shown.span[1] + base >= span[0]:
                touched.append((chunk, diagnostic))
    return touched[:MOST_DIAGNOSTICS]


def _fix_all(session: Session, file: FileId, uri: str, is_asked_for: bool) -> Iterator[types.CodeAction]:
    if not any(diagnostic.fixes or diagnostic.error for _, diagnostic in check_file(session.db, file).entries):
        return
    data: dict[str, Any] = {"uri": uri, "version": session.version(uri)}
    if session.can_resolve_edits():
        yield types.CodeAction(_TITLE, kind=FIX_ALL, data=data)
    elif is_asked_for:
        yield types.CodeAction(_TITLE, kind=FIX_ALL, edit=_repaired(session, file))


def _repaired(session: Session, file: FileId) -> types.WorkspaceEdit:
    session.db.before_import("analysis.fixes.repair")
    from analysis.fixes.repair import repair_file

    outcome = repair_file(session.db, file, "best")
    return session.workspace_edit({file: tuple(line_edits(session.text(file).text, outcome.text))})
