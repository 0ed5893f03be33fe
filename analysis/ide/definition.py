"""Declaration of the name under the cursor, in this file or a library."""

from __future__ import annotations

from analysis.database import Database
from analysis.ide.name_meanings import Place
from analysis.ide.target import target_at
from analysis.inputs import FileId

Location = Place


def definition(db: Database, file: FileId, offset: int) -> tuple[Location, ...]:
    """The declaration; several if the types do not decide between them, none for builtins."""
    target = target_at(db, file, offset)
    return target.places if target else ()
