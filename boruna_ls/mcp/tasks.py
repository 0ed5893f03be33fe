"""Tasks: long work with a name that a client polls, answers and cancels (the extension `io.modelcontextprotocol/tasks`).

Whatever owns long work is a `TaskSource`: workflows and executions register theirs once for the process (`register`), calls
of tools that take long are kept for each client (`CallTasks`). `Tasks` finds the source of a task for one client.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, Literal

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST

from analysis.data_classes import dataclass, field
from boruna_ls.mcp.ongoing import stop
from boruna_ls.mcp.questions import RoundTrip
from boruna_ls.mcp.scopes import RUN, Scopes, allows, refuse_unless_allowed
from boruna_ls.workspace import Client

IDENTIFIER: Final = "io.modelcontextprotocol/tasks"
Status = Literal["working", "input_required", "completed", "failed", "cancelled"]
ENDED: Final = frozenset({"completed", "failed", "cancelled"})
LIFETIME: Final = 900.0
"""Seconds that a call's task is kept, from its beginning."""
MOST: Final = 64
MOST_BYTES: Final = 16 << 20
"""Tasks of one client, and bytes of their results, that are kept at once; beyond it calls are answered when they end."""
_POLL_MS: Final = 500


@dataclass(frozen=True, slots=True)
class TaskState:
    """A task at one moment. Times are seconds since the epoch; `lifetime_ms` None: it is kept for good.

    `result` is that of the tool (content, structuredContent, isError): a tool that failed has completed. `error` is a
    JSON-RPC error. `questions` are requests to the client by name, as `inputRequests` carries them.
    """

    id: str
    status: Status
    created: float
    updated: float
    lifetime_ms: int | None = None
    message: str = ""
    result: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None
    questions: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_ended(self) -> bool:
        """True if the status is final."""
        return self.status in ENDED

    def handle(self) -> dict[str, Any]:
        """The task without its outcome, as clients get it."""
        shown: dict[str, Any] = {
            "taskId": self.id,
            "status": self.status,
            "createdAt": _timestamp(self.created),
            "lastUpdatedAt": _timestamp(self.updated),
            "ttlMs": self.lifetime_ms,
            "pollIntervalMs": _POLL_MS,
        }
        return shown | ({"statusMessage": self.message} if self.message else {})

    def detailed(self) -> dict[str, Any]:
        """The task with what belongs to its status."""
        shown = self.handle()
        if self.status == "completed":
            shown["result"] = dict(self.result or {})
        elif self.status == "failed":
            shown["error"] = dict(self.error or {"code": INTERNAL_ERROR, "message": "the task failed"})
        elif self.status == "input_required":
            shown["inputRequests"] = dict(self.questions)
        return shown


