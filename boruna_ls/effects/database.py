"""Live `db.query`: one statement against one SQLite file that policy and ceiling name; rows as JSON text."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from typing import Any, Final
from urllib.parse import quote

from analysis.bytecode.module import Constant
from boruna_ls.effects.effect import Bounds, Effect, Target
from boruna_ls.effects.roots import refusal_of_root
from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.runtime.policy import DbPolicy
from boruna_ls.state import journal

_ROWS: Final = 10_000
_BYTES: Final = 10_485_760
"""Of one answer, and of one value in the database's engine."""
_SECONDS: Final = 30.0
_INSTRUCTIONS: Final = 10_000
_REFUSED: Final = frozenset(
    number for name in ("SQLITE_ATTACH", "SQLITE_DETACH", "SQLITE_PRAGMA") if (number := getattr(sqlite3, name, None)) is not None
)


def target(effect: Effect) -> Target:
    """The database that is asked. Raises HandlerFailure."""
    policy = _policy(effect.bounds)
    return Target("databases", policy.path, "" if policy.read_only else "with the right to change it")


def perform(effect: Effect) -> Constant:
    """`db.query(statement)`. Raises HandlerFailure."""
    policy = _policy(effect.bounds)
    ceiling = effect.bounds.ceiling
    if ceiling is not None:
        if not ceiling.allows("databases", policy.path):
            raise HandlerFailure(f"the database '{policy.path}' is not allowed by the owner")
        if os.path.realpath(policy.path) != policy.path:
            raise HandlerFailure(f"the database '{policy.path}' is behind a symbolic link: use the path of the file itself")
    return ("String", query(policy, effect.text(0), effect))


def query(policy: DbPolicy, statement: str, effect: Effect) -> str:
    """The rows as a JSON list of objects. Raises HandlerFailure."""
    mode = "ro" if policy.read_only else "rw"
    ends = time.monotonic() + effect.seconds_left(_SECONDS)
    if journal.names_another_file(policy.path):
        raise HandlerFailure(f"{policy.path}: {journal.REASON}")
    try:
        connection = sqlite3.connect(f"file:{quote(policy.path)}?mode={mode}", uri=True, timeout=5)
    except sqlite3.Error as error:
        raise HandlerFailure(f"{policy.path}: {error}") from None
    try:
        # What a file brings along (views, triggers) calls nothing that could harm.
        connection.execute("PRAGMA trusted_schema = OFF")
        # Another file, an extension or a setting is out of reach; no value outgrows an answer.
        connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_DENY if action in _REFUSED else sqlite3.SQLITE_OK)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _BYTES)
        connection.set_progress_handler(lambda: effect.stop.is_set or time.monotonic() > ends, _INSTRUCTIONS)
        with connection:
            cursor = connection.execute(statement)
            return f"[{','.join(_rows(cursor))}]"
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        raise HandlerFailure(str(error)) from None
    finally:
        connection.close()


def _rows(cursor: sqlite3.Cursor) -> list[str]:
    names = [column[0] for column in cursor.description or ()]
    shown: list[str] = []
    size = 0
    for row in cursor:
        fields = {name: _plain(value) for name, value in zip(names, row, strict=True)}
        shown.append(json.dumps(fields, ensure_ascii=False, separators=(",", ":")))
        size += len(shown[-1])
        if len(shown) > _ROWS or size > _BYTES:
            raise HandlerFailure(f"more than {_ROWS} rows or {_BYTES >> 20} MB: add a LIMIT")
    return shown


def _policy(bounds: Bounds) -> DbPolicy:
    """The file that is meant: the policy's, or the only one that the ceiling has. Raises HandlerFailure."""
    named = bounds.policy.db
    if named is not None and named.path:
        path = os.path.normpath(os.path.join(bounds.folder, named.path))
        if (reason := refusal_of_root(path)) is not None:
            raise HandlerFailure(reason)
        return DbPolicy(path, named.read_only)
    if bounds.ceiling is None:
        raise HandlerFailure("the policy names no database: add `db_policy`")
    if len(bounds.ceiling.databases) == 1:
        return DbPolicy(bounds.ceiling.databases[0])
    raise HandlerFailure("name the database: add `db_policy` with its `path`")


def _plain(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value
