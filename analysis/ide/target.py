"""Target under the cursor: a name with its meaning, or a keyword. The other features begin here."""

from __future__ import annotations

from bisect import bisect_right

from analysis.data_classes import dataclass
from analysis.database import Database
from analysis.ide.name_meanings import Kind, Meaning, Place, meaning, spot_at
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.syntax.lexer import KEYWORDS
from analysis.text.edits import Span


@dataclass(frozen=True, slots=True)
class Target:
    """Meaning of the text at `span`, and the places of its declaration (see `Meaning.places`)."""

    kind: Kind
    name: str
    span: Span
    places: tuple[Place, ...]

    @property
    def meaning(self) -> Meaning:
        return Meaning(self.kind, self.name, self.places)


def target_at(db: Database, file: FileId, offset: int) -> Target | None:
    """The name or keyword that an offset lies in or directly behind; None for undefined names and for anything else."""
    if spot := spot_at(db, file, offset):
        meant = meaning(db, file, spot)
        return Target(meant.kind, meant.name, spot.span, meant.places) if meant else None
    if span := keyword_at(db, file, offset):
        return Target(Kind.KEYWORD, source(db, file).text[span[0] : span[1]], span, ())
    return None


def keyword_at(db: Database, file: FileId, offset: int) -> Span | None:
    """The keyword that an offset lies in or directly behind."""
    text = source(db, file)
    if not 0 <= offset <= len(text.text):
        return None
    chunk = text.chunk_at(offset)
    start = text.offsets[chunk]
    tokens = chunk_tree(db, text.chunks[chunk].text).tokens
    index = bisect_right(tokens.starts, offset - start) - 1
    if index > 0 and tokens.starts[index] == offset - start and tokens.kinds[index] not in KEYWORDS:
        index -= 1
    if index < 0 or offset - start > tokens.ends[index] or tokens.kinds[index] not in KEYWORDS:
        return None
    return start + tokens.starts[index], start + tokens.ends[index]
