"""Lets go of what was computed about texts that no file holds any more: each keystroke leaves answers about its own text behind.

An answer is about a file, a block or a chunk (`text.py`), and its key says which; the inputs say what there still is. Pure like
all of `analysis/`; `boruna_ls.workspace` walks through it when there is nothing else to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from analysis.database import Database
from analysis.diagnostics.file_rules import Problems
from analysis.inputs import FileId, source
from analysis.semantics.environment import ItemScope

SPARE: Final = 100
"""Answers of each query that stay although their texts are gone: the last keystrokes, to be undone, and texts of branches."""
VARIANTS: Final = 16
"""Answers of a query about the same text that stay, of those that differ in the facts around it: each state of the file's other
items has left one behind, and a text may stand in several files."""
_FACTS: Final = (ItemScope, Problems, frozenset)
_STEP: Final = 100
"""Files whose chunks are looked at in one step."""


def let_go(db: Database, spare: int = SPARE) -> Iterator[None]:
    """Evicts answers about texts, and surroundings of texts, that are gone, in steps of a millisecond or two."""
    files: set[FileId] = set()
    chunks: set[str] = set()
    blocks: set[tuple[str, ...]] = set()
    for number, (file, text) in enumerate(db.values(source)):
        files.add(file)
        blocks.update(text.blocks)
        chunks.update([chunk.text for chunk in text.chunks])
        if number % _STEP == _STEP - 1:
            yield
    yield from db.let_go(_is_live(files, chunks, blocks), spare, _subject, VARIANTS)


def _subject(arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """What an answer is about, without the facts that it depends on besides; None if there are none."""
    found = tuple([argument for argument in arguments if not isinstance(argument, _FACTS)])
    return found if 0 < len(found) < len(arguments) else None


def _is_live(files: set[FileId], chunks: set[str], blocks: set[tuple[str, ...]]) -> Callable[[tuple[Any, ...]], bool]:
    """Whether arguments of a query name only what there is; a text behind the first argument is no chunk but an option."""

    def is_live(arguments: tuple[Any, ...]) -> bool:
        first = arguments[0] if arguments else None
        if type(first) is str and first not in chunks:
            return False
        for argument in arguments:
            kind = type(argument)
            if (kind is FileId and argument not in files) or (kind is tuple and argument not in blocks):
                return False
        return True

    return is_live
