"""A kind of document as one value: its file names, its checks, and what editors show."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from analysis.config.schema import Table
from analysis.data_classes import dataclass
from analysis.database import Database
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.documents.completions import Around, Link, Offer, Slot
from analysis.documents.opened import Opened
from analysis.documents.parsed import Path
from analysis.ide.name_meanings import Place
from analysis.inputs import FileId
from analysis.text.edits import Span

Check = Callable[[Database, FileId], Iterable[Diagnostic]]


class Occurrence(NamedTuple):
    """A place where a name stands that the document declares: the name alone, without its quotes."""

    name: str
    span: Span
    is_declaration: bool = False


def _nothing(db: Database, file: FileId) -> tuple[Diagnostic, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class DocumentKind:
    """`patterns` are what the ends of paths look like, with `/` between folders; `language` is "json" or "toml".

    `table` has its fields: names and choices that are completed, and what hover says of them. The rest is what a kind knows
    beyond that.
    """

    name: str
    title: str
    patterns: tuple[str, ...]
    language: str
    table: Table | None = None
    check: Check = _nothing
    named: Callable[[Database, str], Iterable[str]] | None = None
    """The files that a text names, relative to its folder."""
    offers: Callable[[Opened, Slot, Around], Iterable[Offer]] | None = None
    """Completions beside those of the table."""
    describe: Callable[[Opened, Path, bool, int], Iterable[str]] | None = None
    """Paragraphs about a name (True) or a value at an offset."""
    targets: Callable[[Opened, Path, bool, int], Iterable[Place]] | None = None
    """Declarations of the same name."""
    links: Callable[[Opened], Iterable[Link]] | None = None
    names: Callable[[Opened], Iterable[Occurrence]] | None = None
    """All places of the names that the document declares."""
    refuses: Callable[[str], str] | None = None
    """Reason why a name cannot have this text; "" if it can."""
    identity: Callable[[Opened], str] | None = None
    """Identifier of the document's runs; "" if it cannot be read. None for documents that cannot be run."""
    is_listed: bool = True
    """True if answers about a whole workspace include such documents; faults of settings come with every answer instead."""
    symbol: Callable[[Opened, Path], tuple[str, str] | None] | None = None
    """The kind and the detail of an entry of the outline that is more than a field."""

    def is_of(self, path: str) -> bool:
        """True if a file has a name of this kind."""
        parts = path.replace("\\", "/").rsplit("/")
        return any(fnmatchcase("/".join(parts[-1 - pattern.count("/") :]), pattern) for pattern in self.patterns)


UNKNOWN: Final = DocumentKind("", "", (), "", is_listed=False)
"""Kind of documents of another program, which get no diagnostics."""
