"""Comments above the declaration of a name, for lists of names."""

from __future__ import annotations

from analysis.database import Database
from analysis.ide.name_types import item_named
from analysis.ide.signature import documentation
from analysis.inputs import FileId, source
from analysis.semantics.builtins import BUILTINS
from analysis.syntax import tree as t


def item_documentation(db: Database, file: FileId, name: str) -> str:
    """The comments above a function or type that a file can name; "" if there are none."""
    definition = item_named(db, file, name, t.Function) or item_named(db, file, name, t.Record, t.Enum)
    if definition is not None:
        return documentation(source(db, definition.file).chunks[definition.chunk].text, definition.item.start)
    return BUILTINS[name].documentation if name in BUILTINS else ""
