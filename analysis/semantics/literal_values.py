"""Record literals with the fields that are written as constants, of each chunk: what rules about the data of a program read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from analysis.database import Database, query
from analysis.inputs import BLOCK, CHUNK, FILE, FileId, source
from analysis.semantics.summary import summary
from analysis.syntax.tree import Expr, Function, IntLiteral, ListLiteral, StringLiteral
from analysis.text.blocks import Block

Constant = str | int | tuple[str | None, ...] | None
"""A text (between its quotes), a number, a list (None for each item that is no text), or None for anything else."""


class Literal(NamedTuple):
    """A record literal of a function: the type's name, and the fields' names with their values."""

    function: str
    type: str
    fields: tuple[tuple[str, Constant], ...]

    def value(self, field: str) -> Constant:
        """The value of a field that is written as a constant."""
        return dict(self.fields).get(field)


@query(limit=20_000, subject=CHUNK)
def constant_literals(db: Database, text: str) -> tuple[Literal, ...]:
    """The record literals of a chunk that hold a constant, in order."""
    return tuple(_literals(db, text)) if "{" in text else ()


def _literals(db: Database, text: str) -> Iterator[Literal]:
    chunk_summary = summary(db, text)
    for record in chunk_summary.records:
        fields = tuple((given.name, _constant(given.value)) for given in record.fields)
        owner = next((item for item in chunk_summary.items if item.start <= record.start < item.end), None)
        if isinstance(owner, Function) and any(value is not None for _, value in fields):
            yield Literal(owner.name, record.name, fields)


def _constant(value: Expr) -> Constant:
    match value:
        case StringLiteral(raw=raw):
            return raw
        case IntLiteral(text=text):
            return int(text)
        case ListLiteral(items=items):
            return tuple(item.raw if isinstance(item, StringLiteral) else None for item in items)
        case _:
            return None


@query(subject=BLOCK)
def _block_literals(db: Database, texts: Block) -> tuple[tuple[int, Literal], ...]:
    return tuple([(index, literal) for index, text in enumerate(texts) for literal in constant_literals(db, text)])


@query(subject=FILE)
def file_literals(db: Database, file: FileId) -> tuple[tuple[int, Literal], ...]:
    """The record literals of a file, each with its chunk; equal as long as no constant of one changes."""
    text = source(db, file)
    starts = text.grouped.starts
    return tuple(
        [
            (starts[number] + index, literal)
            for number, texts in enumerate(text.blocks)
            for index, literal in _block_literals(db, texts)
        ]
    )
