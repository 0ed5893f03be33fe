"""File-level diagnostics before their places are resolved, and what the rules that find them are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from analysis.database import Database, paced
from analysis.diagnostics.diagnostic import Place, Topic
from analysis.inputs import FileId
from analysis.semantics.app_shapes import REQUIRED
from analysis.semantics.declarations import BlockNames, Declarations
from analysis.syntax.tree import Item
from analysis.text.edits import Fix, Span

FUNCTION: Final = "function"
TYPE: Final = "type"
IMPORT: Final = "import"
VARIANT: Final = "variant"
FIELD: Final = "field"
TEXT: Final = "text"
CALL: Final = "call"
"""The kinds of places; a `TEXT` is the first string of the nth function that holds the member's text, a `CALL` the first call of
the member in a right side of `&&` or `||` there."""


class Problem(NamedTuple):
    """A diagnostic whose place is not resolved yet; `first` is the first definition of a name that is defined twice."""

    code: str
    place: Place
    message: str
    help: str
    why: str = ""
    first: Place | None = None
    rename: str = ""
    topic: Topic = Topic.NONE
    capability: str = ""


class Problems:
    """The problems of a block's chunks, each with the chunk's index in the block; hashed once."""

    __slots__ = ("_hash", "rows")

    def __init__(self, rows: tuple[tuple[int, Problem], ...]) -> None:
        self.rows = rows
        self._hash = hash(tuple([hash(row) for row in paced(rows, 500)]))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Problems) and self._hash == other._hash and self.rows == other.rows)


NO_PROBLEMS: Final = Problems(())


def problems_of(rows: tuple[tuple[int, Problem], ...]) -> Problems:
    """The problems of a block, one object for all blocks without any."""
    return Problems(rows) if rows else NO_PROBLEMS


class FileContext(NamedTuple):
    """What a rule about a file is given: the declarations of its chunks, and the names that each of its blocks declares."""

    db: Database
    file: FileId
    facts: tuple[Declarations, ...]
    names: Sequence[BlockNames]

    def is_app(self) -> bool:
        """True if the file declares the functions that the host of an app calls."""
        return all(any(name in block.functions for block in self.names) for name in REQUIRED)


FixesOf = Callable[[str, Item, Span, Problem], tuple[Fix, ...]]
"""The fixes of a problem, given the text of its chunk, and its item and span there."""
