"""The formatter (spec chapter 03): a text in its one canonical layout, or the reason why it stays as it is.

A chunk is formatted by itself and remembered under its own text, so formatting a large file after one edit costs one
chunk. Nothing is believed: every result is parsed again, and given out only if tree and comments are the same and
formatting it again changes nothing.
"""

from __future__ import annotations

import re
from typing import Final

from analysis.data_classes import dataclass
from analysis.database import Database, checkpoint, paced, query
from analysis.formatting.comment_lines import comments_of, with_comments
from analysis.formatting.layout import lines_of
from analysis.inputs import CHUNK
from analysis.semantics.declarations import chunk_tree
from analysis.syntax.equality import same_trees
from analysis.syntax.parser import ChunkTree, parse
from analysis.syntax.tree import Module
from analysis.text.source import Source

_LINE_END_OUTSIDE: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|//[^\n]*+\n?|(\r\n)|(\n)', re.DOTALL)
_UNSAFE: Final = "formatting would change the program here, so nothing was changed"


@dataclass(frozen=True, slots=True)
class Formatted:
    """The canonical text; equal to the source if that was canonical already."""

    text: str


@dataclass(frozen=True, slots=True)
class Refused:
    """Reason why a text is left unchanged: its first error, or the place where the result would be another program.

    `line` counts from 1; `column` from 1 in UTF-8 bytes, only for lexical errors.
    """

    line: int
    column: int | None
    message: str


@dataclass(frozen=True, slots=True)
class FormattedChunk:
    """`text` holds the items with their comments, "" if there are none; `rest` the comments behind the last token."""

    text: str
    rest: str


def format_source(db: Database | None, source: Source | str) -> Formatted | Refused | None:
    """Formats a whole text, None if it does not parse; with a database, chunks that it has seen before cost nothing."""
    if isinstance(source, str):
        source = Source.from_text(source, checkpoint)
    line_end = line_end_of(source.text)
    if not source.strict:
        return _format_whole(source.text, line_end)
    chunks: list[FormattedChunk] = []
    for index, chunk in enumerate(source.chunks):
        tree = chunk_tree(db, chunk.text) if db is not None else parse(chunk.text)
        if not tree.is_sound or (index and any(isinstance(item, Module) for item in tree.items)):
            return _format_whole(source.text, line_end)
        formatted = formatted_chunk(db, chunk.text, line_end) if db is not None else format_chunk(tree, line_end)
        if formatted is None:
            return Refused(source.first_lines[index] + 1, None, _UNSAFE)
        chunks.append(formatted)
    pieces = _joined(chunks, line_end)
    text = "".join(pieces)
    # What holds for each chunk holds for the file if the file is split at the same places again.
    if [chunk.text for chunk in Source.from_text(text, checkpoint).chunks] != pieces:
        return _format_whole(source.text, line_end)
    return Formatted(text)


@query(limit=100_000, subject=CHUNK)
def formatted_chunk(db: Database, text: str, line_end: str) -> FormattedChunk | None:
    """A sound chunk in canonical layout, None if that would not be the same program."""
    return format_chunk(chunk_tree(db, text), line_end)


def format_chunk(tree: ChunkTree, line_end: str) -> FormattedChunk | None:
    """`formatted_chunk` without a database."""
    formatted = _print(tree, line_end)
    again = parse(formatted.text + formatted.rest)
    kept = (
        again.is_sound
        and same_trees(tree.items, again.items)
        and _comment_texts(tree, line_end) == _comment_texts(again, line_end)
        and _print(again, line_end) == formatted
    )
    return formatted if kept else None


def line_end_of(text: str) -> str:
    """The line end that a text uses outside strings and comments, the commoner one if it uses both."""
    if "\r\n" not in text:
        return "\n"
    windows = unix = 0
    for match in paced(_LINE_END_OUTSIDE.finditer(text), 1_000):
        windows += match[1] is not None
        unix += match[2] is not None
    return "\r\n" if windows > unix else "\n"


def _print(tree: ChunkTree, line_end: str) -> FormattedChunk:
    lines, rest = with_comments(lines_of(tree.items, tree.tokens), tree.tokens, comments_of(tree.tokens))
    if line_end == "\r\n":
        # A comment runs up to the line feed: the carriage return at its end belongs to the line end, not to it.
        lines, rest = ([line.removesuffix("\r") for line in paced(part)] for part in (lines, rest))
    return FormattedChunk(*("".join([line + line_end for line in paced(part)]) for part in (lines, rest)))


def _comment_texts(tree: ChunkTree, line_end: str) -> list[str]:
    texts = [comment.text for comment in comments_of(tree.tokens)]
    return [text.removesuffix("\r") for text in texts] if line_end == "\r\n" else texts


def _joined(chunks: list[FormattedChunk], line_end: str) -> list[str]:
    """The text of each chunk: a blank line before all but the first; comments left over stand before the next item."""
    pieces: list[str] = []
    waiting = ""
    for chunk in chunks:
        if chunk.text:
            pieces.append((line_end if pieces else "") + waiting + chunk.text)
            waiting = chunk.rest
        else:
            waiting += chunk.rest
    if pieces:
        pieces[-1] += waiting
        return pieces
    return [waiting or line_end]


def _format_whole(text: str, line_end: str) -> Formatted | Refused | None:
    """Formats a text that its chunks do not tell everything about: usually one that does not parse."""
    tree = parse(text)
    if not tree.is_sound:
        return None
    formatted = format_chunk(tree, line_end)
    return Formatted(formatted.text + formatted.rest or line_end) if formatted else Refused(1, None, _UNSAFE)
