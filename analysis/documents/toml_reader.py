"""TOML read with places, as far as it can be read."""

from __future__ import annotations

from analysis.config.toml_document import too_much
from analysis.config.toml_places import places
from analysis.database import Database, query
from analysis.documents.parsed import Defect, Parsed
from analysis.inputs import CHUNK


@query(limit=16, subject=CHUNK)
def toml_document(db: Database, text: str) -> Parsed:
    """A document; where it is no TOML it has places, and no data."""
    if reason := too_much(text):
        return Parsed(defect=Defect(reason, (0, 0)))
    import tomllib

    where = places(text)
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return Parsed(None, where.keys, where.values, defect=Defect(str(error), (0, 0)))
    return Parsed(data, where.keys, where.values)
