"""The database of a store: SQLite in a file, or PostgreSQL where several machines share the work.

Statements are written in what both understand, with `?` for parameters. Writers exclude each other for the length of a
transaction, so that a check and the write that follows it are one. PostgreSQL's driver is imported when it is needed.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from analysis.data_classes import dataclass
from boruna_ls import lock_order
from boruna_ls.state import journal

Row = tuple[Any, ...]
_BUSY_MS: Final = 5000
_WRITERS: Final = 0x626F72756E61
"""Number of the advisory lock that PostgreSQL's writers take."""
_AGAIN: Final = (0.01, 0.05, 0.25, 1.25)
"""Seconds before a busy database is asked again."""
_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED: Final = (
    "it is damaged: end all that uses it (boruna-ls daemon stop), move it aside together with its -wal "
    "and -shm files, and call again: a new one is made; `sqlite3 FILE .recover` may save what the old one holds"
)
_FAILS: Final = "its disk is full or fails, so this was not stored: make room there and call again"
_SHUT: Final = "make it and its folder readable and writable for this user, and call again"
_ADVICE: Final = {
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_ERROR: _DAMAGED,  # its tables are not there
    sqlite3.SQLITE_FULL: _FAILS,
    sqlite3.SQLITE_IOERR: _FAILS,
    sqlite3.SQLITE_CANTOPEN: _SHUT,
    sqlite3.SQLITE_READONLY: _SHUT,
    sqlite3.SQLITE_PERM: _SHUT,
    **dict.fromkeys(_BUSY, "another process is writing to it: call again"),
}
"""What to do about an error of a file, by SQLite's primary code."""


class StoreError(Exception):
    """The store cannot be used; the message is a sentence."""


class StoreUnavailable(StoreError):
    """The database is full, gone or locked for too long: to be tried again later."""


class Cursor(Protocol):
    """Executes one statement inside a transaction."""

    def __call__(self, statement: str, *parameters: Any) -> Sequence[Row]: ...


class SqlStore(Protocol):
    """A database with our tables."""

    guard: Callable[[Cursor], object]
    """Called at the beginning of every transaction, before anything is written; raises StoreError to refuse it."""

    def writing(self) -> contextlib.AbstractContextManager[Cursor]:
        """A transaction that is committed at the end of the block, or undone if that raises."""

    def read(self, statement: str, *parameters: Any) -> Sequence[Row]:
        """The rows of one query."""

    def close(self) -> None:
        """Closes the connection."""


class Sqlite:
    """One file; used from any thread, one at a time. `is_durable`: what is committed outlives a loss of power, too."""

    def __init__(self, path: Path | None, is_durable: bool = False) -> None:
        self.guard: Callable[[Cursor], object] = _no_guard
        self._path = path
        self._lock = lock_order.lock("store")
        name = ":memory:" if path is None else str(path)
        if path is not None and journal.names_another_file(path):
            raise StoreError(f"persistence error: {path}: {journal.REASON}")
        try:
            self._connection = sqlite3.connect(name, isolation_level=None, check_same_thread=False, timeout=_BUSY_MS / 1000)
            synchronous = "FULL" if is_durable else "NORMAL"
            for pragma in ("journal_mode=WAL", f"synchronous={synchronous}", "foreign_keys=ON", f"busy_timeout={_BUSY_MS}"):
                self._connection.execute(f"PRAGMA {pragma}")
        except sqlite3.Error as error:
            raise self._failure(error) from None
        self._identity = self._file_now()

    @contextlib.contextmanager
    def writing(self) -> Iterator[Cursor]:
        with self._lock:
            self._check_file()
            self._begin()
            try:
                self.guard(self._execute)
                yield self._execute
                self._connection.execute("COMMIT")
            except BaseException as error:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise self._failure(error) from error
                raise

    def _begin(self) -> None:
        for wait in (*_AGAIN, None):
            try:
                self._connection.execute("BEGIN IMMEDIATE")
            except sqlite3.Error as error:
                if _code_of(error) not in _BUSY:
                    raise self._failure(error) from error
                if wait is None:
                    raise StoreUnavailable("persistence_busy: writer lock held after retry budget exhausted") from error
                time.sleep(wait)
            else:
                return

    def _execute(self, statement: str, *parameters: Any) -> Sequence[Row]:
        return self._connection.execute(statement, parameters).fetchall()

    def read(self, statement: str, *parameters: Any) -> Sequence[Row]:
        with self._lock:
            self._check_file()
            try:
                return self._connection.execute(statement, parameters).fetchall()
            except sqlite3.Error as error:
                raise self._failure(error) from error

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    # ---- the file -------------------------------------------------------------------------------------------------

    def _file_now(self) -> tuple[int, int] | None:
        """Device and inode of what the path names; None if nothing is there, or it is in memory."""
        if self._path is None:
            return None
        try:
            status = os.stat(self._path)
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def _check_file(self) -> None:
        """SQLite goes on with a file that was deleted: what it then writes ends with this process. Raises StoreError."""
        if self._file_now() != self._identity:
            raise StoreError(
                f"persistence error: {self._path} was deleted or replaced while it was in use: put it back, "
                "or end what uses it (boruna-ls daemon stop) and call again, which goes on with what is there then"
            )

    def _failure(self, error: sqlite3.Error) -> StoreError:
        """Spec chapter 17 gives the beginning; then come the file and what to do."""
        code = _code_of(error)
        kind = StoreUnavailable if isinstance(error, sqlite3.OperationalError) and _ADVICE.get(code) != _DAMAGED else StoreError
        advice = f" ({self._path}): {_ADVICE[code]}" if self._path is not None and code in _ADVICE else ""
        return kind(f"persistence error: sqlite error: {error}{advice}")


