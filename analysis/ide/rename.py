"""Renaming: every place that means the thing gets the new name, and nothing else changes its meaning.

A name is refused if it is no identifier, is taken, or would capture or be captured: that is found by resolving the
changed chunks again and comparing what each name stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from analysis.data_classes import dataclass
from analysis.database import Database
from analysis.ide.name_meanings import (
    GENERIC_TYPES,
    Kind,
    Meaning,
    Place,
    Spot,
    item_around,
    meaning,
    member_named,
    spots_named,
)
from analysis.ide.name_types import item_named, owner_of, types_in
from analysis.ide.references import files_of, uses
from analysis.ide.target import Target, target_at
from analysis.inputs import FileId, libraries, source
from analysis.semantics.builtins import BUILTIN_TYPES, BUILTINS
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.environment import environment
from analysis.semantics.occurrences import GLOBAL, Occurrence, Space, Use
from analysis.semantics.scopes import resolve, resolved
from analysis.syntax import tree as t
from analysis.syntax.lexer import KEYWORDS
from analysis.syntax.parser import parse
from analysis.text.edits import Edit, Span

_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FIXED: Final = {
    Kind.BUILTIN: "is built in",
    Kind.BUILTIN_TYPE: "is built in",
    Kind.CAPABILITY: "is a capability, not a name of this program",
    Kind.KEYWORD: "is a keyword",
    Kind.RESULT: "is the language's name for what the function returns",
    Kind.TOOL: "is a tool of an MCP server",
    Kind.SERVER: "is an MCP server; its name is that in `.mcp.json`",
    Kind.LIBRARY: "is a library; its name is that of its folder",
}


@dataclass(frozen=True, slots=True)
class Prepared:
    """Span to rename, and the name to start from."""

    span: Span
    placeholder: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Reason why something cannot be changed, in one sentence for a person."""

    reason: str
    unread: tuple[FileId, int] | None = None
    """The place whose item would have to parse for that."""


def unparsed(db: Database, file: FileId, offset: int) -> Refusal | None:
    """The refusal of a change that needs the item around an offset; None if it parses."""
    text = source(db, file)
    if chunk_tree(db, text.chunks[text.chunk_at(offset)].text).is_sound:
        return None
    line = text.position(offset)[0] + 1
    return Refusal(f"the item around line {line} of {file.path.rpartition('/')[2]} does not parse", (file, offset))


@dataclass(frozen=True, slots=True)
class FileEdits:
    """The edits of one file in order of position."""

    file: FileId
    edits: tuple[Edit, ...]


def prepare_rename(db: Database, file: FileId, offset: int) -> Prepared | Refusal:
    """The name at an offset, or the reason why it cannot be renamed."""
    target = target_at(db, file, offset)
    if target is None:
        return unparsed(db, file, offset) or Refusal("there is no name here that is defined in this program")
    if target.kind in _FIXED:
        return Refusal(f"'{target.name}' {_FIXED[target.kind]}")
    if len(target.places) > 1:
        items = [item for place in target.places if (item := _item_of(db, place))]
        owners = " and ".join(f"'{item.name}'" for item in items)
        return Refusal(f"it is unclear whose '{target.name}' this is: {owners} have one")
    for place in target.places:
        if refusal := library_refusal(db, file, place):
            return refusal
    return Prepared(target.span, target.name)


def rename(
    db: Database, file: FileId, offset: int, new_name: str, others: Iterable[FileId] = ()
) -> tuple[FileEdits, ...] | Refusal:
    """The edits that rename what stands at an offset, by file; `others` are files that may use it, too."""
    prepared = prepare_rename(db, file, offset)
    if isinstance(prepared, Refusal):
        return prepared
    target = target_at(db, file, offset)
    assert target is not None
    if new_name == target.name:
        return ()
    if refusal := _unfit(new_name, target):
        return refusal
    result = []
    for each in files_of(db, file, target.meaning, others):
        spots = list(uses(db, each, target.meaning))
        if not spots:
            continue
        if refusal := _clash(db, each, target.meaning, new_name, spots):
            return refusal
        result.append(FileEdits(each, tuple(Edit(spot.span, new_name) for spot in spots)))
    return tuple(result)


def _unfit(name: str, target: Target) -> Refusal | None:
    """Refusal if this kind of name cannot be `name` in any file; None if it can."""
    if not _IDENTIFIER.fullmatch(name) or name == "_":
        return Refusal(f"'{name}' is not a name: letters, digits and underscores, no digit first")
    if name in KEYWORDS:
        return Refusal(f"'{name}' is a keyword")
    kind = target.kind
    if kind in (Kind.RECORD, Kind.ENUM) and name in (*GENERIC_TYPES, *BUILTIN_TYPES):
        return Refusal(f"'{name}' is a type of the language")
    if kind is Kind.FUNCTION and name in BUILTINS:
        return Refusal(f"'{name}' is built in")
    if _is_capital(target.name) != _is_capital(name):
        if kind is Kind.VARIANT:
            return Refusal("a variant begins with a capital letter, or else patterns take it for a name to bind")
        if kind is Kind.RECORD:
            return Refusal("a record begins with a capital letter, or else its literals cannot be read")
        if kind in (Kind.LOCAL, Kind.PARAMETER):
            return Refusal("a variable begins with a small letter, or else it is taken for a type or a variant")
    return None