class TaskSource(ABC):
    """An owner of long work. Its methods run on the event loop and must not block it.

    `prefix`: what the ids of its tasks begin with, such as "workflow-". Ids are hard to guess. A task of another client's
    folders is unknown to a client: `get` decides.
    """

    prefix = ""

    def __init__(self) -> None:
        self._listeners: dict[object, Callable[[str], None]] = {}

    def scopes(self, task: str) -> frozenset[str]:
        """Scopes that a client needs to answer or cancel a task of this id."""
        return RUN

    @abstractmethod
    async def get(self, client: Client, task: str, may_run: bool) -> TaskState | None:
        """The task now; None if the client may not know of it. With `may_run` a program that stands still may be continued."""

    @abstractmethod
    async def update(self, client: Client, task: str, answers: Mapping[str, Any]) -> None:
        """Answers to the task's questions, by name; unknown names are ignored."""

    @abstractmethod
    async def cancel(self, client: Client, task: str) -> None:
        """Stops the task; nothing happens to one that has ended."""

    def listen(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Call `listener` with the id of every task that changes; returns the function that ends that."""
        token = object()
        self._listeners[token] = listener

        def end() -> None:
            self._listeners.pop(token, None)

        return end

    def notify(self, task: str) -> None:
        """To be called on the event loop when a task has changed."""
        for listener in list(self._listeners.values()):
            listener(task)


_SOURCES: Final[dict[str, TaskSource]] = {}


def register(source: TaskSource) -> None:
    """Makes the tasks of a source known to all clients."""
    _SOURCES[source.prefix] = source


class Tasks:
    """All tasks that one client may know of."""

    def __init__(self, client: Client, read_only: bool = False, scopes: Scopes = None, calls: CallTasks | None = None) -> None:
        """With `read_only` no request answers, cancels or continues what is stored."""
        self._client = client
        self._read_only = read_only
        self._scopes = scopes
        self._may_run = not read_only and allows(scopes, RUN)
        self.calls = calls or CallTasks()

    def seen_with(self, scopes: Scopes) -> Tasks:
        """The same tasks, for a request whose sender has these scopes."""
        return Tasks(self._client, self._read_only, scopes, self.calls)

    async def get(self, task: str) -> TaskState | None:
        """The task now; None for an unknown one."""
        source = self._source(task)
        return None if source is None else await source.get(self._client, task, self._may_run)

    async def update(self, task: str, answers: Mapping[str, Any]) -> bool:
        """Hands answers over; False for an unknown task. Raises MCPError if the sender may not."""
        source = await self._source_to_change(task)
        if source is None:
            return False
        await source.update(self._client, task, answers)
        return True

    async def cancel(self, task: str) -> bool:
        """Stops a task; False for an unknown one. Raises MCPError if the sender may not."""
        source = await self._source_to_change(task)
        if source is None:
            return False
        await source.cancel(self._client, task)
        return True

    async def wait(self, task: str, seconds: float) -> TaskState | None:
        """The task as soon as it has ended or asks something, or as it is after so many seconds."""
        source = self._source(task)
        if source is None:
            return None
        changed = asyncio.Event()
        end = source.listen(lambda name: changed.set() if name == task else None)
        try:
            async with asyncio.timeout(seconds):
                while True:
                    changed.clear()
                    state = await source.get(self._client, task, self._may_run)
                    if state is None or state.status != "working":
                        return state
                    await changed.wait()
        except TimeoutError:
            return await source.get(self._client, task, self._may_run)
        finally:
            end()

    def listen(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Call `listener` with the id of every task that changes."""
        ends = [source.listen(listener) for source in (self.calls, *_SOURCES.values())]

        def end() -> None:
            for end_one in ends:
                end_one()

        return end

    def _source(self, task: str) -> TaskSource | None:
        return self.calls if task.startswith(self.calls.prefix) else _stored_source(task)

    async def _source_to_change(self, task: str) -> TaskSource | None:
        source = self._source(task)
        if source is None or await source.get(self._client, task, False) is None:
            return None
        if self._read_only and source is not self.calls:
            raise MCPError(INVALID_REQUEST, "this server only reads (--read-only): it answers and cancels no task")
        refuse_unless_allowed(self._scopes, source.scopes(task))
        return source


def scopes_to_change(task: str) -> frozenset[str]:
    """Scopes that every client needs to answer or cancel a task of this id; a task of a call may need more."""
    source = _stored_source(task)
    return frozenset() if source is None else source.scopes(task)


def _stored_source(task: str) -> TaskSource | None:
    return next((source for prefix, source in _SOURCES.items() if task.startswith(prefix)), None)


@dataclass(slots=True)
class _Call:
    work: asyncio.Task[dict[str, Any]]
    peer: RoundTrip
    created: float
    updated: float
    ends: float
    scopes: frozenset[str]
    size: int = 0


class CallTasks(TaskSource):
    """Calls of one client that go on as tasks: kept in memory, gone when the client goes."""

    prefix = "call-"

    def __init__(self) -> None:
        super().__init__()
        self._calls: dict[str, _Call] = {}

    @property
    def has_room(self) -> bool:
        """True if one more call can become a task."""
        self._remove_old()
        return len(self._calls) < MOST and sum(call.size for call in self._calls.values()) < MOST_BYTES

    def add(self, work: asyncio.Task[dict[str, Any]], peer: RoundTrip, scopes: frozenset[str]) -> TaskState:
        """Keeps the work of a call, which gives the tool's result and needed these scopes, as a task."""
        now, name = time.time(), self.prefix + secrets.token_urlsafe(24)
        call = self._calls[name] = _Call(work, peer, now, now, time.monotonic() + LIFETIME, scopes)

        def changed(done: asyncio.Task[dict[str, Any]] | None = None) -> None:
            call.updated = time.time()
            if done is not None and not done.cancelled() and done.exception() is None:
                content = done.result().get("content") or [{}]
                call.size = len(content[0].get("text", ""))
            self.notify(name)

        peer.changed = changed
        work.add_done_callback(changed)
        return self._state(name, call)

    def scopes(self, task: str) -> frozenset[str]:
        call = self._calls.get(task)
        return frozenset() if call is None else call.scopes

    async def get(self, client: Client, task: str, may_run: bool) -> TaskState | None:
        self._remove_old()
        call = self._calls.get(task)
        return None if call is None else self._state(task, call)

    async def update(self, client: Client, task: str, answers: Mapping[str, Any]) -> None:
        self._calls[task].peer.deliver(answers)

    async def cancel(self, client: Client, task: str) -> None:
        self._calls[task].work.cancel()

    def close(self) -> None:
        """The client has disconnected: stops its tasks."""
        for call in self._calls.values():
            stop(call.work)
        self._calls.clear()

    def _remove_old(self) -> None:
        now = time.monotonic()
        for name in [name for name, call in self._calls.items() if call.ends < now]:
            stop(self._calls.pop(name).work)

    def _state(self, name: str, call: _Call) -> TaskState:
        def state(status: Status, **more: Any) -> TaskState:
            return TaskState(name, status, call.created, call.updated, int(LIFETIME * 1000), **more)

        if not call.work.done():
            return state("input_required", questions=dict(call.peer.open)) if call.peer.open else state("working")
        if call.work.cancelled():
            return state("cancelled")
        failure = call.work.exception()
        if failure is None:
            return state("completed", result=call.work.result())
        if isinstance(failure, MCPError):
            return state("failed", error=failure.error.model_dump(mode="json", exclude_none=True))
        return state("failed", error={"code": INTERNAL_ERROR, "message": f"internal error: {type(failure).__name__}"})


def _timestamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
