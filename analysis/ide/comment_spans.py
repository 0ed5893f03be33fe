"""Spans of a chunk's comments: the lexer leaves them out, so they are searched between its tokens."""

from __future__ import annotations

import re
from typing import Final

from analysis.database import Database, query
from analysis.inputs import CHUNK
from analysis.semantics.declarations import chunk_tree
from analysis.text.edits import Span

_COMMENT: Final = re.compile(r"//[^\n]*")


@query(subject=CHUNK)
def comments(db: Database, text: str) -> tuple[Span, ...]:
    """The comments of a chunk in order, without the ends of their lines."""
    if "//" not in text:
        return ()
    tokens = chunk_tree(db, text).tokens
    spans: list[Span] = []
    begin = 0
    for start, end in zip(tokens.starts, tokens.ends, strict=True):
        if start - begin > 1:
            spans += (
                (match.start(), match.start() + len(match[0].removesuffix("\r")))
                for match in _COMMENT.finditer(text, begin, start)
            )
        begin = end
    return tuple(spans)
