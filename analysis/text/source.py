"""The text of a file as a value: split into chunks, edited incrementally, with every position conversion.

A `Chunk` is a stretch of text that normally holds one top-level item and the comments before it; everything after this module
is keyed by a chunk's own text, so an edit costs what its chunk costs. All offsets are code points; spans are half-open.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import accumulate, islice, pairwise
from operator import attrgetter
from typing import Final

from analysis.database import checkpoint
from analysis.text.affixes import common_prefix, common_suffix
from analysis.text.blocks import Blocks, KnownBlock, no_pause
from analysis.text.splitting import recovered_starts, strict_starts

_RESUME_BORDERS: Final = 64
"""Number of old borders behind an edit that a scan tries to meet; a scan that misses them all is right, only longer."""
_LONE_RETURN: Final = re.compile(r"\r(?!\n)")
_LSP_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_LONG: Final = 4_096
"""Characters up to which a chunk or a line is simply looked through."""
_STEP: Final = 1_024
_PIECE: Final = 50_000
"""Characters whose lines are found at once."""
_OFTEN: Final = 1_000
"""Chunks between two pauses."""
_MANY: Final = 10_000
"""Numbers of chunks between two pauses."""
_NEWLINES: Final = attrgetter("newlines")


class Encoding(StrEnum):
    """Units in which a column is counted, with LSP's names for them."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


