"""textDocument/completion and completionItem/resolve: what can be written at the cursor, and what it is for."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, Final

from lsprotocol import types

from analysis.diagnostics.diagnostic import Edit
from analysis.ide.completion import Completion, completions
from analysis.ide.completion_context import Wanted
from analysis.ide.import_edits import import_edit
from analysis.ide.item_documentation import item_documentation
from analysis.ide.names import Kind
from analysis.inputs import FileId
from analysis.text import Source
from boruna_ls.lsp.session import Session
from boruna_ls.workspace import FileUnavailable

_MARKS: Final = {
    ".": frozenset((Wanted.FIELD, Wanted.CAPABILITY, Wanted.LIBRARY)),
    ":": frozenset((Wanted.VARIANT, Wanted.TYPE)),
    '"': frozenset((Wanted.LIBRARY,)),
    "{": frozenset((Wanted.LITERAL_FIELD, Wanted.PATTERN, Wanted.CAPABILITY)),
}
"""The marks at which editors ask unasked, and for what that is of use: nobody wants a list at the brace of every block."""
OPTIONS: Final = types.CompletionOptions(trigger_characters=list(_MARKS), resolve_provider=True)
MOST: Final = 200
"""Items of an answer; with more the editor asks again when more of the name is typed."""
_STOP: Final = re.compile(r"\$(?:\{\d+:([^}$]*+)\}|\d+)")
_KINDS: Final = {
    Kind.FUNCTION: types.CompletionItemKind.Function,
    Kind.BUILTIN: types.CompletionItemKind.Function,
    Kind.RECORD: types.CompletionItemKind.Struct,
    Kind.ENUM: types.CompletionItemKind.Enum,
    Kind.BUILTIN_TYPE: types.CompletionItemKind.Class,
    Kind.VARIANT: types.CompletionItemKind.EnumMember,
    Kind.FIELD: types.CompletionItemKind.Field,
    Kind.LOCAL: types.CompletionItemKind.Variable,
    Kind.LIBRARY: types.CompletionItemKind.Module,
    Kind.CAPABILITY: types.CompletionItemKind.Constant,
    Kind.KEYWORD: types.CompletionItemKind.Keyword,
}


def completion(session: Session, params: types.CompletionParams) -> types.CompletionList | None:
    """The items that fit, the best first."""
    uri = params.text_document.uri
    text = session.text(file := session.file(uri))
    offset = session.offset(text, params.position)
    made = completions(session.db, file, offset)
    mark = params.context.trigger_character if params.context is not None else None
    if mark in _MARKS and made.wanted not in _MARKS[mark]:
        return None
    place = types.Range(session.position(text, made.span[0]), params.position)
    items = [_item(session, text, file, uri, one, place, number) for number, one in enumerate(made.found[:MOST])]
    return types.CompletionList(is_incomplete=len(made.found) > MOST, items=items)


def resolve(session: Session, item: types.CompletionItem) -> types.CompletionItem:
    """Adds the comments above the declaration."""
    data: Any = item.data
    if isinstance(data, dict) and isinstance(data.get("uri"), str) and isinstance(data.get("name"), str):
        with suppress(FileUnavailable):
            doc = item_documentation(session.db, session.file(data["uri"]), data["name"])
            item.documentation = types.MarkupContent(types.MarkupKind.Markdown, doc) if doc else None
    return item


def _item(
    session: Session, text: Source, file: FileId, uri: str, one: Completion, place: types.Range, number: int
) -> types.CompletionItem:
    is_snippet = session.supports("text_document.completion.completion_item.snippet_support")
    insert = one.insert if is_snippet else _STOP.sub(lambda found: found[1] or "", one.insert)
    more: list[types.TextEdit] = []
    if one.library:
        more = [session.text_edit(text, import_edit(session.db, file, one.library))]
    insert = session.text_edit(text, Edit((0, 0), insert)).new_text
    is_declared = one.kind in (Kind.FUNCTION, Kind.BUILTIN, Kind.RECORD, Kind.ENUM) and not one.library
    return types.CompletionItem(
        label=one.label,
        kind=_KINDS[one.kind],
        detail=f'{one.detail} (import "{one.library}")'.strip() if one.library else one.detail or None,
        sort_text=f"{number:04}",
        filter_text=one.label,
        insert_text_format=types.InsertTextFormat.Snippet if is_snippet and "$" in insert else None,
        text_edit=types.TextEdit(place, insert),
        additional_text_edits=more or None,
        data={"uri": uri, "name": one.label} if is_declared else None,
    )
