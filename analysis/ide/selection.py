"""Spans around the cursor for "expand selection": word, expression, bracketed text, statement, block, item, file."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from analysis.database import Database, paced
from analysis.ide.comment_spans import comments
from analysis.ide.name_meanings import item_around
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.syntax import tree as t
from analysis.syntax.lexer import STRING, Tokens
from analysis.text.edits import Span

_OFTEN: Final = 2_000
"""Tokens after which others may go first."""


def selection_ranges(db: Database, file: FileId, offset: int) -> tuple[Span, ...]:
    """Spans around an offset, innermost first; each lies in the next and is smaller; the last is the whole file."""
    text = source(db, file)
    offset = max(0, min(offset, len(text.text)))
    chunk = text.chunk_at(offset)
    start, content = text.offsets[chunk], text.chunks[chunk].text
    local = offset - start
    tree = chunk_tree(db, content)
    spans: list[Span] = [(0, len(content.rstrip()))]
    item = item_around(tree.items, local)
    if item is not None:
        spans += [(node.start, node.end) for node in t.path_to(item, local)]
        spans.append((_start_with_comments(db, content, item.start), item.end))
    spans += _brackets(tree.tokens, local)
    spans += _words(tree.tokens, local)
    spans += [span for span in comments(db, content) if span[0] <= local <= span[1]]
    absolute = [(begin + start, end + start) for begin, end in spans if begin <= local <= end]
    return _nested([*absolute, (0, len(text.text))])


def _nested(spans: list[Span]) -> tuple[Span, ...]:
    """The spans from small to large, without those that cross a smaller one (in broken text)."""
    chosen: list[Span] = []
    for span in sorted(set(spans), key=lambda each: (each[1] - each[0], each)):
        if span[0] < span[1] and (not chosen or (span[0] <= chosen[-1][0] and chosen[-1][1] <= span[1])):
            chosen.append(span)
    return tuple(chosen) or ((0, 0),)


def _start_with_comments(db: Database, text: str, start: int) -> int:
    """The start of the comment lines directly above an item."""
    for begin, end in reversed([span for span in comments(db, text) if span[1] <= start]):
        if text[end:start].strip() or text.count("\n", end, start) != 1:
            break
        start = begin
    return start


def _brackets(tokens: Tokens, offset: int) -> list[Span]:
    """Pairs of brackets around an offset, each with and without the brackets themselves."""
    opened: list[int] = []
    spans: list[Span] = []
    for kind, start, end in paced(zip(tokens.kinds, tokens.starts, tokens.ends, strict=True), _OFTEN):
        if kind in ("(", "[", "{"):
            opened.append(start)
        elif kind in (")", "]", "}") and opened:
            begin = opened.pop()
            if begin <= offset <= end:
                spans.append((begin, end))
                if begin < offset < end:
                    inner = tokens.text[begin + 1 : start]
                    left = begin + 1 + len(inner) - len(inner.lstrip())
                    spans.append((left, left + len(inner.strip())))
    return spans


def _words(tokens: Tokens, offset: int) -> list[Span]:
    """The token that touches an offset, a string also without its quotes; of two the one that begins there."""
    index = bisect_right(tokens.starts, offset) - 1
    spans: list[Span] = []
    for each in (index, index - 1):
        if each < 0 or not tokens.starts[each] <= offset <= tokens.ends[each]:
            continue
        start, end, kind = tokens.starts[each], tokens.ends[each], tokens.kinds[each]
        if kind == STRING and start < offset < end:
            spans.append((start + 1, end - 1))
        if kind == STRING or tokens.text[start:end].isalnum() or "_" in tokens.text[start:end]:
            spans.append((start, end))
            break
    return spans
