"""Where an import is written that a file does not have yet."""

from __future__ import annotations

from analysis import tree as t
from analysis.database import Database
from analysis.declarations import chunk_tree
from analysis.findings import Edit
from analysis.inputs import FileId, source


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
