"""The library of a missing name: the edit that imports it, for names that are like one of its names with that name written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from analysis.database import Database
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.inputs import FileId, libraries, source
from analysis.semantics.declarations import Declarations, chunk_tree, file_declarations
from analysis.semantics.imports import imported_files
from analysis.semantics.spelling import closest, distance
from analysis.syntax import tree as t
from analysis.text.edits import Confidence, Edit, Fix, FixKind

_TYPES: Final = "W301"
_NAMED: Final = ("E003", "E004", _TYPES)
"""Codes of names that a library may have."""


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


def import_fixes(db: Database, file: FileId, chunk: int, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Patches with absolute spans, one for each library that declares the name that a diagnostic reports as undefined.

    If none does, the library with a name that is likelier than any visible one.
    """
    if diagnostic.code not in _NAMED or not diagnostic.name or diagnostic.name == "main":
        return
    there = {*imported_files(db, file), file}
    is_known = False
    names: dict[str, str] = {}
    for name, library in libraries(db, file.workspace, file.libs).files:
        if library in there or library.path == file.path:
            continue
        declared = _declared(file_declarations(db, library), diagnostic.code)
        names |= dict.fromkeys(declared, name)
        if diagnostic.name in declared:
            is_known = True
            yield Fix(
                f"{diagnostic.code}-import-{name}",
                f'import "{name}"',
                Confidence.MEDIUM,
                f"the library '{name}' has '{diagnostic.name}'",
                (import_edit(db, file, name),),
                kind=FixKind.IMPORT,
            )
    near = None if is_known else _nearer(diagnostic, names)
    if near is not None:
        base = source(db, file).offsets[chunk]
        written = Edit((base + diagnostic.span[0], base + diagnostic.span[1]), near)
        yield Fix(
            f"{diagnostic.code}-import-{names[near]}-{near}",
            f'write `{near}`, with `import "{names[near]}"`',
            Confidence.MEDIUM,
            f"the library '{names[near]}' has '{near}'",
            (import_edit(db, file, names[near]), written),
            kind=FixKind.RENAMING,
            name=near,
        )


def _nearer(diagnostic: Diagnostic, names: Iterable[str]) -> str | None:
    """The name that is likest to an undefined one, if no visible name is as near."""
    near = closest(diagnostic.name, names)
    if near is None:
        return None
    steps = distance(diagnostic.name, near, swaps=False)
    visible = (fix.name for fix in diagnostic.fixes if fix.kind is FixKind.RENAMING)
    return near if all(distance(diagnostic.name, name, swaps=False) > steps for name in visible) else None


def _declared(facts: tuple[Declarations, ...], code: str) -> list[str]:
    return [fact.name for each in facts for fact in (each.types if code == _TYPES else each.functions)]
