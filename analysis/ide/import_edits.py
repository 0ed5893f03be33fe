"""Edits of imports: the place of a new one, the library of a missing name, the removal of unused ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.edits import Confidence, Edit, Fix
from analysis.inputs import FileId, libraries, source
from analysis.semantics.declarations import Declarations, chunk_tree, file_declarations
from analysis.semantics.imports import imported_files
from analysis.syntax import tree as t

_FUNCTIONS: Final = ("E003", "E004")
_TYPES: Final = "W301"
_UNUSED: Final = "W404"


def import_edit(db: Database, file: FileId, library: str) -> Edit:
    """The edit that imports a library: behind the other imports, else at the beginning, a `module` line first."""
    text = source(db, file)
    end = None
    for chunk, start in zip(text.chunks, text.offsets, strict=True):
        items = chunk_tree(db, chunk.text).items
        heads = [item for item in items if isinstance(item, t.Import | t.Module)]
        if heads:
            end = start + heads[-1].end
        if len(heads) < len(items):
            break
    if end is None:
        return Edit((0, 0), f'import "{library}"\n\n')
    return Edit((end, end), f'\nimport "{library}"')


def import_fixes(db: Database, file: FileId, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Patches with absolute spans, one for each library that declares the name that a diagnostic reports as undefined."""
    if diagnostic.code not in (*_FUNCTIONS, _TYPES) or not diagnostic.name or diagnostic.name == "main":
        return
    there = {*imported_files(db, file), file}
    for name, library in libraries(db, file.workspace, file.libs).files:
        if library in there or library.path == file.path:
            continue
        if any(_declares(facts, diagnostic) for facts in file_declarations(db, library)):
            yield Fix(
                f"{diagnostic.code}-import-{name}",
                f'import "{name}"',
                Confidence.MEDIUM,
                f"the library '{name}' has '{diagnostic.name}'",
                (import_edit(db, file, name),),
            )


def unused_imports(db: Database, file: FileId) -> tuple[Edit, ...]:
    """The edits, absolute, that remove duplicate and unused imports."""
    text = source(db, file)
    return tuple(
        Edit((start + edit.span[0], start + edit.span[1]), edit.new_text)
        for start, diagnostic in check_file(db, file).placed(text)
        if diagnostic.code == _UNUSED
        for fix in diagnostic.fixes
        for edit in fix.edits
    )


def _declares(facts: Declarations, diagnostic: Diagnostic) -> bool:
    declared = facts.types if diagnostic.code == _TYPES else facts.functions
    return any(fact.name == diagnostic.name for fact in declared)
