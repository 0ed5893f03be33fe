"""The tables of a store, and the way from older layouts to this one. `VERSION` is also the version of durable workflows."""

from __future__ import annotations

from typing import Final

from boruna_ls.state.sql import Cursor, Schema

VERSION: Final = 3
_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS schema_version (id INTEGER PRIMARY KEY, version INTEGER NOT NULL)",
    """CREATE TABLE IF NOT EXISTS runs (
        run_id TEXT PRIMARY KEY, workflow_name TEXT NOT NULL, workflow_hash TEXT NOT NULL, status TEXT NOT NULL,
        started_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, policy_json TEXT NOT NULL, definition TEXT NOT NULL,
        workflow_dir TEXT NOT NULL, options_json TEXT NOT NULL, starter TEXT NOT NULL, drive INTEGER NOT NULL DEFAULT 0,
        duration_ms BIGINT NOT NULL DEFAULT 0)""",
    """CREATE TABLE IF NOT EXISTS sources (
        run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, step_id TEXT NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (run_id, step_id))""",
    """CREATE TABLE IF NOT EXISTS steps (
        run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, step_id TEXT NOT NULL, status TEXT NOT NULL,
        output_json TEXT, output_hash TEXT, started_at BIGINT, ended_at BIGINT, error_msg TEXT, error_class TEXT,
        attempt_count INTEGER NOT NULL DEFAULT 1, steps_used BIGINT NOT NULL DEFAULT 0,
        withheld INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (run_id, step_id))""",
    """CREATE TABLE IF NOT EXISTS inputs (
        run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, name TEXT NOT NULL, type TEXT NOT NULL, secret INTEGER NOT NULL,
        value TEXT, salt TEXT NOT NULL, commitment TEXT NOT NULL, PRIMARY KEY (run_id, name))""",
    """CREATE TABLE IF NOT EXISTS decisions (
        run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, step_id TEXT NOT NULL, decision TEXT NOT NULL,
        decided_at BIGINT NOT NULL, reason TEXT, approver TEXT NOT NULL, role TEXT NOT NULL, PRIMARY KEY (run_id, step_id))""",
    """CREATE TABLE IF NOT EXISTS triggers (
        run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, step_id TEXT NOT NULL, token TEXT NOT NULL,
        payload TEXT NOT NULL DEFAULT '', triggered_at BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (run_id, step_id))""",
    """CREATE TABLE IF NOT EXISTS audit (
        run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, sequence INTEGER NOT NULL, name TEXT NOT NULL,
        prev_hash TEXT NOT NULL, content_sha256 TEXT NOT NULL, event TEXT NOT NULL, entry_hash TEXT NOT NULL,
        PRIMARY KEY (run_id, sequence), UNIQUE (run_id, name))""",
    "CREATE INDEX IF NOT EXISTS runs_by_status ON runs (status)",
    "CREATE INDEX IF NOT EXISTS runs_by_hash ON runs (workflow_hash)",
)


def _upgrade(do: Cursor, version: int) -> None:
    if version == 1:
        _from_1(do)
    if version in (1, 2):
        _from_2(do)
    for table in _TABLES[1:]:
        do(table)
    do("DELETE FROM schema_version")
    do("INSERT INTO schema_version (id, version) VALUES (1, ?)", VERSION)


def _from_1(do: Cursor) -> None:
    """Version 1 did not count the steps of programs, nor the time of runs that were driven more than once."""
    do("ALTER TABLE steps ADD COLUMN steps_used BIGINT NOT NULL DEFAULT 0")
    do("ALTER TABLE runs ADD COLUMN duration_ms BIGINT NOT NULL DEFAULT 0")


def _from_2(do: Cursor) -> None:
    """Version 2 knew no inputs of runs, so no outputs that contain secret ones."""
    do("ALTER TABLE steps ADD COLUMN withheld INTEGER NOT NULL DEFAULT 0")


SCHEMA: Final = Schema(
    VERSION,
    _TABLES,
    _upgrade,
    f"persistence error: schema_version mismatch: this build expects {VERSION}, database has {{found}}",
)
