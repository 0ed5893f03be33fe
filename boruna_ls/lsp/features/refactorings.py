"""Refactorings as code actions: the list is cheap, the edit is worked out and tried when its user has chosen one.

What does not apply is listed as disabled, with the reason, to editors that show it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from analysis.ide.refactor.change import Change, Refusal, tried
from analysis.ide.refactor.move_item import move_item, targets
from analysis.ide.refactor.table import REFACTORINGS, offered, performed
from analysis.inputs import FileId
from analysis.text.edits import Span
from boruna_ls.lsp.session import Session

MOVE: Final = "refactor.move"
KINDS: Final = (
    types.CodeActionKind.RefactorExtract,
    types.CodeActionKind.RefactorInline,
    types.CodeActionKind.RefactorRewrite,
    types.CodeActionKind.RefactorMove,
)
_MOST_LIBRARIES: Final = 10


def refactorings(
    session: Session, file: FileId, uri: str, span: Span, wanted: Callable[[str], bool]
) -> Iterator[types.CodeAction]:
    """The refactorings of a selection."""
    shows_refusals = session.supports("text_document.code_action.disabled_support")
    for offer in offered(session.db, file, span, wanted):
        about = offer.refactoring
        action = types.CodeAction(about.title, kind=about.kind)
        if offer.refusal is not None:
            if shows_refusals:
                action.disabled = types.CodeActionDisabled(offer.refusal.reason)
                yield action
            continue
        yield _with_edit(session, action, {"refactoring": about.name}, file, uri, span)
    if wanted(MOVE):
        for library in targets(session.db, file)[:_MOST_LIBRARIES]:
            change = move_item(session.db, file, span[0], library)
            if isinstance(change, Change):
                action = types.CodeAction(f"Move to the library '{library}'", kind=MOVE)
                yield _with_edit(session, action, {"library": library}, file, uri, span)


def _with_edit(
    session: Session, action: types.CodeAction, data: dict[str, Any], file: FileId, uri: str, span: Span
) -> types.CodeAction:
    """The action with what resolves it, or with its edit for editors that resolve nothing."""
    data |= {"uri": uri, "version": session.version(uri), "start": span[0], "end": span[1]}
    if session.can_resolve_edits():
        action.data = data
        return action
    change = _change(session, file, data)
    if isinstance(change, Refusal):
        action.disabled = types.CodeActionDisabled(change.reason)
    else:
        action.edit = session.workspace_edit(change.edits)
    return action


def resolve_refactoring(session: Session, action: types.CodeAction, data: dict[str, Any]) -> types.CodeAction:
    """The action with its edit; an error with the reason where the trial refuses it."""
    change = _change(session, session.file(data["uri"]), data)
    if isinstance(change, Refusal):
        raise JsonRpcException(f"{action.title}: {change.reason}", types.LSPErrorCodes.RequestFailed.value)
    action.edit = session.workspace_edit(change.edits)
    return action


def _change(session: Session, file: FileId, data: dict[str, Any]) -> Change | Refusal:
    span = data.get("start"), data.get("end")
    start, end = span
    if not isinstance(start, int) or not isinstance(end, int):
        raise JsonRpcInvalidParams("this code action has nothing to resolve")
    name, library = data.get("refactoring"), data.get("library")
    if isinstance(library, str):
        others = list(session.others(file))
        change = move_item(session.db, file, start, library)
        if change is None:
            return Refusal("no item is named there")
        return tried(session.db, change, others) if isinstance(change, Change) else change
    if name not in REFACTORINGS:
        raise JsonRpcInvalidParams("this code action has nothing to resolve")
    return performed(session.db, file, (start, end), name, lambda: session.others(file))
