"""Fields of records that have no type: a literal of a type that nobody declares makes one (spec chapter 26 S12).

They stand in bodies, so this is kept apart from the environment, which changes with declarations only.
"""

from __future__ import annotations

from analysis.blocks import Block
from analysis.database import Database, query
from analysis.inputs import BLOCK, FILE, FileId, source
from analysis.semantics.declarations import file_declarations
from analysis.semantics.environment import imported_files
from analysis.semantics.summary import item_index


@query(limit=10_000, subject=BLOCK)
def block_literals(db: Database, texts: Block) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """The types of a block's record literals, and pairs of type and field."""
    records = [record for text in texts for record in item_index(db, text).literals]
    pairs = frozenset([(name, given) for name, fields in records for given in fields])
    return frozenset([name for name, _ in records]), pairs


@query(subject=FILE)
def declared_types(db: Database, file: FileId) -> frozenset[str]:
    """The names of all types that a file declares or imports."""
    files = (*imported_files(db, file), file)
    return frozenset([made.name for one in files for fact in file_declarations(db, one) for made in fact.types])


@query(subject=FILE)
def anonymous_fields(db: Database, file: FileId) -> frozenset[str]:
    """The fields of all records without a type that a file and its libraries build."""
    known = declared_types(db, file)
    found: set[str] = set()
    for one in (*imported_files(db, file), file):
        for texts in source(db, one).blocks:
            types, pairs = block_literals(db, texts)
            if not types <= known:
                found.update(field for kind, field in pairs if kind not in known)
    return frozenset(found)
