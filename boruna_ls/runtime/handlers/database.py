"""Live `db.query`: one statement against the one SQLite file that the policy names; rows as JSON text."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from typing import Any, Final
from urllib.parse import quote

from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.runtime.policy import DbPolicy

_ROWS: Final = 10_000
_SECONDS: Final = 30.0
_INSTRUCTIONS: Final = 10_000
_REFUSED: Final = frozenset(
    number for name in ("SQLITE_ATTACH", "SQLITE_DETACH", "SQLITE_PRAGMA") if (number := getattr(sqlite3, name, None)) is not None
)


def query(policy: DbPolicy, statement: str) -> str:
    """The rows as a JSON list of objects. Raises HandlerFailure."""
    mode = "ro" if policy.read_only else "rw"
    ends = time.monotonic() + _SECONDS
    try:
        connection = sqlite3.connect(f"file:{quote(os.path.abspath(policy.path))}?mode={mode}", uri=True, timeout=5)
    except sqlite3.Error as error:
        raise HandlerFailure(f"{policy.path}: {error}") from None
    try:
        # Another file, an extension or a setting is out of reach.
        connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_DENY if action in _REFUSED else sqlite3.SQLITE_OK)
        connection.set_progress_handler(lambda: time.monotonic() > ends, _INSTRUCTIONS)
        with connection:
            cursor = connection.execute(statement)
            names = [column[0] for column in cursor.description or ()]
            rows = cursor.fetchmany(_ROWS + 1)
        if len(rows) > _ROWS:
            raise HandlerFailure(f"more than {_ROWS} rows: add a LIMIT")
        shown = [{name: _plain(value) for name, value in zip(names, row, strict=True)} for row in rows]
        return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        raise HandlerFailure(str(error)) from None
    finally:
        connection.close()


def _plain(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value
