"""Programs with marks, for tests of editor features: `<|>` is the cursor, `«…»` an expected span."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from analysis.database import Database
from analysis.inputs import FileId, Libraries, libraries, source
from analysis.text.edits import Span
from analysis.text.source import Source

WORKSPACE = "/workspace"
MAIN = FileId(WORKSPACE, "disk", f"{WORKSPACE}/main.ax")
_MARK = re.compile(r"<\|>|«|»")


@dataclass
class Marked:
    """A text without its marks, and where they were."""

    text: str
    cursors: list[int] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)

    @property
    def cursor(self) -> int:
        (only,) = self.cursors
        return only

    def words(self) -> list[str]:
        return [self.text[start:end] for start, end in self.spans]


def marked(text: str) -> Marked:
    """Takes the marks out of a text."""
    found = Marked("")
    opened: list[int] = []
    position = 0
    for mark in _MARK.finditer(text):
        found.text += text[position : mark.start()]
        position = mark.end()
        if mark[0] == "<|>":
            found.cursors.append(len(found.text))
        elif mark[0] == "«":
            opened.append(len(found.text))
        else:
            found.spans.append((opened.pop(), len(found.text)))
    found.text += text[position:]
    assert not opened, "a « without its »"
    found.spans.sort()
    return found


def library(name: str) -> FileId:
    """The file of a library."""
    return FileId(WORKSPACE, "library", f"{WORKSPACE}/libs/{name}/src/core.ax")


def opened(text: str, libs: Mapping[str, str] | None = None, db: Database | None = None) -> Database:
    """A database in which `MAIN` holds a text and the libraries `libs` (text by name) can be imported."""
    db = db or Database()
    source.set(db, MAIN, Source.from_text(text))
    if libs:
        for name, content in libs.items():
            source.set(db, library(name), Source.from_text(content))
        libraries.set(db, WORKSPACE, "", Libraries(tuple((name, library(name)) for name in sorted(libs))))
    return db