class Chunk:
    """A stretch of a file's text; `newlines` counts its line feeds, `returns` the carriage returns that stand alone."""

    __slots__ = ("begins_block", "newlines", "returns", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.newlines = text.count("\n")
        self.returns = len(_LONE_RETURN.findall(text)) if "\r" in text else 0
        self.begins_block: bool | None = None
        """True if the chunk can be the first of a block; None until `blocks.py` has found out."""

    def __repr__(self) -> str:
        return f"Chunk({self.text!r})"


class Source:
    """The text of one file, immutable; equal to another with the same text.

    `offsets[i]` and `first_lines[i]` tell where chunk i starts (code points; lines from 0, ended by line feeds only).
    `strict` is False where the text ends inside a string or a brace: then chunks start at keywords in column 0 only, so
    that one typed quote does not swallow the file.
    """

    __slots__ = (
        "__weakref__",
        "_bytes",
        "_grouped",
        "_has_returns",
        "_line_ends",
        "_lsp_first_lines",
        "chunks",
        "first_lines",
        "offsets",
        "scanned",
        "strict",
        "text",
    )

    def __init__(self, text: str, chunks: tuple[Chunk, ...], offsets: list[int], first_lines: list[int], strict: bool) -> None:
        self.text = text
        self.chunks = chunks
        self.offsets = offsets
        self.first_lines = first_lines
        self.strict = strict
        self._lsp_first_lines: list[int] | None = None
        self._grouped: Blocks | None = None
        self.scanned = 0
        """Characters of the chunks that an edit has made anew; 0 for a text that is none's successor."""
        self._has_returns: bool | None = None
        """True if the text holds a carriage return; cached, because searching one dominates the cost of an edit of a long
        text."""
        self._line_ends: list[int] | None = None
        """Offsets of all line feeds; computed at the first request for a place in a long chunk."""
        self._bytes: list[int] | None = None
        """Number of UTF-8 bytes before each `_STEP`th character; None until a place in a long line is requested."""

    @property
    def grouped(self) -> Blocks:
        """The chunks' texts in groups."""
        if self._grouped is None:
            self._grouped = Blocks.of(self.chunks, checkpoint)
        return self._grouped

    @property
    def blocks(self) -> tuple[KnownBlock, ...]:
        return self.grouped.blocks

    @property
    def requested_blocks(self) -> tuple[KnownBlock, ...]:
        """The blocks; none if nobody has asked for them yet, since grouping a long text takes a while."""
        return self._grouped.blocks if self._grouped is not None else ()

    @classmethod
    def from_text(cls, text: str, pause: Callable[[], None] = no_pause) -> Source:
        """Splits a whole text; `pause` is called now and then, and may end it by an exception."""
        starts = strict_starts(text, 0, pause=pause)
        if starts is not None:
            return cls._split(text, starts, True, pause)
        return cls._split(text, recovered_starts(text, pause), False, pause)

    @classmethod
    def _split(cls, text: str, offsets: list[int], strict: bool, pause: Callable[[], None]) -> Source:
        chunks = _chunks(text, offsets, len(text), pause)
        *first_lines, _ = _listed(accumulate(map(_NEWLINES, chunks), initial=0), pause)
        return cls(text, chunks, offsets, first_lines, strict)

    def edited(self, start: int, end: int, new: str, pause: Callable[[], None] = no_pause) -> Source:
        """The source after `text[start:end]` was replaced by `new`; only the chunks that the edit touches are scanned again.

        `pause` as for `from_text`. Raises ValueError if the span does not lie in the text.
        """
        if not 0 <= start <= end <= len(self.text):
            raise ValueError(f"edit {start}..{end} lies outside a text of {len(self.text)} characters")
        text = "".join((self.text[:start], new, self.text[end:]))
        if not self.strict:
            source = Source.from_text(text, pause)
            source.scanned = _unlike(self, source, pause)
            return source
        shift = len(new) - (end - start)
        # The chunk before the first touched one is scanned again, too: an edit at a border can move that border.
        first = max(0, self.chunk_at(start) - 1)
        # A border is trusted again only behind the chunk that holds the end of the edit.
        behind = bisect_right(self.offsets, end)
        resume = frozenset(offset + shift for offset in self.offsets[behind : behind + _RESUME_BORDERS])
        starts = strict_starts(text, self.offsets[first], resume, pause)
        if starts is None:
            # What stands before the edit was scanned strictly already: a scan from the start would end the same way.
            source = Source._split(text, recovered_starts(text, pause), False, pause)
            source.scanned = _unlike(self, source, pause)
            return source
        if starts[-1] in resume:
            limit = starts.pop()
            tail = bisect_right(self.offsets, limit - shift) - 1
        else:
            limit, tail = len(text), len(self.chunks)
        scanned = _chunks(text, starts, limit, pause)
        chunks = self.chunks[:first] + scanned + self.chunks[tail:]
        offsets = self.offsets[:first] + starts + _listed(map(shift.__add__, self.offsets[tail:]), pause)
        *lines, behind_scanned = _listed(accumulate(map(_NEWLINES, scanned), initial=self.first_lines[first]), pause)
        added = behind_scanned - self.first_lines[tail] if tail < len(self.chunks) else 0
        lines += _listed(map(added.__add__, self.first_lines[tail:]), pause)
        source = Source(text, chunks, offsets, self.first_lines[:first] + lines, True)
        source.scanned = limit - starts[0]
        if self._has_returns is False and "\r" not in new:
            source._has_returns = False
        if self._grouped is not None:
            source._grouped = self._grouped.edited(chunks, first, first + len(scanned), pause)
        return source

    @property
    def has_returns(self) -> bool:
        """True if the text holds a carriage return."""
        if self._has_returns is None:
            self._has_returns = "\r" in self.text
        return self._has_returns

    @property
    def has_crlf(self) -> bool:
        """True if a line ends with CR LF."""
        return self.has_returns and "\r\n" in self.text

    def replaced_by(self, text: str, pause: Callable[[], None] = no_pause) -> Source:
        """The source of another text, scanned only where it differs from this one; `pause` as for `from_text`."""
        prefix = common_prefix(self.text, text)
        suffix = min(common_suffix(self.text, text), min(len(self.text), len(text)) - prefix)
        return self.edited(prefix, len(self.text) - suffix, text[prefix : len(text) - suffix], pause)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Source) and self.text == other.text)

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Source({self.text[:40]!r}, {len(self.chunks)} chunks)"

    # ---- positions: lines end at line feeds only (tools, command line) -----------------------------------------

    def chunk_at(self, offset: int) -> int:
        """Index of the chunk that holds the character at `offset` (the last one at the end of the text)."""
        return bisect_right(self.offsets, offset) - 1

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column) from 0, the column in code points."""
        index = self.chunk_at(offset)
        start = self.offsets[index]
        if offset - start < _LONG:
            line = self.first_lines[index] + self.chunks[index].text.count("\n", 0, offset - start)
            return line, offset - (self.text.rfind("\n", 0, offset) + 1)
        # Looked through anew for each of its places, a long chunk would take the square of its length.
        if self._line_ends is None:
            self._line_ends = _line_feeds(self.text)
        line = bisect_left(self._line_ends, offset)
        return line, offset - (self._line_ends[line - 1] + 1 if line else 0)

    def byte_position(self, offset: int) -> tuple[int, int]:
        """(line, column) from 1, the column in UTF-8 bytes: the unit of the tools."""
        line, column = self.position(offset)
        return line + 1, self.bytes_between(offset - column, offset) + 1

    def bytes_between(self, start: int, end: int) -> int:
        """Number of UTF-8 bytes that `text[start:end]` takes."""
        if self.text.isascii() or end - start < _LONG:
            return units(self.text, start, end, Encoding.UTF8)
        if self._bytes is None:
            sizes = [units(self.text, at, at + _STEP, Encoding.UTF8) for at in range(0, len(self.text), _STEP)]
            self._bytes = list(accumulate(sizes, initial=0))
        first, last = (units(self.text, at - at % _STEP, at, Encoding.UTF8) + self._bytes[at // _STEP] for at in (start, end))
        return last - first

    def offset_of(self, line: int, column: int, encoding: Encoding = Encoding.UTF32) -> int:
        """The offset of a position from 0; a column behind the line's end means its end, a line behind the last the text's end.

        Raises ValueError for negative numbers.
        """
        if line < 0 or column < 0:
            raise ValueError("lines and columns are counted from 0")
        index = bisect_right(self.first_lines, line) - 1
        start = self.offsets[index]
        # Several chunks can begin on one line: the line's own start lies in the first of them or before it.
        while start and self.text[start - 1] != "\n" and self.first_lines[index] == line:
            index -= 1
            start = self.offsets[index]
        for _ in range(line - self.first_lines[index]):
            start = self.text.find("\n", start) + 1
            if start == 0:
                return len(self.text)
        stop = self.text.find("\n", start)
        return advance(self.text, start, len(self.text) if stop < 0 else stop, column, encoding)

    # ---- positions as LSP counts them: lines end at LF, CR LF and CR ----------------------------------------------

    @property
    def lsp_first_lines(self) -> list[int]:
        """The line (from 0) on which each chunk starts, as LSP counts lines."""
        if self._lsp_first_lines is None:
            if self.has_returns and any(chunk.returns for chunk in self.chunks):
                counts = [chunk.newlines + chunk.returns for chunk in self.chunks]
                self._lsp_first_lines = [0, *accumulate(counts[:-1])]
            else:
                self._lsp_first_lines = self.first_lines
        return self._lsp_first_lines

    def lsp_position(self, offset: int, encoding: Encoding) -> tuple[int, int]:
        """(line, character) from 0 in the negotiated encoding."""
        if not self.has_returns:
            line, column = self.position(offset)
            return line, units(self.text, offset - column, offset, encoding)
        index = self.chunk_at(offset)
        start = self.offsets[index]
        line = self.lsp_first_lines[index]
        line_start = self.text.rfind("\n", 0, start) + 1 if start else 0
        before = max(line_start, self.text.rfind("\r", 0, start) + 1) if start else 0
        line_start = before
        for end in _LSP_LINE_END.finditer(self.text, start, min(len(self.text), offset + 1)):
            if end.end() > offset:
                # Between CR and LF: the end of the line that they close.
                break
            line, line_start = line + 1, end.end()
        return line, units(self.text, line_start, offset, encoding)

    def lsp_offset(self, line: int, character: int, encoding: Encoding) -> int:
        """The offset of an LSP position; behind a line's end means its end, behind the last line the text's end.

        Raises ValueError for negative numbers.
        """
        if line < 0 or character < 0:
            raise ValueError("lines and characters are counted from 0")
        firsts = self.lsp_first_lines
        index = bisect_right(firsts, line) - 1
        while index and firsts[index] == line and self.text[self.offsets[index] - 1] not in "\r\n":
            index -= 1
        start, current = self.offsets[index], firsts[index]
        if not self.has_returns:
            start, passed = _near_line(self.text, start, line - current)
            current += passed
        while current < line:
            end = _LSP_LINE_END.search(self.text, start)
            if end is None:
                return len(self.text)
            start, current = end.end(), current + 1
        end = _LSP_LINE_END.search(self.text, start)
        return advance(self.text, start, end.start() if end else len(self.text), character, encoding)


def _line_feeds(text: str) -> list[int]:
    """The offsets of all line feeds."""
    offsets: list[int] = []
    for start in range(0, len(text), _PIECE):
        checkpoint()
        lines = text[start : start + _PIECE].split("\n")
        offsets += list(accumulate([len(line) + 1 for line in lines[:-1]], initial=start - 1))[1:]
    return offsets


def _near_line(text: str, start: int, lines: int) -> tuple[int, int]:
    """An offset shortly before that behind so many line feeds from `start` on, and how many of them it lies behind.

    Counting finds it a hundred times sooner than a look at each line.
    """
    passed, end = 0, len(text)
    while lines and end - start > _LONG:
        middle = (start + end) // 2
        counted = text.count("\n", start, middle)
        if passed + counted >= lines:
            end = middle
        else:
            start, passed = middle, passed + counted
    return start, passed


def units(text: str, start: int, end: int, encoding: Encoding) -> int:
    """Number of units of an encoding that `text[start:end]` takes."""
    if encoding is Encoding.UTF32 or text.isascii():
        return min(end, len(text)) - start
    piece = text[start:end]
    if piece.isascii():
        return len(piece)
    if encoding is Encoding.UTF8:
        return len(piece.encode("utf-8", "surrogatepass"))
    return len(piece) + sum(character > "\uffff" for character in piece)


def advance(text: str, start: int, stop: int, count: int, encoding: Encoding) -> int:
    """The offset `count` units behind `start`, at most `stop`; a count inside a character means that character's start."""
    if encoding is Encoding.UTF32 or text[start : min(stop, start + count)].isascii():
        return min(stop, start + count)
    position, used = start, 0
    while position < stop:
        used += units(text, position, position + 1, encoding)
        if used > count:
            return position
        position += 1
    return stop


