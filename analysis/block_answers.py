"""The answers about each block of a file, found with one look-up for each block instead of one for each block and query.

To look a block up means to hash its texts. The queries about a whole file all do it after each keystroke, so what is known of a
block is kept with it: answers that follow from its texts alone.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

from analysis.blocks import Block
from analysis.database import Database, Query, query
from analysis.inputs import BLOCK, FILE, FileId, source

_Answer = TypeVar("_Answer")


class BlockAnswers:
    """The known answers about a block. Equal to another one of the same block, whatever that one knows.

    `latest` is at the disposal of `check_file`: what it was given last about the block, and what came of it.
    """

    __slots__ = ("answers", "latest", "texts")

    def __init__(self, texts: Block) -> None:
        self.texts = texts
        self.answers: dict[Any, Any] = {}
        self.latest: tuple[Any, ...] = _NOTHING

    def __hash__(self) -> int:
        return hash(self.texts)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, BlockAnswers) and self.texts == other.texts)


_NOTHING: Final = (None,)


@query(subject=BLOCK)
def block_answers(db: Database, texts: Block) -> BlockAnswers:
    """The known answers about a block; each is added where it is computed."""
    return BlockAnswers(texts)


@query(subject=FILE)
def file_blocks(db: Database, file: FileId) -> tuple[BlockAnswers, ...]:
    """The known answers about each block of a file."""
    return tuple([block_answers(db, texts) for texts in source(db, file).blocks])


def of_blocks(db: Database, file: FileId, asked: Query[Block, _Answer]) -> list[_Answer]:
    """The answers of a query about each block of a file."""
    blocks = file_blocks(db, file)
    try:
        return [block.answers[asked] for block in blocks]
    except KeyError:
        return [block.answers[asked] if asked in block.answers else _computed_answer(db, block, asked) for block in blocks]


def _computed_answer(db: Database, block: BlockAnswers, asked: Query[Block, _Answer]) -> _Answer:
    answer = asked(db, block.texts)
    # Another kind of answer is a dependency of whoever asks: it has to be asked for each time.
    if db.is_constant(asked, block.texts):
        block.answers[asked] = answer
    return answer
