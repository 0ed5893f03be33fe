"""textDocument/completion and completionItem/resolve: what can be written at the cursor, and what it is for."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any, Final, NamedTuple

from lsprotocol import types

from analysis.database.caches import cached
from analysis.fixes.missing_imports import import_edit
from analysis.ide.completion import completions
from analysis.ide.completion_context import Wanted, word_end
from analysis.ide.item_documentation import item_documentation
from analysis.ide.name_meanings import Kind
from analysis.ide.offers import Completion
from analysis.inputs import FileId
from analysis.text.source import Source
from boruna_ls.lsp.raw import RawJson
from boruna_ls.lsp.session import Session
from boruna_ls.workspace import FileUnavailable

_MARKS: Final = {
    ".": frozenset((Wanted.FIELD, Wanted.CAPABILITY, Wanted.LIBRARY)),
    ":": frozenset((Wanted.VARIANT, Wanted.TYPE)),
    '"': frozenset((Wanted.LIBRARY, Wanted.EFFECT_KIND)),
}
"""The marks at which editors ask unasked, and for what that is of use. None of them is followed by Enter: editors select the
first entry of a list, so that Enter after `match x {` would write an unwanted arm."""
OPTIONS: Final = types.CompletionOptions(trigger_characters=list(_MARKS), resolve_provider=True)
MOST: Final = 200
"""Items of an answer; with more the editor asks again when more of the name is typed."""
_STOP: Final = re.compile(r"\$(?:\{\d+:([^}$]*+)\}|\d+)")
_ITEM: Final = "text_document.completion.completion_item"
_TYPED: Final = frozenset((Kind.LOCAL, Kind.FIELD, Kind.VARIANT))
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
    Kind.TOOL: types.CompletionItemKind.Function,
    Kind.SERVER: types.CompletionItemKind.Module,
    Kind.CAPABILITY: types.CompletionItemKind.Constant,
    Kind.KEYWORD: types.CompletionItemKind.Keyword,
}


def completion(session: Session, params: types.CompletionParams) -> RawJson | None:
    """The items that fit, the best first: a `CompletionList`, built as JSON since that takes a tenth of the time."""
    uri = params.text_document.uri
    text = session.text(file := session.file(uri))
    offset = session.offset(text, params.position)
    result = completions(session.db, file, offset)
    mark = params.context.trigger_character if params.context is not None else None
    if mark in _MARKS and result.wanted not in _MARKS[mark]:
        return None
    start, end = _position(session.position(text, result.span[0])), _position(params.position)
    place = {"range": {"start": start, "end": end}}
    if session.supports(f"{_ITEM}.insert_replace_support"):
        behind = _position(session.position(text, word_end(text.text, offset)))
        place = {"insert": place["range"], "replace": {"start": start, "end": behind}}
    frame = _Frame(
        json.dumps(place)[1:-1],
        json.dumps(uri),
        session.supports(f"{_ITEM}.snippet_support"),
        text.has_crlf,
        session.supports(f"{_ITEM}.label_details_support"),
    )
    shown = result.candidates[:MOST]
    imports = {library: _import(session, text, file, library) for library in {candidate.library for candidate in shown} - {""}}
    items = [frame.item(candidate, number, imports.get(candidate.library, "")) for number, candidate in enumerate(shown)]
    is_incomplete = "true" if len(result.candidates) > MOST else "false"
    return RawJson(f'{{"isIncomplete":{is_incomplete},"items":[{",".join(items)}]}}'.encode("ascii"))


def resolve(session: Session, item: types.CompletionItem) -> types.CompletionItem:
    """Adds the comments above the declaration."""
    data: Any = item.data
    if isinstance(data, dict) and isinstance(data.get("uri"), str) and isinstance(data.get("name"), str):
        with suppress(FileUnavailable):
            doc = item_documentation(session.db, session.file(data["uri"]), data["name"])
            item.documentation = types.MarkupContent(types.MarkupKind.Markdown, doc) if doc else None
    return item


def _position(position: types.Position) -> dict[str, int]:
    return {"line": position.line, "character": position.character}


def _import(session: Session, text: Source, file: FileId, library: str) -> str:
    """The edits that import a library, as JSON."""
    edit = session.text_edit(text, import_edit(session.db, file, library))
    span = {"start": _position(edit.range.start), "end": _position(edit.range.end)}
    return json.dumps([{"range": span, "newText": edit.new_text}])


class _Frame(NamedTuple):
    """Common part of all items of an answer; `place` (the ranges of an edit) and `uri` are JSON."""

    place: str
    uri: str
    is_snippet: bool
    has_crlf: bool
    has_details: bool

    def item(self, completion: Completion, number: int, more: str) -> str:
        """The JSON of an item; `more` are edits elsewhere."""
        head, insert, name = _parts(completion, self.is_snippet, self.has_crlf, self.has_details)
        edit = f'"textEdit":{{{self.place},"newText":{insert}}}'
        elsewhere = f',"additionalTextEdits":{more}' if more else ""
        data = f',"data":{{"uri":{self.uri},"name":{name}}}' if name else ""
        return f'{{{head},"sortText":"{number:04}",{edit}{elsewhere}{data}}}'


@cached(4096)
def _parts(completion: Completion, is_snippet: bool, has_crlf: bool, has_details: bool) -> tuple[str, str, str]:
    """Position-independent parts of an item as JSON: its head, its text, and its name if it has documentation."""
    insert = completion.insert if is_snippet else _STOP.sub(lambda match: match[1] or "", completion.insert)
    if has_crlf:
        insert = insert.replace("\n", "\r\n")
    label = json.dumps(completion.label)
    detail = f'{completion.detail} (import "{completion.library}")'.strip() if completion.library else completion.detail
    head = f'"label":{label},"kind":{_KINDS[completion.kind].value},"filterText":{label}'
    if has_details:
        head += _details(completion)
    if detail:
        head += f',"detail":{json.dumps(detail)}'
    if is_snippet and "$" in insert:
        head += f',"insertTextFormat":{types.InsertTextFormat.Snippet.value}'
    is_declared = completion.kind in (Kind.FUNCTION, Kind.BUILTIN, Kind.RECORD, Kind.ENUM) and not completion.library
    return head, json.dumps(insert), label if is_declared else ""


def _details(completion: Completion) -> str:
    """Label details, for lists that show them: the parameters, the type, the library."""
    is_called = completion.detail.startswith("(")
    beside = {"detail": completion.detail.partition(" -> ")[0]} if is_called else {}
    kind = completion.detail.partition(" -> ")[2] if is_called else completion.detail if completion.kind in _TYPED else ""
    description = f'import "{completion.library}"' if completion.library else kind
    details = beside | ({"description": description} if description else {})
    return f',"labelDetails":{json.dumps(details)}' if details else ""