def lines_of(text: str) -> Iterator[str]:
    """Lines as chapter 05 counts them: split at line feeds, a last empty piece dropped, a carriage return at the end removed."""
    pieces = text.split("\n")
    if pieces and not pieces[-1]:
        pieces.pop()
    return (piece.removesuffix("\r") for piece in pieces)


def _unlike(before: Source, after: Source, pause: Callable[[], None]) -> int:
    """Characters of the chunks of a text without those at its beginning and end that another text begins and ends with, too."""
    count, size = _alike(zip(before.chunks, after.chunks, strict=False), pause)
    rest = islice(reversed(after.chunks), len(after.chunks) - count)
    return len(after.text) - size - _alike(zip(reversed(before.chunks), rest, strict=False), pause)[1]


def _alike(pairs: Iterable[tuple[Chunk, Chunk]], pause: Callable[[], None]) -> tuple[int, int]:
    """The number of first pairs with equal texts, and the number of their characters."""
    count = size = 0
    for one, other in pairs:
        if one.text != other.text:
            break
        count += 1
        size += len(one.text)
        if count % _OFTEN == 0:
            pause()
    return count, size


def _listed(numbers: Iterable[int], pause: Callable[[], None]) -> list[int]:
    """A list of numbers that are about chunks."""
    rest, listed = iter(numbers), list[int]()
    while part := list(islice(rest, _MANY)):
        if listed:
            pause()
        listed += part
    return listed


def _chunks(text: str, starts: Sequence[int], end: int, pause: Callable[[], None]) -> tuple[Chunk, ...]:
    """The chunks that begin at `starts`, the last of which ends at `end`."""
    chunks: list[Chunk] = []
    for a, b in pairwise((*starts, end)):
        chunks.append(Chunk(text[a:b]))
        if len(chunks) % _OFTEN == 0:
            pause()
    return tuple(chunks)
