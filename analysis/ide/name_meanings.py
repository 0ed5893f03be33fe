"""Meaning of a file's names: the join of `scopes.resolved` (inside an item) with the file and its libraries.

Nearest definition wins: locals, the file's own definitions (of several the last), libraries (of several the last
imported), builtins (chapter 26 S11, S12, S14). `target.py`, `references.py` and the modules based on them use it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from analysis.data_classes import dataclass
from analysis.database import Database, paced, query
from analysis.ide.name_types import item_named, owner_of
from analysis.ide.server_tools import is_module, method_name, schema_document, schema_span, tool_named
from analysis.inputs import FILE, FileId, libraries, source
from analysis.semantics.builtins import BUILTIN_TYPES, BUILTINS
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.environment import environment
from analysis.semantics.imports import tool_module
from analysis.semantics.occurrences import GLOBAL, RESULT, LocalKind, Occurrence, Resolved, Space, Use
from analysis.semantics.scopes import resolved
from analysis.semantics.tools.modules import METHODS
from analysis.semantics.tools.modules import RESULT as RESULT_TYPE
from analysis.semantics.type_text import split_type
from analysis.syntax import tree as t
from analysis.text.edits import Span

GENERIC_TYPES: Final = ("Option", "List", "Result", "Map", "Fn")


class Kind(StrEnum):
    """Kind of a name's meaning."""

    FUNCTION = "function"
    RECORD = "record"
    ENUM = "enum"
    VARIANT = "variant"
    FIELD = "field"
    PARAMETER = "parameter"
    LOCAL = "local"
    RESULT = "result"
    BUILTIN = "builtin"
    BUILTIN_TYPE = "builtin type"
    LIBRARY = "library"
    MODULE = "module"
    CAPABILITY = "capability"
    TOOL = "tool"
    SERVER = "server"
    KEYWORD = "keyword"


class Place(NamedTuple):
    """A declaration: the whole of it and its name, absolute in its file."""

    file: FileId
    span: Span
    name_span: Span


@dataclass(frozen=True, slots=True)
class Meaning:
    """Meaning of an occurrence. Several places: the types do not decide between them. None: it has no source text."""

    kind: Kind
    name: str
    places: tuple[Place, ...] = ()

    def is_that_of(self, other: Meaning) -> bool:
        """True if both can be the same thing."""
        if self.kind is not other.kind or self.name != other.name:
            return False
        if not (self.places and other.places):
            return not (self.places or other.places)
        # A library that is open in an editor is two files in two layers, but one place.
        there = {(place.file.path, place.name_span) for place in other.places}
        return any((place.file.path, place.name_span) in there for place in self.places)


class Spot(NamedTuple):
    """A name in a file: its chunk, where that starts, and the occurrence, relative to it."""

    chunk: int
    start: int
    resolved: Resolved
    occurrence: Occurrence

    @property
    def span(self) -> Span:
        return self.start + self.occurrence.start, self.start + self.occurrence.end


def spot_at(db: Database, file: FileId, offset: int) -> Spot | None:
    """The name that an offset lies in or directly behind."""
    text = source(db, file)
    if not 0 <= offset <= len(text.text):
        return None
    chunk = text.chunk_at(offset)
    for index in (chunk, chunk - 1):
        if index < 0 or text.offsets[index] + len(text.chunks[index].text) < offset:
            continue
        names = resolved(db, text.chunks[index].text)
        if occurrence := names.at(offset - text.offsets[index]):
            return Spot(index, text.offsets[index], names, occurrence)
    return None


def spots_named(db: Database, file: FileId, name: str) -> list[Spot]:
    """All occurrences of a name in a file, whatever they stand for, in order of position."""
    text = source(db, file)
    # A capability may be written with blanks around its dot.
    needle = name.split(".")[0]
    spots = []
    position = text.text.find(needle)
    while position >= 0:
        index = text.chunk_at(position)
        start = text.offsets[index]
        names = resolved(db, text.chunks[index].text)
        spots += [
            Spot(index, start, names, occurrence) for occurrence in paced(names.occurrences, 1_000) if occurrence.name == name
        ]
        position = text.text.find(needle, start + len(text.chunks[index].text))
    return spots


