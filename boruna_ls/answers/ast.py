"""The answer of `boruna_ast` (spec chapter 02 section 8): the tree of a text that parses."""

from __future__ import annotations

from typing import Any, Final

from analysis.database import Database, paced
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.syntax.tree import Item
from analysis.syntax.tree_json import program_to_json, program_to_pretty
from boruna_ls.answers.envelope import success

SIZE_LIMIT: Final = 102_400
"""Bytes of pretty text that are shown; the tree of a larger program is given as the beginning of that text."""
NESTING_LIMIT: Final = 100
"""Levels of arrays and objects that every JSON reader can be expected to read inside a message."""


def ast_answer(db: Database, file: FileId) -> dict[str, Any]:
    """The tree of a file that parses: as values, or as the beginning of its pretty text if that is too long."""
    items = items_of(db, file)
    text, size = program_to_pretty(items, SIZE_LIMIT)
    if size > SIZE_LIMIT:
        return success(ast=text, ast_size=size, truncated=True)
    return success(ast=program_to_json(items), truncated=False)


def items_of(db: Database, file: FileId) -> list[Item]:
    """All items of a file, in source order."""
    return [item for chunk in source(db, file).chunks for item in chunk_tree(db, chunk.text).items]


def nesting(value: Any) -> int:
    """Levels of arrays and objects in a JSON value."""
    level, layer = 0, [value]
    while layer := [inside for inside in paced(layer) if isinstance(inside, (dict, list))]:
        level += 1
        layer = [inner for outer in paced(layer) for inner in (outer.values() if isinstance(outer, dict) else outer)]
    return level
