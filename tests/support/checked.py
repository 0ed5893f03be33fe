"""Checks a text as a file of a workspace with the built-in libraries, and tells what was found line by line."""

from __future__ import annotations

from pathlib import Path

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.inputs import CheckSettings, FileId, Libraries, libraries, settings, source
from analysis.text.source import Source
from boruna_ls.data import libraries_folder
from tests.support.expectations import Found, located


class Checker:
    """A database with the built-in libraries; every text is checked as the same file."""

    def __init__(self, portable: bool = False) -> None:
        self.db = Database()
        settings.set(self.db, "", CheckSettings(portable=portable))
        self.file = FileId("", "inline", "main.ax")
        self.libraries: dict[str, Path] = {
            path.parent.parent.name: path for path in sorted(libraries_folder().glob("*/src/core.ax"))
        }
        files = {name: FileId("", "library", str(path)) for name, path in self.libraries.items()}
        for name, file in files.items():
            source.set(self.db, file, Source.from_text(self.libraries[name].read_bytes().decode("utf-8")))
        libraries.set(self.db, "", "", Libraries(tuple(sorted(files.items()))))

    def check(self, text: str) -> list[Found]:
        """All diagnostics of a text, in order."""
        placed = Source.from_text(text)
        source.set(self.db, self.file, placed)
        return [located(placed, start, made) for start, made in check_file(self.db, self.file).placed(placed)]
