"""What a kind of document is: one value that says how files of it are called, read, judged, and what editors show of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from analysis.database import Database
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.inputs import FileId

Check = Callable[[Database, FileId], Iterable[Diagnostic]]


def _nothing(db: Database, file: FileId) -> tuple[Diagnostic, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class DocumentKind:
    """`patterns` are what the ends of paths look like, with `/` between folders; `language` is "json" or "toml"."""

    name: str
    title: str
    patterns: tuple[str, ...]
    language: str
    check: Check = _nothing
    named: Callable[[str], Iterable[str]] | None = None
    """The files that a text names, relative to its folder."""

    def is_of(self, path: str) -> bool:
        """Whether a file has a name of this kind."""
        parts = path.replace("\\", "/").rsplit("/")
        return any(fnmatchcase("/".join(parts[-1 - pattern.count("/") :]), pattern) for pattern in self.patterns)


UNKNOWN: Final = DocumentKind("", "", (), "")
"""A document of somebody else: nothing is said of it."""
