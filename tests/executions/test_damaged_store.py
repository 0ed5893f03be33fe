"""A store that is damaged, deleted, replaced or on a full disk: each call says which file and what to do; nothing is lost."""

from __future__ import annotations

import contextlib
import re
import resource
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from boruna_ls.state.sql import StoreError
from tests.executions.agents import ASK, Agent, http_agent
from tests.executions.stories import begun, driven, service_in
from tests.support.http_server import HttpServer, http_server

CALLS: tuple[tuple[str, dict[str, str]], ...] = (
    ("list_programs", {}),
    ("list_executions", {}),
    ("getTask", {}),
    ("start", {"programId": "asker", "executionId": "two"}),
)
FILE = "state/executions/executions.db"
DAMAGED = "it is damaged: end all that uses it (boruna-ls daemon stop), move it aside"
GONE = "was deleted or replaced while it was in use: put it back"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged")


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[HttpServer]:
    """One server for all tests, each of which leaves a store in order."""
    options = "--standalone", "--root", str(folder), "--toolsets", "executions"
    with http_server(*options, cwd=folder, BORUNA_LS_STATE=f"{folder}/state") as server:
        yield server


async def _refusals(agent: Agent) -> list[str]:
    """The messages of calls that all must be refused."""
    errors = [await agent.refused(tool, **arguments) for tool, arguments in CALLS]
    assert {error["error_type"] for error in errors} == {"StoreUnavailable"}
    return [str(error["message"]) for error in errors]


def _checkpointed(path: Path) -> None:
    """Everything is in the file itself: SQLite would mend it from its log."""
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def _scribbled(path: Path) -> None:
    _checkpointed(path)
    path.write_bytes(b"no database at all" * 1000)


def _torn(path: Path) -> None:
    """All pages but the first are garbage."""
    _checkpointed(path)
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))


def _emptied(path: Path) -> None:
    with sqlite3.connect(path, isolation_level=None) as database:
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%s'").fetchall():
            database.execute(f"DROP TABLE IF EXISTS {name}")
    database.close()


@pytest.mark.parametrize("damage", [_scribbled, _torn, _emptied])
def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    service = service_in(tmp_path)
    execution = begun(service, ASK)
    path = tmp_path / "executions.db"
    says = rf"^persistence error: sqlite error: .*{re.escape(f'({path}): {DAMAGED}')}"
    damage(path)
    # SQLite may go on with what it has read already.
    with contextlib.suppress(StoreError):
        service.store.by_key(execution.key)
    service.store.sql.close()
    with pytest.raises(StoreError, match=says):
        service_in(tmp_path).store.programs("local")
    # As the message says.
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        if (part := path.with_name(name)).exists():
            part.rename(tmp_path / f"old-{name}")
    again = service_in(tmp_path)
    assert driven(again, begun(again, ASK)).state == "AWAITING_COGNITIVE_RESULT"


async def test_a_deleted_folder_is_no_empty_list(folder: Path, served: HttpServer) -> None:
    async with http_agent(served) as agent:
        await agent.begin("asker", "deleted", ASK)
        kept = folder / "kept"
        (folder / "state").rename(kept)
        assert all(f"{folder / FILE} {GONE}" in message for message in await _refusals(agent))
        shutil.copytree(kept, folder / "state")
        assert all(GONE in message for message in await _refusals(agent))
        shutil.rmtree(folder / "state")
        kept.rename(folder / "state")
        assert (await agent.completed(lambda task: "x", "deleted"))["result"] == "xx"


async def test_a_full_disk_loses_no_answer(folder: Path, served: HttpServer) -> None:
    """The kernel refuses every byte beyond a file's size, as it does where a disk is full."""
    async with http_agent(served) as agent:
        await agent.begin("asker", "full", ASK)
        task = await agent.ask("getTask")
        sizes = [path.stat().st_size for path in (folder / "state" / "executions").iterdir()]
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (max(sizes), resource.RLIM_INFINITY))
        error = await agent.refused("submitTask", result="x" * 900_000, taskId=task["taskId"])
        assert error["error_type"] == "StoreUnavailable"
        assert f"({folder / FILE}): its disk is full or fails, so this was not stored: make room there" in error["message"]
        assert (await agent.ask("status"))["state"] == "AWAITING_COGNITIVE_RESULT"
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        taken = await agent.ask("submitTask", result="x" * 900_000, taskId=task["taskId"], getNext=True)
        assert taken["next"]["prompt"].startswith("Second after xxx")


async def test_a_store_that_another_process_keeps_locked_is_asked_again(folder: Path, served: HttpServer) -> None:
    async with http_agent(served) as agent:
        await agent.begin("asker", "locked", ASK)
        with sqlite3.connect(folder / FILE, isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            # Reading goes on.
            assert (await agent.ask("get_execution", executionId="locked"))["state"] == "READY"
            other.execute("ROLLBACK")
        other.close()
        assert (await agent.completed(lambda task: "x", "locked"))["result"] == "xx"