def _no_guard(_: Cursor) -> None:
    pass


def _code_of(error: sqlite3.Error) -> int:
    """SQLite's primary code; 0 for an error that it did not raise."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


class Postgres:
    """A database that several machines share."""

    def __init__(self, url: str) -> None:
        try:
            import psycopg
        except ImportError:
            raise StoreError("PostgreSQL needs its driver: pip install 'boruna-ls[postgres]'") from None
        self._psycopg = psycopg
        self.guard: Callable[[Cursor], object] = _no_guard
        self._lock = lock_order.lock("store")
        self._url = url
        self._connection = self._connected()

    def _connected(self) -> Any:
        try:
            return self._psycopg.connect(self._url, autocommit=True, connect_timeout=10)
        except self._psycopg.Error as error:
            raise StoreUnavailable(f"persistence error: PostgreSQL cannot be reached: {_first_line(error)}") from None

    @contextlib.contextmanager
    def writing(self) -> Iterator[Cursor]:
        with self._lock:
            if self._connection.closed:
                self._connection = self._connected()
            try:
                with self._connection.transaction():
                    self._execute("SELECT pg_advisory_xact_lock(?)", _WRITERS)
                    self.guard(self._execute)
                    yield self._execute
            except self._psycopg.Error as error:
                raise StoreUnavailable(f"persistence error: PostgreSQL: {_first_line(error)}") from error

    def _execute(self, statement: str, *parameters: Any) -> Sequence[Row]:
        done = self._connection.execute(statement.replace("?", "%s"), parameters)
        return list(done.fetchall()) if done.description else []

    def read(self, statement: str, *parameters: Any) -> Sequence[Row]:
        with self._lock:
            if self._connection.closed:
                self._connection = self._connected()
            try:
                return self._execute(statement, *parameters)
            except self._psycopg.Error as error:
                raise StoreUnavailable(f"persistence error: PostgreSQL: {_first_line(error)}") from error

    def close(self) -> None:
        with self._lock:
            self._connection.close()


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Schema:
    """The tables of a store. `tables[0]` makes `schema_version`, which has one row.

    `upgrade` brings a store from an older version (0: there is none yet) to `version` and records it. `refusal` is the message
    for a store of a newer version, whose number it gets as `found`.
    """

    version: int
    tables: tuple[str, ...]
    upgrade: Callable[[Cursor, int], None]
    refusal: str

    def prepare(self, store: SqlStore) -> None:
        """Makes the tables, or migrates them. Raises StoreError for a store that a newer version wrote, as does every later
        writing to one."""
        with store.writing() as do:
            do(self.tables[0])
            version = self._known_version(do)
            if version < self.version:
                self.upgrade(do, version)
        store.guard = self._known_version

    def _known_version(self, do: Cursor) -> int:
        row = do("SELECT version FROM schema_version WHERE id = 1")
        version: int = row[0][0] if row else 0
        if version > self.version:
            raise StoreError(self.refusal.format(found=version))
        return version
