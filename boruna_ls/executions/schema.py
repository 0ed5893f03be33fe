"""The tables of the store of executions, its version, and what brings an older store up to it."""

from __future__ import annotations

from typing import Final

from boruna_ls.executions.records import head_of
from boruna_ls.state.sql import Cursor, Schema

VERSION: Final = 3
_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS schema_version (id INTEGER PRIMARY KEY, version INTEGER NOT NULL)",
    """CREATE TABLE IF NOT EXISTS programs (
        owner TEXT NOT NULL, program_id TEXT NOT NULL, name TEXT NOT NULL, created REAL NOT NULL, version INTEGER NOT NULL,
        PRIMARY KEY (owner, program_id)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS versions (
        key INTEGER PRIMARY KEY, owner TEXT NOT NULL, program_id TEXT NOT NULL, version INTEGER NOT NULL, source BLOB NOT NULL,
        module BLOB NOT NULL, fingerprint TEXT NOT NULL, places TEXT NOT NULL, workspace TEXT NOT NULL, loaded REAL NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS executions (
        key INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, execution_id TEXT NOT NULL,
        version_key INTEGER NOT NULL REFERENCES versions, program_id TEXT NOT NULL, workspace TEXT NOT NULL, state TEXT NOT NULL,
        inputs TEXT NOT NULL, policy TEXT NOT NULL, budgets TEXT NOT NULL, secret TEXT NOT NULL, created REAL NOT NULL,
        updated REAL NOT NULL, steps INTEGER NOT NULL DEFAULT 0, tokens INTEGER NOT NULL DEFAULT 0,
        answered INTEGER NOT NULL DEFAULT 0, outcome TEXT NOT NULL DEFAULT '{}', is_live INTEGER NOT NULL DEFAULT 0,
        UNIQUE (owner, execution_id))""",
    """CREATE TABLE IF NOT EXISTS calls (
        execution INTEGER NOT NULL REFERENCES executions ON DELETE CASCADE, number INTEGER NOT NULL, actor INTEGER NOT NULL,
        capability TEXT NOT NULL, arguments TEXT NOT NULL, asked REAL NOT NULL, result TEXT, answered REAL,
        answer_order INTEGER, attempts INTEGER NOT NULL DEFAULT 0, refused INTEGER NOT NULL DEFAULT 0, refusal TEXT,
        head TEXT, PRIMARY KEY (execution, number)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS current (
        owner TEXT NOT NULL, workspace TEXT NOT NULL, execution INTEGER NOT NULL REFERENCES executions ON DELETE CASCADE,
        PRIMARY KEY (owner, workspace)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS tokens (
        digest TEXT PRIMARY KEY, owner TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, expires REAL NOT NULL)
        WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS executions_by_state ON executions (owner, state, key)",
    "CREATE INDEX IF NOT EXISTS executions_by_program ON executions (owner, program_id, key)",
    "CREATE INDEX IF NOT EXISTS executions_by_version ON executions (version_key)",
    "CREATE INDEX IF NOT EXISTS versions_by_program ON versions (owner, program_id)",
    # Lists show the beginnings of prompts, which can be long: these come from the index alone, if it has all columns that a
    # query names.
    """CREATE INDEX IF NOT EXISTS open_heads ON calls (execution, number, head, capability, result)
        WHERE capability = 'llm.call' AND result IS NULL""",
    "CREATE INDEX IF NOT EXISTS executions_by_owner ON executions (owner, key)",
    "CREATE INDEX IF NOT EXISTS answers ON calls (execution, answer_order) WHERE answer_order IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS current_executions ON current (execution)",
)


def _upgrade(do: Cursor, version: int) -> None:
    if version == 1:
        _add_heads(do)
    if version in (1, 2):
        do("ALTER TABLE executions ADD COLUMN is_live INTEGER NOT NULL DEFAULT 0")
    for table in _TABLES[1:]:
        do(table)
    do("INSERT OR REPLACE INTO schema_version (id, version) VALUES (1, ?)", VERSION)


def _add_heads(do: Cursor) -> None:
    """Migrate from version 1 to 2."""
    do("ALTER TABLE calls ADD COLUMN head TEXT")
    do("DROP INDEX open_tasks")
    for execution, number in do("SELECT execution, number FROM calls WHERE capability = 'llm.call' AND result IS NULL"):
        [(arguments,)] = do("SELECT arguments FROM calls WHERE execution = ? AND number = ?", execution, number)
        do("UPDATE calls SET head = ? WHERE execution = ? AND number = ?", head_of(arguments), execution, number)


SCHEMA: Final = Schema(
    VERSION,
    _TABLES,
    _upgrade,
    f"the store of executions has version {{found}}, this installation knows {VERSION}: upgrade boruna-ls, or name another state "
    "folder with BORUNA_LS_STATE",
)
