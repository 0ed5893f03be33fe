"""Foldable ranges: bodies, blocks, matches and other brackets over several lines, runs of comments and imports.

All folds of a chunk are one answer; runs of imports span chunks and are assembled for the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from enum import StrEnum
from typing import Final, NamedTuple

from analysis.database import Database, paced, query
from analysis.ide.comment_spans import comments
from analysis.inputs import CHUNK, FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.syntax import tree as t
from analysis.text.edits import Span

_LINE_END: Final = re.compile("\n")
_CLOSING: Final = {"}": "{", ")": "(", "]": "["}


class FoldKind(StrEnum):
    CODE = "code"
    COMMENT = "comment"
    IMPORTS = "imports"


class Fold(NamedTuple):
    """Text that can be folded: between two brackets (both included), or whole lines. It always spans several lines."""

    span: Span
    kind: FoldKind


def folding_ranges(db: Database, file: FileId) -> tuple[Fold, ...]:
    """All folds of a file in order of position, absolute."""
    text = source(db, file)
    folds: list[Fold] = []
    imports: list[Span] = []
    for chunk, start in zip(text.chunks, text.offsets, strict=True):
        folds += [Fold((begin + start, end + start), kind) for (begin, end), kind in chunk_folds(db, chunk.text)]
        own = chunk_imports(db, chunk.text)
        if own is not None:
            imports += [(begin + start, end + start) for begin, end in own]
        elif imports:
            folds += _import_run(imports, text.text)
            imports = []
    folds += _import_run(imports, text.text)
    return tuple(sorted(folds))


def _import_run(imports: list[Span], text: str) -> list[Fold]:
    span = (imports[0][0], imports[-1][1]) if imports else (0, 0)
    return [Fold(span, FoldKind.IMPORTS)] if "\n" in text[span[0] : span[1]] else []


@query(subject=CHUNK)
def chunk_imports(db: Database, text: str) -> tuple[Span, ...] | None:
    """The imports of a chunk that holds nothing else, None for another chunk."""
    items = chunk_tree(db, text).items
    if not items or not all(isinstance(item, t.Import) for item in items):
        return None
    return tuple((item.start, item.end) for item in items)


@query(subject=CHUNK)
def chunk_folds(db: Database, text: str) -> tuple[Fold, ...]:
    """The folds of a chunk, relative to it."""
    return tuple(sorted([*_bracketed(db, text), *_comment_runs(db, text)]))


def _bracketed(db: Database, text: str) -> list[Fold]:
    """Pairs of brackets over several lines; of those that open on one line the outermost."""
    tokens = chunk_tree(db, text).tokens
    open_brackets: list[tuple[str, int]] = []
    counts = dict.fromkeys(_CLOSING.values(), 0)
    folds: dict[int, Fold] = {}
    lines = [each.start() for each in paced(_LINE_END.finditer(text), 1_000)]
    for kind, start, end in paced(zip(tokens.kinds, tokens.starts, tokens.ends, strict=True), 500):
        if kind in ("{", "(", "["):
            open_brackets.append((kind, start))
            counts[kind] += 1
        elif kind in _CLOSING and counts[_CLOSING[kind]]:
            # An unclosed bracket ends where the one around it does.
            while open_brackets[-1][0] != _CLOSING[kind]:
                counts[open_brackets.pop()[0]] -= 1
            opening, opened = open_brackets.pop()
            counts[opening] -= 1
            line = bisect_left(lines, opened)
            if line < len(lines) and lines[line] < end:
                folds[line] = Fold((opened, end), FoldKind.CODE)
    return list(folds.values())


def _comment_runs(db: Database, text: str) -> list[Fold]:
    """Comments of several lines with nothing else between them."""
    runs: list[Span] = []
    for start, end in comments(db, text):
        if text[text.rfind("\n", 0, start) + 1 : start].strip():
            continue
        if runs and not text[runs[-1][1] : start].strip() and text.count("\n", runs[-1][1], start) == 1:
            runs[-1] = runs[-1][0], end
        else:
            runs.append((start, end))
    return [Fold(run, FoldKind.COMMENT) for run in runs if "\n" in text[run[0] : run[1]]]
