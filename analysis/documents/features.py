"""Editor features for documents of every kind: plain data, spans absolute. A kind's own parts are in its `DocumentKind`."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from analysis.config.schema import Field, Flag, Kind, ListOf, MapOf, Table, Text, Whole
from analysis.database import Database
from analysis.documents.completions import Around, Link, Offer, Offers, Slot
from analysis.documents.json_slots import json_slot
from analysis.documents.kind import DocumentKind
from analysis.documents.kinds import kind_of
from analysis.documents.opened import Opened, opened
from analysis.documents.parsed import Path
from analysis.documents.toml_slots import toml_slot
from analysis.ide.hover import Hover
from analysis.ide.markdown import prose, visible, word
from analysis.ide.name_meanings import Place
from analysis.ide.rename import Prepared, Refusal
from analysis.inputs import FileId
from analysis.text.edits import Edit, Span

MOST_SYMBOLS: Final = 5_000
_DEEPEST_SYMBOL: Final = 4
_PARTS: Final = "steps"
_SHOWN: Final = 80
_STOP: Final = re.compile(r"\$(?:\{\d+[:|]([^}$|,]*+)[^}$]*+\}|\d+)")


class Outline(NamedTuple):
    """An entry of the outline; `kind` is "table", "list", "text", "number", "flag", "nothing", or "step"."""

    name: str
    kind: str
    detail: str
    span: Span
    name_span: Span
    children: tuple[Outline, ...] = ()


def hover(db: Database, file: FileId, offset: int) -> Hover | None:
    """Description of a name or a value."""
    document, kind = _document_and_kind(db, file)
    value = document.parsed.at(offset)
    if value is None:
        return None
    path, is_name = value
    parts = list(kind.describe(document, path, is_name, offset)) if kind.describe is not None else []
    if is_name and (field := field_at(kind.table, path)) is not None:
        parts += _described(path, field)
    elif not is_name and (meaning := _choice(kind.table, path, document.parsed.get(path))):
        parts.append(meaning)
    span = (document.parsed.keys if is_name else document.parsed.values)[path]
    return Hover("\n\n".join(parts), span) if parts else None


def _described(path: Path, field: Field) -> list[str]:
    default = "" if field.default is None else f" Default: {word(_as_json(field.default))}."
    required = " Required." if field.is_required else ""
    return [f"{word(str(path[-1]))}: {field.kind.wanted}.{required}{default}", prose(field.description)]


def _as_json(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _choice(table: Table | None, path: Path, value: Any) -> str:
    """The meaning of a value that is one of several choices."""
    kind = table.at(path) if table is not None else None
    if not isinstance(kind, Text) or not isinstance(value, str):
        return ""
    return prose(kind.choices.get(value) or kind.examples.get(value) or "")


def field_at(table: Table | None, path: Path) -> Field | None:
    """The field that a name stands for, None if the name is the user's own."""
    inside = table.at(path[:-1]) if table is not None and path else None
    if isinstance(inside, Table):
        return inside.fields.get(str(path[-1]))
    if isinstance(inside, MapOf) and path[-1] in inside.names:
        return Field(inside.value, inside.names[str(path[-1])])
    return None


def definition(db: Database, file: FileId, offset: int) -> tuple[Place, ...]:
    """The declaration of the name or value at an offset."""
    document, kind = _document_and_kind(db, file)
    value = document.parsed.at(offset)
    if value is None or kind.targets is None:
        return ()
    return tuple(kind.targets(document, *value, offset))


def links(db: Database, file: FileId) -> tuple[Link, ...]:
    """The files that a document names and that exist."""
    document, kind = _document_and_kind(db, file)
    return tuple(kind.links(document)) if kind.links is not None else ()


def references(db: Database, file: FileId, offset: int, include_declaration: bool = True) -> tuple[Span, ...]:
    """All places of the name at an offset."""
    document, kind = _document_and_kind(db, file)
    names = list(kind.names(document)) if kind.names is not None else []
    name = next((each.name for each in names if each.span[0] <= offset <= each.span[1]), None)
    matching = (each for each in names if each.name == name and (include_declaration or not each.is_declaration))
    return tuple(sorted(each.span for each in matching)) if name is not None else ()


def prepare_rename(db: Database, file: FileId, offset: int) -> Prepared | Refusal:
    """The name that can be renamed at an offset, or the reason why none can."""
    document, kind = _document_and_kind(db, file)
    for each in kind.names(document) if kind.names is not None else ():
        if each.span[0] <= offset <= each.span[1]:
            return Prepared(each.span, each.name)
    return Refusal("the document does not declare this name")


def rename(db: Database, file: FileId, offset: int, new_name: str) -> tuple[Edit, ...] | Refusal:
    """The edits that rename the name at an offset."""
    document, kind = _document_and_kind(db, file)
    spans = references(db, file, offset)
    if not spans or kind.names is None:
        return Refusal("the document does not declare this name")
    taken = {each.name for each in kind.names(document) if each.is_declaration}
    if reason := kind.refuses(new_name) if kind.refuses is not None else "":
        return Refusal(f"{visible(new_name[:_SHOWN])!r} {reason}")
    if new_name in taken and document.text[slice(*spans[0])] != new_name:
        return Refusal(f"{visible(new_name[:_SHOWN])!r} already exists")
    return tuple(Edit(span, new_name) for span in spans)


