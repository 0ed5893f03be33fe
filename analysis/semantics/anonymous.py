"""Fields of records that have no type: a literal of an undeclared type makes one (spec chapter 26 S12).

They stand in bodies, so this is kept apart from the environment, which changes with declarations only.
"""

from __future__ import annotations

from analysis.database import Database, paced, query
from analysis.inputs import BLOCK, FILE, FileId
from analysis.semantics.environment import type_table
from analysis.semantics.imports import imported_files
from analysis.semantics.summary import block_index
from analysis.syntax.block_answers import of_blocks
from analysis.text.blocks import Block


@query(limit=10_000, subject=BLOCK)
def block_literals(db: Database, texts: Block) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """The types of a block's record literals, and pairs of type and field."""
    records = [record for index in block_index(db, texts) for record in index.literals]
    pairs = frozenset([(name, given) for name, fields in records for given in paced(fields, 1_000)])
    return frozenset([name for name, _ in records]), pairs


@query(subject=FILE)
def file_literals(db: Database, file: FileId) -> tuple[tuple[frozenset[str], frozenset[tuple[str, str]]], ...]:
    """The same for each block of a file: few keys change it."""
    return tuple(of_blocks(db, file, block_literals))


@query(subject=FILE)
def anonymous_fields(db: Database, file: FileId) -> frozenset[str]:
    """The fields of all records without a type that a file and its libraries build."""
    declared = type_table(db, file).types.keys()
    fields: set[str] = set()
    for part in (*imported_files(db, file), file):
        literals = file_literals(db, part)
        # A type comes up in many blocks: it is looked up once.
        undeclared = frozenset().union(*[types for types, _ in literals]).difference(declared)
        if undeclared:
            fields.update(field for _, pairs in literals for name, field in pairs if name in undeclared)
    return frozenset(fields)
