"""The answers about each block of a file, kept with the block: nothing is looked up about those that an edit leaves.

To look a block up means to hash its texts. The queries about a whole file all do it after each keystroke, so what is known of a
block is kept with it: answers that follow from its texts alone, in whatever database. The list of them is kept with the blocks of
the file, and the next text takes all of it over but for the blocks that an edit changed.
"""

from __future__ import annotations

from typing import TypeVar

from analysis.database import Database, Query
from analysis.inputs import FileId, source
from analysis.text.blocks import Block, KnownBlock

_Answer = TypeVar("_Answer")


def of_blocks(db: Database, file: FileId, asked: Query[Block, _Answer]) -> list[_Answer]:
    """The answers of a query about each block of a file."""
    grouped = source(db, file).grouped
    answers: list[_Answer] | None = grouped.answers.get(asked)
    if answers is not None:
        return answers
    blocks = grouped.blocks
    if asked in grouped.earlier:
        # Those of the blocks that an edit left, without a look at each.
        first, last = grouped.scanned
        before: list[_Answer] = grouped.earlier[asked]
        behind = len(before) - (len(blocks) - last)
        answers = before[:first]
        answers += [_answer(db, block, asked) for block in blocks[first:last]]
        answers += before[behind:]
    else:
        answers = [_answer(db, block, asked) for block in blocks]
    if all(asked in block.answers for block in blocks[slice(*grouped.scanned)]):
        grouped.answers[asked] = answers
    return answers


def _answer(db: Database, block: KnownBlock, asked: Query[Block, _Answer]) -> _Answer:
    if asked in block.answers:
        cached: _Answer = block.answers[asked]
        return cached
    answer = asked(db, block)
    # Another kind of answer is a dependency of whoever asks: it has to be asked for each time.
    if db.is_constant(asked, block):
        block.answers[asked] = answer
    return answer
