"""Groups of chunks, for queries about all chunks of a file: an edit costs its own group and a look-up for each other one.

The borders follow the chunks' contents: an item that is inserted, moved or removed changes the groups around it and no other.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Final, Protocol
from zlib import crc32

LEAST: Final = 6
MOST: Final = 48
"""Chunks of a block, but for the last one of a file."""
_RATE: Final = 14
"""Of so many chunks one can begin a block if `LEAST` others stand in the block before it: 18 chunks make a block on average."""
_MOST_LINES: Final = 20
_LONGEST: Final = 200
"""Of a chunk so many lines are looked at for its item, and so many characters of the item."""

_OFTEN: Final = 20
"""Blocks between two pauses."""

Block = tuple[str, ...]
"""The texts of some successive chunks."""


class KnownBlock(tuple[str, ...]):
    """A block of a file, with what is known of it (`block_answers.py`): no part of its value.

    `answers` follow from its texts alone, by query. `latest` is at the disposal of `check_file`: what it was given last about the
    block, and what came of it.
    """

    answers: dict[Any, Any]
    latest: Any


class Chunk(Protocol):
    """See `text.Chunk`."""

    begins_block: bool | None

    @property
    def text(self) -> str: ...


def no_pause() -> None:
    """The pause of callers that never yield."""


class Blocks:
    """The blocks of a file; block i begins with the chunk `starts[i]`.

    `answers` are those about all blocks, by query, and `earlier` those before an edit which left all but the blocks `scanned`
    (first and end): see `block_answers.py`.
    """

    __slots__ = ("answers", "blocks", "earlier", "scanned", "starts")

    def __init__(
        self,
        blocks: tuple[KnownBlock, ...],
        starts: tuple[int, ...],
        scanned: tuple[int, int] = (0, 0),
        earlier: dict[Any, list[Any]] | None = None,
    ) -> None:
        self.blocks = blocks
        self.starts = starts
        self.scanned = scanned
        self.answers: dict[Any, list[Any]] = {}
        self.earlier = earlier or {}

    @classmethod
    def of(cls, chunks: Sequence[Chunk], pause: Callable[[], None] = no_pause) -> Blocks:
        """The blocks of a file with these chunks; `pause` is called now and then."""
        return cls((), (0,)).edited(chunks, 0, len(chunks), pause)

    def number(self, chunk: int) -> int:
        """The block that a chunk lies in."""
        return bisect_right(self.starts, chunk) - 1

    def edited(self, chunks: Sequence[Chunk], first: int, behind: int, pause: Callable[[], None] = no_pause) -> Blocks:
        """The blocks after an edit: `chunks` are all chunks now; those before `first` and from `behind` on are unchanged.

        Blocks that stay are the same objects.
        """
        # A block is known to stay if the chunk behind it, which ends it, stays too.
        kept = max(0, bisect_left(self.starts, first) - 1) if self.blocks else 0
        shift = len(chunks) - sum(map(len, self.blocks))
        old_starts = {start + shift: number for number, start in enumerate(self.starts) if start + shift >= behind}
        starts = [self.starts[kept]]
        while (start := _next_start(chunks, starts[-1])) is not None and start not in old_starts:
            starts.append(start)
            if len(starts) % _OFTEN == 0:
                pause()
        scanned = []
        for a, b in pairwise([*starts, len(chunks) if start is None else start]):
            scanned.append(_texts(chunks[a:b]))
            if len(scanned) % _OFTEN == 0:
                pause()
        blocks, all_starts = (*self.blocks[:kept], *scanned), (*self.starts[:kept], *starts)
        if start is not None:
            tail = old_starts[start]
            blocks = (*blocks, *self.blocks[tail:])
            all_starts = (*all_starts, *[each + shift for each in self.starts[tail:]])
        return Blocks(blocks, all_starts, (kept, kept + len(scanned)), self.answers)


def _texts(chunks: Sequence[Chunk]) -> KnownBlock:
    block = KnownBlock([chunk.text for chunk in chunks])
    block.answers, block.latest = {}, None
    return block


def _next_start(chunks: Sequence[Chunk], start: int) -> int | None:
    """The end of the block that begins at `start`; None if it is the last one."""
    for index in range(start + LEAST, min(start + MOST, len(chunks))):
        chunk = chunks[index]
        if chunk.begins_block is None:
            chunk.begins_block = _begins_block(chunk.text)
        if chunk.begins_block:
            return index
    return start + MOST if start + MOST < len(chunks) else None


def _begins_block(text: str) -> bool:
    """True if a chunk can begin a block. Its item's name decides, so typing in a body moves no border."""
    heads = (line.strip() for line in text.split("\n", _MOST_LINES))
    head = next((head for head in heads if head and not head.startswith("//")), "")
    name = head[:_LONGEST].partition("(")[0].partition("{")[0]
    return crc32(name.encode("utf-8", "surrogatepass")) % _RATE == 0
