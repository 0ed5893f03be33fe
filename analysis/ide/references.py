"""All places where the thing under the cursor is used, and the ones in the same file to be highlighted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from analysis.database import Database, paced
from analysis.ide.name_meanings import Kind, Meaning, Spot, meaning, spots_named
from analysis.ide.target import target_at
from analysis.inputs import FileId, libraries
from analysis.semantics.occurrences import GLOBAL, Space, Use
from analysis.text.edits import Span

_IN_ITEM = frozenset((Kind.PARAMETER, Kind.LOCAL, Kind.RESULT))
_IN_FILE = frozenset((Kind.MODULE, Kind.CAPABILITY, Kind.BUILTIN, Kind.BUILTIN_TYPE))


class Reference(NamedTuple):
    """A use of a thing; `kind` says what is done with it there."""

    file: FileId
    span: Span
    kind: Use


def references(
    db: Database, file: FileId, offset: int, include_declaration: bool = True, others: Iterable[FileId] = ()
) -> tuple[Reference, ...]:
    """All references to the name at an offset: in this file, the files that declare it, the libraries, and `others`.

    Builtins and capabilities are searched in this file and `others` only.
    """
    target = target_at(db, file, offset)
    if target is None or target.kind is Kind.KEYWORD:
        return ()
    return tuple(
        Reference(each, spot.span, spot.occurrence.use)
        for each in files_of(db, file, target.meaning, others)
        for spot in uses(db, each, target.meaning)
        if include_declaration or spot.occurrence.use is not Use.DECLARATION
    )


def highlights(db: Database, file: FileId, offset: int) -> tuple[Reference, ...]:
    """The references within the file itself."""
    target = target_at(db, file, offset)
    if target is None or target.kind is Kind.KEYWORD:
        return ()
    return tuple(Reference(file, spot.span, spot.occurrence.use) for spot in uses(db, file, target.meaning))


def files_of(db: Database, file: FileId, wanted: Meaning, others: Iterable[FileId] = ()) -> list[FileId]:
    """The files that can use a name: this one, those that declare it, `others`; of each path the first layer."""
    files = [file]
    if wanted.kind not in _IN_ITEM:
        files += [place.file for place in wanted.places]
        files += others
        if wanted.kind not in _IN_FILE:
            files += [library for _, library in libraries(db, file.workspace, file.libs).files]
    by_path: dict[str, FileId] = {}
    for each in files:
        by_path.setdefault(each.path, each)
    return list(by_path.values())


def uses(db: Database, file: FileId, wanted: Meaning) -> Iterator[Spot]:
    """All occurrences in a file that can mean `wanted`, in order of position."""
    # Within one file a global name means the same everywhere, so it is looked up once.
    global_meanings: dict[Space, Meaning | None] = {}
    for spot in paced(spots_named(db, file, wanted.name)):
        occurrence = spot.occurrence
        is_plain = occurrence.local == GLOBAL and occurrence.space in (Space.VALUE, Space.TYPE)
        if is_plain and occurrence.use is not Use.DECLARATION:
            if occurrence.space not in global_meanings:
                global_meanings[occurrence.space] = meaning(db, file, spot)
            means = global_meanings[occurrence.space]
        else:
            means = meaning(db, file, spot)
        if means is not None and means.is_that_of(wanted):
            yield spot