def meaning(db: Database, file: FileId, spot: Spot) -> Meaning | None:
    """Meaning of a name; None if it has none."""
    occurrence = spot.occurrence
    match occurrence.space:
        case Space.VALUE:
            return _value(db, file, spot)
        case Space.TYPE:
            return _type(db, file, spot)
        case Space.GENERIC:
            return Meaning(Kind.BUILTIN_TYPE, occurrence.name)
        case Space.VARIANT | Space.FIELD:
            return _member(db, file, spot)
        case Space.CAPABILITY:
            return Meaning(Kind.CAPABILITY, occurrence.name)
        case Space.LIBRARY:
            return _library(db, file, occurrence.name)
        case Space.MODULE:
            return Meaning(Kind.MODULE, occurrence.name, (_own_place(db, file, spot),))
        case Space.TOOL if occurrence.use is Use.IMPORT:
            return _server(db, file, occurrence.name.removeprefix("mcp."))
        case Space.TOOL:
            return _tool(db, file, occurrence.name)


def _value(db: Database, file: FileId, spot: Spot) -> Meaning | None:
    name, local = spot.occurrence.name, spot.occurrence.local
    if local == RESULT:
        return Meaning(Kind.RESULT, name, (_result_place(db, file, spot),))
    is_hidden = spot.occurrence.start in spot.resolved.inner and (name in BUILTINS or item_named(db, file, name, t.Function))
    if local != GLOBAL and not is_hidden:
        variable = spot.resolved.locals[local]
        kind = Kind.PARAMETER if variable.kind is LocalKind.PARAMETER else Kind.LOCAL
        name_span = spot.start + local, spot.start + local + len(name)
        return Meaning(kind, name, (Place(file, (spot.start + variable.start, spot.start + variable.end), name_span),))
    if spot.occurrence.use is Use.DECLARATION:
        return Meaning(Kind.FUNCTION, name, (_own_place(db, file, spot),))
    if definition := item_named(db, file, name, t.Function):
        return Meaning(Kind.FUNCTION, name, (item_place(db, definition.file, definition.chunk, definition.item),))
    return Meaning(Kind.BUILTIN, name) if name in BUILTINS else None


def _type(db: Database, file: FileId, spot: Spot) -> Meaning | None:
    name = spot.occurrence.name
    if is_module(db, file, name):
        return _server(db, file, name)
    if spot.occurrence.use is Use.DECLARATION:
        item = _item_around(db, file, spot)
        kind = Kind.ENUM if isinstance(item, t.Enum) else Kind.RECORD
        return Meaning(kind, name, (_own_place(db, file, spot),))
    if definition := item_named(db, file, name, t.Record, t.Enum):
        kind = Kind.ENUM if isinstance(definition.item, t.Enum) else Kind.RECORD
        return Meaning(kind, name, (item_place(db, definition.file, definition.chunk, definition.item),))
    return Meaning(Kind.BUILTIN_TYPE, name) if name in BUILTIN_TYPES else None


def _member(db: Database, file: FileId, spot: Spot) -> Meaning | None:
    """A field or a variant: the one of the owner's type if that is known, else all of this name."""
    occurrence = spot.occurrence
    is_field = occurrence.space is Space.FIELD
    kind = Kind.FIELD if is_field else Kind.VARIANT
    if occurrence.use is Use.DECLARATION:
        return Meaning(kind, occurrence.name, (_own_place(db, file, spot),))
    if not is_field and occurrence.owner is not None and (tool := _tool(db, file, f"{occurrence.owner}::{occurrence.name}")):
        return tool
    owner = owner_of(db, file, source(db, file).chunks[spot.chunk].text, occurrence)
    if is_field and owner == RESULT_TYPE and occurrence.name in METHODS:
        return _tool(db, file, method_name(occurrence.name))
    if owner is not None:
        owners = [owner] if split_type(owner)[0] not in GENERIC_TYPES else []
    else:
        visible = environment(db, file)
        owners = [fact.name for fact in (visible.fields if is_field else visible.variants).get(occurrence.name, ())]
    places = []
    for name in owners:
        definition = item_named(db, file, name, t.Record if is_field else t.Enum)
        if definition is not None and definition.item is not None:
            start = source(db, definition.file).offsets[definition.chunk]
            if member := member_named(definition.item, occurrence.name):
                name_span = start + member.start, start + member.start + len(occurrence.name)
                places.append(Place(definition.file, (start + member.start, start + member.end), name_span))
    return Meaning(kind, occurrence.name, tuple(places)) if places else None


