"""An owner's programs have a limit in bytes: who may only run programs must not be able to fill the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from boruna_ls.executions import store as stored
from boruna_ls.executions.names import ExecutionError
from boruna_ls.executions.records import NewVersion
from boruna_ls.state.sql import Sqlite


def program(name: str, size: int) -> NewVersion:
    return NewVersion(name, name, "x" * (size - 10), b"m" * 10, "f", "[]", "")


def test_programs_that_take_too_much_are_refused_and_nothing_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "MOST_PROGRAM_BYTES", 1_000)
    store = stored.Store(Sqlite(tmp_path / "executions.db"))
    store.load("a", program("one", 600))
    for name in ("two", "one"):
        with pytest.raises(ExecutionError, match="delete some of them"):
            store.load("a", program(name, 1_001))
    assert [row["version"] for row in store.programs("a")] == [1]
    assert store.load("b", program("one", 900)) == (1, False)
    # A version that nothing has any more makes room.
    assert store.load("a", program("one", 1_000)) == (2, True)
    store.delete_program("a", "one")
    assert store.load("a", program("two", 1_000)) == (1, False)
    store.sql.close()
