"""The record of programs and executions: one SQLite file in the state folder, every change one transaction on disk.

Owners ("local", or the identity of a network client) have programs and executions of their own.
The records of drives are in `log_store.py`.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections.abc import Collection, Iterable
from typing import Any, Final

from boruna_ls.executions.names import (
    ABANDONED,
    MOST_EXECUTIONS,
    MOST_PROGRAM_BYTES,
    MOST_PROGRAMS,
    READY,
    Budgets,
    ExecutionError,
)
from boruna_ls.executions.records import Execution, LoggedCall, NewVersion, Summary, Version
from boruna_ls.executions.schema import SCHEMA
from boruna_ls.state.sql import Cursor, SqlStore

TOKEN_SECONDS: Final = 300.0
_EXECUTION: Final = (
    "key, owner, execution_id, version_key, program_id, workspace, state, inputs, policy, budgets, secret, created, updated, "
    "steps, tokens, answered, outcome, is_live"
)
_VERSION: Final = "key, program_id, version, source, module, fingerprint, places, workspace, loaded"
CALL: Final = "number, actor, capability, arguments, asked, result, answered, answer_order, attempts, refused, refusal"
_SUMMARY: Final = """
    SELECT e.key, e.execution_id, e.program_id, e.state, e.created, e.updated, e.steps, e.answered, {number}, {head}, e.secret,
           EXISTS (SELECT 1 FROM current u WHERE u.execution = e.key AND u.workspace = ?)
    FROM executions e
