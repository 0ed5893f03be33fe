"""Moves an item to a library of the workspace; the file then imports the library."""

from __future__ import annotations

from analysis.database import Database
from analysis.diagnostics.rules.locals import PROTOCOL_FUNCTIONS
from analysis.fixes.missing_imports import import_edit
from analysis.ide.library_rename import NAME
from analysis.ide.name_meanings import item_around, spots_named
from analysis.ide.name_types import item_named
from analysis.ide.refactor.change import Change, NewFile, Refusal
from analysis.ide.rename import is_own_library, unparsed
from analysis.inputs import FileId, Libraries, libraries, source
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.environment import environment
from analysis.semantics.imports import imported_files
from analysis.semantics.occurrences import GLOBAL, Space, Use
from analysis.semantics.scopes import resolved
from analysis.syntax import tree as t
from analysis.text.edits import Edit, Span
from analysis.text.source import Source


def targets(db: Database, file: FileId) -> list[str]:
    """The libraries of the file's workspace that an item can move to."""
    return [
        name
        for name, library in libraries(db, file.workspace, file.libs).files
        if is_own_library(file, library) and library.path != file.path
    ]


def move_item(db: Database, file: FileId, offset: int, library: str) -> Change | Refusal | None:
    """Moves the function or type named at an offset to a library, which is created if it does not exist."""
    text = source(db, file)
    index = text.chunk_at(offset)
    start, written = text.offsets[index], text.chunks[index].text
    tree = chunk_tree(db, written)
    item = item_around(tree.items, offset - start)
    if not isinstance(item, t.Function | t.Record | t.Enum) or not item.at <= offset - start <= item.at + len(item.name):
        return None
    if refusal := unparsed(db, file, offset):
        return refusal
    if not file.workspace:
        return Refusal("the file is in no workspace, and libraries need one: create a `boruna.toml`")
    if item.name == "main":
        return Refusal("a library's `main` is not imported")
    if isinstance(item, t.Function) and item.name in PROTOCOL_FUNCTIONS:
        return Refusal(f"'{item.name}' is called by the host, which looks for it in this file")
    if refusal := _depends(db, file, written, item):
        return refusal
    own_start = _with_comments(written, item.start)
    moved = written[own_start : item.end]
    if not item.exported:
        moved = written[own_start : item.start] + "export " + written[item.start : item.end]
    end = item.end + 1 if written[item.end : item.end + 1] == "\n" else item.end
    cut = Edit((start + own_start, start + end), "")
    existing = libraries(db, file.workspace, file.libs).get(library)
    edits: dict[FileId, list[Edit]] = {file: [cut]}
    if _is_used(db, file, item, (start + item.start, start + item.end)) and (
        existing is None or existing not in imported_files(db, file)
    ):
        edits[file] = sorted([cut, import_edit(db, file, library)], key=lambda edit: edit.span)
    facts = {"moved": item.name, "library": library}
    if existing is None:
        if not NAME.fullmatch(library) or library in (".", ".."):
            return Refusal(f"'{library[:80]}' cannot be the name of a library")
        path = f"{file.workspace.rstrip('/')}/libs/{library}/src/core.ax"
        return Change(edits, facts, (NewFile(path, moved + "\n"),))
    if not is_own_library(file, existing):
        return Refusal(f"the library '{library}' is installed, not a part of this workspace")
    if existing.path == file.path:
        return Refusal("it is already in that library")
    around = environment(db, existing)
    if item.name in around.functions or item.name in around.types:
        return Refusal(f"the library '{library}' has '{item.name}' already")
    if file in imported_files(db, existing) or any(imported.path == file.path for imported in imported_files(db, existing)):
        return Refusal(f"the library '{library}' imports this file")
    there = source(db, existing).text
    blank = "" if not there else "\n" if there.endswith("\n") else "\n\n"
    edits[existing] = [Edit((len(there), len(there)), f"{blank}{moved}\n")]
    return Change(edits, facts)


def with_library(db: Database, file: FileId, change: Change) -> None:
    """Adds the new library of a change to a branch, so that the change can be tried there."""
    for new_file in change.new_files:
        name = new_file.path.split("/")[-3]
        library = FileId(file.workspace, "library", new_file.path)
        source.set(db, library, Source.from_text(new_file.text))
        files = sorted([*libraries(db, file.workspace, file.libs).files, (name, library)])
        libraries.set(db, file.workspace, file.libs, Libraries(tuple(files)))


def _is_used(db: Database, file: FileId, item: t.Item, span: Span) -> bool:
    """True if the rest of the file uses an item, and so must import it after the move."""
    members = {child.name for child in t.children(item) if isinstance(child, t.Field | t.Variant)}
    return any(
        not span[0] <= spot.span[0] < span[1] and spot.occurrence.local == GLOBAL
        for name in (item.name, *members)
        for spot in spots_named(db, file, name)
    )


def _depends(db: Database, file: FileId, written: str, item: t.Item) -> Refusal | None:
    """The refusal if an item uses a name that stays in its file or comes from the file's imports."""
    for occurrence in resolved(db, written).occurrences:
        if (
            not item.start <= occurrence.start < item.end
            or occurrence.local != GLOBAL
            or occurrence.use is Use.DECLARATION
            or occurrence.name == item.name
        ):
            continue
        definition = None
        if occurrence.space is Space.VALUE:
            definition = item_named(db, file, occurrence.name, t.Function)
        elif occurrence.space is Space.TYPE:
            definition = item_named(db, file, occurrence.name, t.Record, t.Enum)
        if definition is not None:
            where = "stays in this file" if definition.file == file else "comes from another library"
            return Refusal(f"it uses '{occurrence.name}', which {where}: move that first")
    return None


def _with_comments(written: str, start: int) -> int:
    line = written.rfind("\n", 0, start) + 1
    if written[line:start].strip():
        return start
    while line > 0:
        above = written.rfind("\n", 0, line - 1) + 1
        if not written[above : line - 1].lstrip().startswith("//"):
            break
        line = above
    return line
