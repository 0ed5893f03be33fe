"""Durable runs on DBOS, which is imported when the first run needs it: recovery, queues over machines, cancellation.

Each drive of a run is one durable workflow; its steps are recorded, so a drive that is repeated after a crash does
nothing twice. DBOS's own tables hold no values of programs. They lie in the state folder of this user, never in a data folder,
which may have come from elsewhere: DBOS trusts what it reads.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Protocol

from analysis.data_classes import dataclass
from boruna_ls.rendezvous import locks
from boruna_ls.state import folder
from boruna_ls.workflow import schema
from boruna_ls.workflow.driver import Driver
from boruna_ls.workflow.store import Outdated

PART: Final = "workflows"
QUEUE: Final = "boruna-runs"
AT_ONCE: Final = 5
"""Runs that one process drives at the same time."""
_NAME: Final = "boruna"
_VERSION: Final = f"{_NAME}-{schema.VERSION}"
_SUFFIX: Final = ".executor"
_MOMENT: Final = 0.01
_TRIES: Final = 200


class Engine:
    """Drives runs durably. One for a process: DBOS keeps its state in the process."""

    def __init__(self, driver: Driver, place: Place) -> None:
        self._driver = driver
        self._place = place
        self._dbos: Any = None
        self._drive: Any = None
        self._executor = ""
        self._active: set[str] = set()
        """Drives that this process is at."""
        self._release: Callable[[], None] = lambda: None

    def launch(self, listen: int = 0) -> None:
        """Starts DBOS; this process takes so many runs at once from the queue."""
        os.environ.setdefault("DBOS__CLOUD", "")
        import dbos

        self._executor = executor = f"{_NAME}-{uuid.uuid4().hex}"
        self._release = self._place.lock(executor)
        self._dbos = dbos
        config: dict[str, Any] = {
            "name": _NAME,
            "system_database_url": self._place.url,
            "application_version": _VERSION,
            "executor_id": executor,
            "enable_otlp": False,
            "log_level": "CRITICAL",
            "serializer": _serializer(dbos),
            "notification_listener_polling_interval_sec": 1.0,
            **self._place.settings(),
        }
        dbos.DBOS(config=config)  # type: ignore[arg-type]
        driver, active = self._driver, self._active

        @dbos.DBOS.workflow(name="boruna.drive")
        async def drive(run: str, number: int) -> str:
            async def durable(name: str, work: Callable[[], Awaitable[Any]]) -> Any:
                # DBOS tells a coroutine function by its kind.
                async def step() -> Any:
                    return await work()

                return await dbos.DBOS.run_step_async({"name": name}, step)

            name = f"{run}:{number}"
            active.add(name)
            try:
                return await driver.drive(run, number, durable)
            except Outdated:
                return "outdated"
            finally:
                active.discard(name)

        self._drive = drive
        dbos.DBOS.launch()
        if listen:
            dbos.DBOS.register_queue(QUEUE, worker_concurrency=listen, polling_interval_sec=0.5)

    async def drive(self, run: str, number: int) -> str:
        """Drives a run here and now; the status at the end of the drive."""
        with self._dbos.SetWorkflowID(_drive_id(run, number)):
            handle = await self._dbos.DBOS.start_workflow_async(self._drive, run, number)
        return str(await handle.get_result())

    def enqueue(self, run: str, number: int) -> None:
        """Leaves a run to whichever process listens to the queue."""
        with self._dbos.SetWorkflowID(_drive_id(run, number)):
            self._dbos.DBOS.enqueue_workflow(QUEUE, self._drive, run, number)

    def take_over(self) -> set[str]:
        """Takes up the drives of processes that have ended; every drive that is under way by now, as `RUN:NUMBER`.

        What another drive has replaced is not taken up: after many kills in a row there would be more of it than of work.
        """
        drives = self._dbos.DBOS.list_workflows(status=["PENDING", "ENQUEUED"], load_input=False, load_output=False)
        # Read afterwards: a drive is the latest of its run before the engine knows of it.
        latest = self._driver.store.latest_drives()
        ended: dict[str, bool] = {"": True}
        under_way, stale = set(), []
        for drive in drives:
            name, executor = drive.workflow_id.rpartition(":")[0], drive.executor_id or ""
            if drive.status == "PENDING" and executor == self._executor and name not in self._active:
                # It came to an end that could not be recorded: the disk was full, the database gone.
                continue
            if executor not in ended:
                ended[executor] = self._place.has_ended(executor)
            if ended[executor] and (name not in latest or drive.app_version != _VERSION):
                # DBOS hands out drives of its own version only: the run of another one begins a drive anew.
                stale.append(drive.workflow_id)
                continue
            under_way.add(name)
            if drive.status == "PENDING" and executor and ended[executor]:
                with suppress(self._dbos.error.DBOSException):
                    self._dbos.DBOS.resume_workflow(drive.workflow_id, queue_name=QUEUE)
        if stale:
            with suppress(self._dbos.error.DBOSException):
                self._dbos.DBOS.cancel_workflows(stale)
        return under_way

    def close(self) -> None:
        """Stops driving; what is under way can be taken over."""
        if self._dbos is not None:
            self._dbos.DBOS.destroy(workflow_completion_timeout_sec=0)
        self._release()


class Place(Protocol):
    """Location of DBOS's tables, and the locks by which processes that share them detect that another one has ended."""

    url: str

    def settings(self) -> dict[str, Any]:
        """Further settings of DBOS for this location."""

    def lock(self, executor: str) -> Callable[[], None]:
        """Takes the lock of an executor, which is held as long as this process lives; what releases it."""

    def has_ended(self, executor: str) -> bool:
        """True if the process of an executor has ended."""