""".format(
    **{
        # The oldest open task, from the index alone: the rows themselves hold whole prompts.
        column: f"(SELECT {column} FROM calls INDEXED BY open_heads WHERE execution = e.key AND capability = 'llm.call' "
        "AND result IS NULL ORDER BY number LIMIT 1)"
        for column in ("number", "head")
    }
)


class Store:
    """The programs and executions of one database."""

    def __init__(self, sql: SqlStore) -> None:
        self.sql = sql
        SCHEMA.prepare(sql)

    # ---- programs -------------------------------------------------------------------------------------------------

    def load(self, owner: str, new: NewVersion) -> tuple[int, bool]:
        """Stores a program: its version, and whether it replaced an earlier one. Raises ExecutionError."""
        now = time.time()
        with self.sql.writing() as do:
            version = do("SELECT version FROM programs WHERE owner = ? AND program_id = ?", owner, new.program_id)
            number = version[0][0] + 1 if version else 1
            if not version:
                _refuse_more(do, "programs", owner, MOST_PROGRAMS, "delete_program")
            do(
                "INSERT INTO programs VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET name = excluded.name, "
                "version = excluded.version",
                *(owner, new.program_id, new.name, now, number),
            )
            do(
                "INSERT INTO versions (owner, program_id, version, source, module, fingerprint, places, workspace, loaded) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                *(
                    owner,
                    new.program_id,
                    number,
                    new.source.encode("utf-8", "surrogatepass"),
                    new.module,
                    new.fingerprint,
                    new.places,
                    new.workspace,
                    now,
                ),
            )
            _drop_unused(do, owner, new.program_id)
            _refuse_larger(do, owner)
        return number, bool(version)

    def programs(self, owner: str) -> list[dict[str, Any]]:
        """All programs, by id."""
        rows = self.sql.read(
            "SELECT p.program_id, p.name, p.created, p.version, v.fingerprint, v.loaded, "
            "(SELECT COUNT(*) FROM executions e WHERE e.owner = p.owner AND e.program_id = p.program_id) "
            "FROM programs p JOIN versions v ON v.owner = p.owner AND v.program_id = p.program_id AND v.version = p.version "
            "WHERE p.owner = ? ORDER BY p.program_id",
            owner,
        )
        names = ("programId", "name", "created", "version", "fingerprint", "loaded", "executions")
        return [dict(zip(names, row, strict=True)) for row in rows]

    def program_ids(self, owner: str) -> list[str]:
        """The ids of all programs."""
        return [row[0] for row in self.sql.read("SELECT program_id FROM programs WHERE owner = ? ORDER BY 1", owner)]

    def version(self, key: int) -> Version:
        """A version that an execution began with."""
        fields = list(self.sql.read(f"SELECT {_VERSION} FROM versions WHERE key = ?", key)[0])
        fields[3] = fields[3].decode("utf-8", "surrogatepass")
        return Version(*fields)

    def delete_program(self, owner: str, program: str) -> int:
        """Deletes a program; its executions keep their version. Gives how many there are."""
        with self.sql.writing() as do:
            do("DELETE FROM programs WHERE owner = ? AND program_id = ?", owner, program)
            _drop_unused(do, owner, program)
            return int(do("SELECT COUNT(*) FROM executions WHERE owner = ? AND program_id = ?", owner, program)[0][0])

    # ---- executions -----------------------------------------------------------------------------------------------

    def start(
        self,
        owner: str,
        program: str,
        execution: str,
        workspaces: Collection[str],
        inputs: str,
        policy: str,
        budgets: Budgets,
        is_live: bool = False,
    ) -> Execution:
        """A new execution in state READY. Raises ExecutionError if the program is unknown or the id in use.

        Its effects are bounded by the ceiling of its program's workspace, if that is one of `workspaces`; else it has none.
        """
        now = time.time()
        with self.sql.writing() as do:
            versions = do(
                "SELECT v.key, v.workspace FROM programs p JOIN versions v ON v.owner = p.owner AND v.program_id = p.program_id "
                "AND v.version = p.version WHERE p.owner = ? AND p.program_id = ?",
                *(owner, program),
            )
            if not versions:
                raise ExecutionError("unknown_program", f"no program has the id '{program}'")
            if do("SELECT 1 FROM executions WHERE owner = ? AND execution_id = ?", owner, execution):
                raise ExecutionError("id_in_use", f"an execution with the id '{execution}' already exists")
            _refuse_more(do, "executions", owner, MOST_EXECUTIONS, "delete_execution")
            do(
                "INSERT INTO executions (owner, execution_id, version_key, program_id, workspace, state, inputs, policy, "
                "budgets, secret, created, updated, is_live) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                *(
                    owner,
                    execution,
                    versions[0][0],
                    program,
                    versions[0][1] if versions[0][1] in workspaces else "",
                    READY,
                    inputs,
                    policy,
                ),
                *(json.dumps(budgets.as_dict()), secrets.token_hex(4), now, now, is_live),
            )
            row = do(f"SELECT {_EXECUTION} FROM executions WHERE owner = ? AND execution_id = ?", owner, execution)[0]
        return _execution(row)

    def execution(self, owner: str, execution: str) -> Execution | None:
        """One execution by its id."""
        rows = self.sql.read(f"SELECT {_EXECUTION} FROM executions WHERE owner = ? AND execution_id = ?", owner, execution)
        return _execution(rows[0]) if rows else None

    def by_key(self, key: int) -> Execution | None:
        """One execution by its key."""
        rows = self.sql.read(f"SELECT {_EXECUTION} FROM executions WHERE key = ?", key)
        return _execution(rows[0]) if rows else None

    def executions(
        self, owner: str, workspace: str, state: str | None, program: str | None, before: int | None, limit: int
    ) -> list[Summary]:
        """A page of executions, the latest first: those whose key is smaller than `before`."""
        where, values = ["e.owner = ?"], [owner]
        for clause, value in (("e.state = ?", state), ("e.program_id = ?", program), ("e.key < ?", before)):
            if value is not None:
                where.append(clause)
                values.append(value)  # type: ignore[arg-type]
        rows = self.sql.read(f"{_SUMMARY} WHERE {' AND '.join(where)} ORDER BY e.key DESC LIMIT ?", workspace, *values, limit)
        return [_summary(row) for row in rows]

    def count(self, owner: str, state: str | None, program: str | None) -> int:
        """Number of an owner's executions, of one state or program if given."""
        where, values = ["owner = ?"], [owner]
        for column, value in (("state", state), ("program_id", program)):
            if value is not None:
                where.append(f"{column} = ?")
                values.append(value)
        return int(self.sql.read(f"SELECT COUNT(*) FROM executions WHERE {' AND '.join(where)}", *values)[0][0])

    def marks(self, keys: Iterable[int]) -> dict[int, tuple[Any, ...]]:
        """Mark of each existing execution, which differs after every change of its state."""
        wanted = list(keys)
        holes = ", ".join("?" * len(wanted))
        rows = self.sql.read(f"SELECT key, secret, state, answered, updated FROM executions WHERE key IN ({holes})", *wanted)
        return {row[0]: tuple(row[1:]) for row in rows}

    def foreign_version(self) -> int:
        """A number that differs whenever another process has written."""
        return int(self.sql.read("PRAGMA data_version")[0][0])

    def calls(self, key: int, first: int = 0) -> list[LoggedCall]:
        """The log of an execution from a call on."""
        rows = self.sql.read(f"SELECT {CALL} FROM calls WHERE execution = ? AND number >= ? ORDER BY number", key, first)
        return [LoggedCall(*row) for row in rows]

    def open_tasks(self, key: int) -> list[LoggedCall]:
        """The tasks that wait for answers, the oldest first."""
        rows = self.sql.read(
            f"SELECT {CALL} FROM calls WHERE execution = ? AND capability = 'llm.call' AND result IS NULL ORDER BY number", key
        )
        return [LoggedCall(*row) for row in rows]

    def used(self, key: int) -> dict[str, int]:
        """Number of calls by capability; of tasks those that were opened."""
        rows = self.sql.read(
            "SELECT capability, COUNT(*) FROM calls WHERE execution = ? AND (capability != 'llm.call' OR result IS NULL OR "
            "answer_order IS NOT NULL OR result = ?) GROUP BY capability",
            *(key, ABANDONED),
        )
        return {str(name): int(count) for name, count in rows}

    def delete_execution(self, key: int) -> None:
        """Deletes an execution with its log."""
        with self.sql.writing() as do:
            rows = do("SELECT owner, program_id FROM executions WHERE key = ?", key)
            do("DELETE FROM executions WHERE key = ?", key)
            if rows:
                _drop_unused(do, *rows[0])

    # ---- the current execution of a workspace ---------------------------------------------------------------------

    def current(self, owner: str, workspace: str) -> Execution | None:
        """The current execution of a workspace."""
        columns = ", ".join(f"e.{name.strip()}" for name in _EXECUTION.split(","))
        rows = self.sql.read(
            f"SELECT {columns} FROM current u JOIN executions e ON e.key = u.execution WHERE u.owner = ? AND u.workspace = ?",
            *(owner, workspace),
        )
        return _execution(rows[0]) if rows else None

    def set_current(self, owner: str, workspace: str, key: int) -> None:
        """Makes an execution the current one of a workspace."""
        with self.sql.writing() as do:
            do("INSERT OR REPLACE INTO current VALUES (?, ?, ?)", owner, workspace, key)

    # ---- tokens that confirm a deletion ---------------------------------------------------------------------------

    def new_token(self, owner: str, kind: str, name: str) -> str:
        """A token that confirms one deletion of this thing, once, for five minutes."""
        token, now = secrets.token_urlsafe(12), time.time()
        with self.sql.writing() as do:
            do("DELETE FROM tokens WHERE expires < ? OR (owner = ? AND kind = ? AND name = ?)", now, owner, kind, name)
            do("INSERT INTO tokens VALUES (?, ?, ?, ?, ?)", _digest(token), owner, kind, name, now + TOKEN_SECONDS)
        return token

    def use_token(self, owner: str, kind: str, name: str, token: str) -> bool:
        """True if a token confirms this deletion; a token is deleted by its use."""
        with self.sql.writing() as do:
            rows = do(
                "DELETE FROM tokens WHERE digest = ? AND owner = ? AND kind = ? AND name = ? RETURNING expires",
                *(_digest(token), owner, kind, name),
            )
        return bool(rows) and rows[0][0] >= time.time()


