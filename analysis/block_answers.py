"""The answers about each block of a file, kept with the block: nothing is looked up about those that an edit leaves.

To look a block up means to hash its texts. The queries about a whole file all do it after each keystroke, so what is known of a
block is kept with it: answers that follow from its texts alone, in whatever database.
"""

from __future__ import annotations

from typing import TypeVar

from analysis.blocks import Block, KnownBlock
from analysis.database import Database, Query
from analysis.inputs import FileId, source

_Answer = TypeVar("_Answer")


def of_blocks(db: Database, file: FileId, asked: Query[Block, _Answer]) -> list[_Answer]:
    """The answers of a query about each block of a file."""
    blocks = source(db, file).blocks
    try:
        return [block.answers[asked] for block in blocks]
    except KeyError:
        return [block.answers[asked] if asked in block.answers else _computed_answer(db, block, asked) for block in blocks]


def _computed_answer(db: Database, block: KnownBlock, asked: Query[Block, _Answer]) -> _Answer:
    answer = asked(db, block)
    # Another kind of answer is a dependency of whoever asks: it has to be asked for each time.
    if db.is_constant(asked, block):
        block.answers[asked] = answer
    return answer