def is_variable_name(name: str) -> bool:
    """True if a text is a valid name for a local or a function."""
    return _IDENTIFIER.fullmatch(name) is not None and name != "_" and not _is_capital(name) and name not in KEYWORDS


def _is_capital(name: str) -> bool:
    return "A" <= name[0] <= "Z"


def _clash(db: Database, file: FileId, wanted: Meaning, new_name: str, spots: list[Spot]) -> Refusal | None:
    """Refusal if the new name cannot be used in a file that uses the old one at `spots`; None if it can."""
    for spot in spots:
        meant = meaning(db, file, spot)
        if meant is not None and len(meant.places) > 1:
            line = source(db, file).position(spot.span[0])[0] + 1
            return Refusal(f"it is unclear whose '{wanted.name}' is meant in line {line}")
    taken = Refusal(f"'{new_name}' is already defined here")
    match wanted.kind:
        case Kind.FUNCTION if item_named(db, file, new_name, t.Function):
            return taken
        case Kind.RECORD | Kind.ENUM if item_named(db, file, new_name, t.Record, t.Enum):
            return taken
        case Kind.FIELD | Kind.VARIANT:
            owners = [item for place in wanted.places if (item := _item_of(db, place))]
            if any(member_named(item, new_name) for item in owners):
                return taken
            members = environment(db, file).fields if wanted.kind is Kind.FIELD else environment(db, file).variants
            if new_name in members and not all(_has_known_owner(db, file, spot) for spot in spots):
                return Refusal(f"another type has '{new_name}', too: it would be unclear which one is meant")
    return _capture(db, file, wanted, new_name, spots)


def _has_known_owner(db: Database, file: FileId, spot: Spot) -> bool:
    """True if a member's owner is known without looking at the names of members."""
    text = source(db, file).chunks[spot.chunk].text
    is_guessed = spot.occurrence.start in types_in(db, file, text).guessed
    return not is_guessed and owner_of(db, file, text, spot.occurrence) is not None


def _capture(db: Database, file: FileId, wanted: Meaning, new_name: str, spots: list[Spot]) -> Refusal | None:
    """Refuses if a name would change its meaning: the changed chunks are resolved again and compared."""
    text = source(db, file)
    renamed: dict[int, set[int]] = {}
    for spot in spots:
        renamed.setdefault(spot.chunk, set()).add(spot.occurrence.start)
    space = spots[0].occurrence.space
    if spots[0].occurrence.local == GLOBAL:
        for spot in spots_named(db, file, new_name):
            occurrence = spot.occurrence
            if occurrence.space is space and occurrence.local == GLOBAL and occurrence.use is not Use.DECLARATION:
                is_member = space in (Space.FIELD, Space.VARIANT)
                if meaning(db, file, spot) is None or (is_member and not _has_known_owner(db, file, spot)):
                    return Refusal(f"'{new_name}' is already used in this file")
    for chunk, starts in renamed.items():
        content = text.chunks[chunk].text
        before = resolved(db, content).occurrences
        expected, changed = _replaced(content, before, starts, new_name)
        after = resolve(parse(changed)).occurrences
        if [_binding(occurrence) for occurrence in after] != expected:
            return Refusal(f"'{new_name}' is already used here: some names would change their meaning")
    return None


_Binding = tuple[int, str, Space, Use, int]


def _binding(occurrence: Occurrence) -> _Binding:
    return occurrence.start, occurrence.name, occurrence.space, occurrence.use, occurrence.local


def _replaced(text: str, before: tuple[Occurrence, ...], starts: set[int], new_name: str) -> tuple[list[_Binding], str]:
    """A chunk with the names at `starts` replaced: the expected occurrences, and the text."""
    pieces: list[str] = []
    moved: dict[int, int] = {}
    end = shift = 0
    for occurrence in before:
        moved[occurrence.start] = occurrence.start + shift
        if occurrence.start in starts:
            pieces += (text[end : occurrence.start], new_name)
            end = occurrence.end
            shift += len(new_name) - len(occurrence.name)
    expected = [
        (
            moved[occurrence.start],
            new_name if occurrence.start in starts else occurrence.name,
            occurrence.space,
            occurrence.use,
            occurrence.local if occurrence.local < 0 else moved[occurrence.local],
        )
        for occurrence in before
    ]
    return expected, "".join((*pieces, text[end:]))


def _item_of(db: Database, place: Place) -> t.Item | None:
    """The item that a declaration lies in."""
    text = source(db, place.file)
    chunk = text.chunk_at(place.name_span[0])
    return item_around(chunk_tree(db, text.chunks[chunk].text).items, place.name_span[0] - text.offsets[chunk])


def library_refusal(db: Database, file: FileId, place: Place) -> Refusal | None:
    """Refusal if a declaration lies in an installed library instead of one of the file's workspace; None if it does not."""
    if place.file.path == file.path:
        return None
    name = next((name for name, library in libraries(db, file.workspace, file.libs).files if library == place.file), None)
    if name is None or is_own_library(file, place.file):
        return None
    return Refusal(f"it is defined in the library '{name}', which is installed, not a part of this workspace")


def is_own_library(file: FileId, library: FileId) -> bool:
    """True if a library lies in the workspace of a file, so that it can be edited with it."""
    folder = file.workspace.replace("\\", "/").rstrip("/") + "/libs/"
    return bool(file.workspace) and library.path.replace("\\", "/").startswith(folder)