def _tool(db: Database, file: FileId, name: str) -> Meaning | None:
    """A tool of an MCP server; its place is in the document that shows its schema."""
    tool = tool_named(db, file, name)
    if tool is None:
        return None
    fact = tool.fact
    return Meaning(Kind.TOOL, name, _schema_places(db, file, fact.server, fact.tool) if fact is not None else ())


def _server(db: Database, file: FileId, name: str) -> Meaning | None:
    module = tool_module(db, file.workspace, name)
    return Meaning(Kind.SERVER, name, _schema_places(db, file, module.name, "")) if module is not None else None


def _schema_places(db: Database, file: FileId, server: str, tool: str) -> tuple[Place, ...]:
    document = schema_document(db, file, server)
    span = schema_span(db, document, tool) if document is not None else None
    return (Place(document, span, span),) if document is not None and span is not None else ()


def _library(db: Database, file: FileId, name: str) -> Meaning | None:
    library = libraries(db, file.workspace, file.libs).get(name)
    return Meaning(Kind.LIBRARY, name, (Place(library, (0, 0), (0, 0)),)) if library else None


# ---- places ---------------------------------------------------------------------------------------------------------


def item_place(db: Database, file: FileId, chunk: int, item: t.Item) -> Place:
    """The place of an item."""
    start = source(db, file).offsets[chunk]
    return Place(file, (start + item.start, start + item.end), (start + item.at, start + item.at + len(item.name)))


def member_named(item: t.Item, name: str) -> t.Field | t.Variant | None:
    """The field or variant of a type; of several with one name the last."""
    members: tuple[t.Field | t.Variant, ...] = ()
    if isinstance(item, t.Record):
        members = item.fields
    elif isinstance(item, t.Enum):
        members = item.variants
    return next((member for member in reversed(members) if member.name == name), None)


def item_around(items: tuple[t.Item, ...], offset: int) -> t.Item | None:
    """The item that an offset lies in, relative to the chunk."""
    return next((item for item in items if item.start <= offset <= item.end), None)


def _item_around(db: Database, file: FileId, spot: Spot) -> t.Item | None:
    tree = chunk_tree(db, source(db, file).chunks[spot.chunk].text)
    return item_around(tree.items, spot.occurrence.start)


def _own_place(db: Database, file: FileId, spot: Spot) -> Place:
    """The place of a declaration from the occurrence of its own name."""
    item = _item_around(db, file, spot)
    at = spot.occurrence.start
    node: t.Node | None = item
    if item is not None and item.at != at:
        node = next((member for member in t.children(item) if member.start == at), item)
    span = (spot.start + node.start, spot.start + node.end) if node else spot.span
    return Place(file, span, spot.span)


def _result_place(db: Database, file: FileId, spot: Spot) -> Place:
    """The declaration of `result`: the function's result type, or its name if no type is written."""
    item = _item_around(db, file, spot)
    assert isinstance(item, t.Function)
    if item.result is not None:
        span = spot.start + item.result.start, spot.start + item.result.end
        return Place(file, span, span)
    return item_place(db, file, spot.chunk, item)


@query(subject=FILE)
def overridden_builtins(db: Database, file: FileId) -> frozenset[str]:
    """The builtin functions and types that a file or one of its libraries redefines."""
    visible = environment(db, file)
    names = [name for name in BUILTINS if name in visible.functions]
    return frozenset([*names, *(name for name in BUILTIN_TYPES if name in visible.types)])