def outline(db: Database, file: FileId) -> tuple[Outline, ...]:
    """The names of a document, nested."""
    document, kind = _document_and_kind(db, file)
    return _outlines(document, kind, (), [MOST_SYMBOLS]) if kind.name else ()


def _outlines(document: Opened, kind: DocumentKind, path: Path, left: list[int]) -> tuple[Outline, ...]:
    parsed = document.parsed
    value = parsed.get(path)
    if not isinstance(value, dict) or len(path) >= _DEEPEST_SYMBOL:
        return ()
    outlines = []
    for name, each in value.items():
        inside = (*path, name)
        key = parsed.keys.get(inside)
        if key is None or left[0] <= 0:
            continue
        left[0] -= 1
        span = parsed.values.get(inside, key)
        shown = kind.symbol(document, inside) if kind.symbol is not None else None
        word_, detail = shown or (_kind_of(each), "" if isinstance(each, dict | list) else str(each)[:_SHOWN])
        children = _outlines(document, kind, inside, left)
        outlines.append(Outline(name, word_, visible(detail), (min(key[0], span[0]), max(key[1], span[1])), key, children))
    return tuple(outlines)


def _kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "flag"
    return {dict: "table", list: "list", str: "text", int: "number", float: "number"}.get(type(value), "nothing")


def runnable(db: Database, file: FileId) -> Span | None:
    """The place of the lenses of a document that can be run; None for other documents."""
    document, kind = _document_and_kind(db, file)
    if kind.identity is None or not document.parsed.table((_PARTS,)):
        return None
    return document.parsed.span(("name",), on_key=True)


def parts(db: Database, file: FileId) -> dict[str, Span]:
    """The places of the names of a document's parts that can be run."""
    parsed = opened(db, file).parsed
    return {name: parsed.span((_PARTS, name), on_key=True) for name in parsed.table((_PARTS,))}


def identity(db: Database, file: FileId) -> str:
    """The identity of a document's runs, independent of its file; "" if it cannot be read."""
    document, kind = _document_and_kind(db, file)
    return kind.identity(document) if kind.identity is not None else ""


# ---- completion -----------------------------------------------------------------------------------------------------


def offers(db: Database, file: FileId, offset: int, around: Around) -> Offers:
    """Completions at an offset."""
    document, kind = _document_and_kind(db, file)
    is_toml = file.path.endswith(".toml")
    slot = (toml_slot if is_toml else json_slot)(document.text, offset)
    if kind.table is None:
        return Offers(slot, ())
    candidates = list(kind.offers(document, slot, around)) if kind.offers is not None else []
    if slot.is_name:
        candidates += _names(document, kind.table, slot, is_toml)
    else:
        candidates += _values(kind.table.at(slot.path), is_toml)
    return Offers(slot, tuple({offer.label: offer for offer in reversed(candidates)}.values())[::-1])


def _names(document: Opened, table: Table, slot: Slot, is_toml: bool) -> list[Offer]:
    inside = table.at(slot.path)
    typed = document.text[slice(*slot.span)].strip('"')
    there = {name for name in document.parsed.table(slot.path) if name != typed}
    if isinstance(inside, Table):
        fields = sorted(inside.fields.items(), key=lambda entry: not entry[1].is_required)
        return [
            Offer(name, _snippet_of(name, field.kind, slot, is_toml), field.kind.wanted, field.description, True, True)
            for name, field in fields
            if name not in there
        ]
    if isinstance(inside, MapOf):
        return [
            Offer(name, _snippet_of(name, inside.value, slot, is_toml), inside.value.wanted, description, True, True)
            for name, description in inside.names.items()
            if name not in there
        ]
    return []


def _snippet_of(name: str, kind: Kind, slot: Slot, is_toml: bool) -> str:
    """A name with an empty value, as a snippet."""
    written = name if is_toml else f'"{name}"'
    if slot.has_value:
        return written
    return f"{written}{' = ' if is_toml else ': '}{value_snippet(kind)}"


def value_snippet(kind: Kind) -> str:
    """An empty value of a kind."""
    match kind:
        case Flag():
            return "${1|true,false|}"
        case Whole():
            return "${1:" + str(max(kind.least, 0)) + "}"
        case Text():
            return '"${1|' + ",".join(kind.choices) + '|}"' if kind.choices else '"$1"'
        case ListOf():
            return "[$1]"
    return "{ $1 }"


def without_stops(snippet: str) -> str:
    """A snippet as plain text, for editors without snippets: the first of each choice."""
    return _STOP.sub(lambda match: match[1] or "", snippet)


def _values(kind: Kind | None, is_toml: bool) -> list[Offer]:
    match kind:
        case Flag():
            return [Offer("true", "true"), Offer("false", "false")]
        case Text():
            return [
                Offer(text, f'"{text}"', documentation=description)
                for text, description in (*kind.choices.items(), *kind.examples.items())
            ]
        case ListOf():
            return [offer._replace(insert=f"[{offer.insert}]") for offer in _values(kind.item, is_toml)]
    return []


def _document_and_kind(db: Database, file: FileId) -> tuple[Opened, DocumentKind]:
    return opened(db, file), kind_of(file.path)
