"""The edits that follow when a library gets another name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.database import Database
from analysis.ide.name_meanings import spots_named
from analysis.inputs import FileId, source
from analysis.semantics.occurrences import Space
from analysis.text.edits import Edit

NAME: Final = re.compile(r"[A-Za-z0-9_.-]+")
_UNQUOTED: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(-[A-Za-z_][A-Za-z0-9_]*)*")


def import_edits(db: Database, file: FileId, name: str, new_name: str) -> Iterator[Edit]:
    """The edits in a file that imports a renamed library; the new name is quoted where it needs quotes."""
    text = source(db, file).text
    for spot in spots_named(db, file, name):
        if spot.occurrence.space is Space.LIBRARY:
            start, end = spot.span
            is_quoted = text[start - 1 : start] == '"'
            plain = is_quoted or _UNQUOTED.fullmatch(new_name) is not None
            yield Edit((start, end), new_name if plain else f'"{new_name}"')