@dataclass(slots=True)
class FolderPlace:
    """A SQLite file, and a locked file for each process."""

    url: str
    folder: Path

    def settings(self) -> dict[str, Any]:
        return {"db_engine_kwargs": {"connect_args": {"factory": _Connection}}}

    def lock(self, executor: str) -> Callable[[], None]:
        path = self.folder / f"{executor}{_SUFFIX}"
        # The name is new: only a sweeping process can hold the lock, for a moment between our creating and locking the file.
        for _ in range(_TRIES):
            if (lock := locks.acquire(str(path))) is not None:
                self._sweep(path.name)
                return lock.release
            time.sleep(_MOMENT)
        # On a file system without locks no process is ever seen to have ended.
        return lambda: None

    def _sweep(self, own: str) -> None:
        """Removes the files of processes that were killed. Without its file an executor has ended, too."""
        with suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                if entry.name.endswith(_SUFFIX) and entry.name != own:
                    with suppress(OSError):
                        if (lock := locks.acquire(entry.path)) is not None:
                            lock.release()

    def has_ended(self, executor: str) -> bool:
        """The system frees the lock of a process however it ends."""
        return not locks.is_held(str(self.folder / f"{executor}{_SUFFIX}"))


class _Connection(sqlite3.Connection):
    """A commit of DBOS need not reach the disk before the next one: a step whose end is lost is repeated, and changes nothing.

    The record must (`Sqlite.is_durable`): DBOS believes that what it has recorded is there.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for pragma in ("busy_timeout=30000", "journal_mode=WAL", "synchronous=NORMAL"):
            self.execute(f"PRAGMA {pragma}")


def place_for(data: Path) -> FolderPlace:
    """The place for the store of a data folder. Raises StateError."""
    inside = folder.opened(PART)
    name = sha256(str(data.absolute()).encode("utf-8", "surrogateescape")).hexdigest()[:24]
    return FolderPlace(f"sqlite:///{inside / name}.engine.db", inside)


def _drive_id(run: str, number: int) -> str:
    """A new id: a data folder may be deleted and made again, while DBOS still knows runs of these names."""
    return f"{run}:{number}:{uuid.uuid4().hex}"


def _serializer(dbos: Any) -> Any:
    """JSON and nothing else: DBOS's own default could run what it reads."""
    from dbos._serialization import Serializer

    class Json(Serializer):  # type: ignore[misc, unused-ignore]
        def serialize(self, data: Any) -> str:
            return json.dumps(data, default=_as_text)

        def deserialize(self, serialized_data: str) -> Any:
            return json.loads(serialized_data)

        def name(self) -> str:
            return "boruna_json"

    return Json()


def _as_text(value: Any) -> Any:
    return {"error": f"{type(value).__name__}: {value}"} if isinstance(value, BaseException) else str(value)