def _execution(row: tuple[Any, ...]) -> Execution:
    fields = [*row[:9], Budgets(**json.loads(row[9])), *row[10:16], json.loads(row[16]), bool(row[17])]
    return Execution(*fields)


def _summary(row: tuple[Any, ...]) -> Summary:
    fields = [*row[:9], None if row[9] is None else json.loads(row[9]), row[10], bool(row[11])]
    return Summary(*fields)


def _refuse_more(do: Cursor, table: str, owner: str, most: int, tool: str) -> None:
    if do(f"SELECT COUNT(*) FROM {table} WHERE owner = ?", owner)[0][0] >= most:
        raise ExecutionError("too_many", f"{most} {table} are already stored: delete some of them ({tool})")


def _refuse_larger(do: Cursor, owner: str) -> None:
    held = do("SELECT COALESCE(SUM(LENGTH(source) + LENGTH(module)), 0) FROM versions WHERE owner = ?", owner)[0][0]
    if held > MOST_PROGRAM_BYTES:
        most = f"{MOST_PROGRAM_BYTES:,} bytes"
        raise ExecutionError("too_many", f"all programs together may take {most}: delete some of them (delete_program)")


def _drop_unused(do: Cursor, owner: str, program: str) -> None:
    """Versions that neither the program nor an execution has any more."""
    do(
        "DELETE FROM versions WHERE owner = ? AND program_id = ? AND NOT EXISTS (SELECT 1 FROM programs p WHERE "
        "p.owner = versions.owner AND p.program_id = versions.program_id AND p.version = versions.version) AND NOT EXISTS "
        "(SELECT 1 FROM executions e WHERE e.version_key = versions.key)",
        *(owner, program),
    )


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
