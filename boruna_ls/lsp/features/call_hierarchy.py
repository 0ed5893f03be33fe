"""textDocument/prepareCallHierarchy, callHierarchy/incomingCalls and outgoingCalls: callers and callees of a function.

An item names the place of a function's name; what it says of the function is looked up again, so nothing of it goes stale.
"""

from __future__ import annotations

from lsprotocol import types

from analysis.ide.call_hierarchy import Callable, callees, callers, function_at
from boruna_ls.lsp.session import Session


def prepare(session: Session, params: types.CallHierarchyPrepareParams) -> list[types.CallHierarchyItem] | None:
    """The function at the cursor."""
    file = session.file(params.text_document.uri)
    function = function_at(session.db, file, session.offset(session.text(file), params.position))
    return [_item(session, function)] if function is not None else None


def incoming(session: Session, params: types.CallHierarchyIncomingCallsParams) -> list[types.CallHierarchyIncomingCall] | None:
    """The callers in the whole workspace, each with the places of its calls."""
    function = _function(session, params.item)
    if function is None:
        return None
    calls = callers(session.db, function, session.others(function.place.file))
    return [
        types.CallHierarchyIncomingCall(
            _item(session, each.function),
            [session.range(session.text(each.function.place.file), span) for span in each.spans],
        )
        for each in calls
    ]


def outgoing(session: Session, params: types.CallHierarchyOutgoingCallsParams) -> list[types.CallHierarchyOutgoingCall] | None:
    """The functions that are called, each with the places of the calls."""
    function = _function(session, params.item)
    if function is None:
        return None
    text = session.text(function.place.file)
    return [
        types.CallHierarchyOutgoingCall(_item(session, each.function), [session.range(text, span) for span in each.spans])
        for each in callees(session.db, function)
    ]


def _function(session: Session, item: types.CallHierarchyItem) -> Callable | None:
    file = session.file(item.uri)
    return function_at(session.db, file, session.offset(session.text(file), item.selection_range.start))


def _item(session: Session, function: Callable) -> types.CallHierarchyItem:
    text = session.text(function.place.file)
    return types.CallHierarchyItem(
        name=function.name,
        kind=types.SymbolKind.Function,
        uri=session.uri(function.place.file.path),
        range=session.range(text, function.place.span),
        selection_range=session.range(text, function.place.name_span),
        detail=function.detail,
    )
