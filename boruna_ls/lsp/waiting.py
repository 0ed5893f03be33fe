"""Executions that wait for an answer, for an editor that shows them: `boruna/executions` lists their open tasks,
`boruna/executions/answer` answers one and runs the program on. Stored executions are those of agents and the command line, too.

Prompts and schemas were written by programs: an editor shows them as text. The requests' answers are those of the tools.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pygls.exceptions import JsonRpcInvalidParams

from boruna_ls.answers.envelope import failure, success
from boruna_ls.answers.execution import next_answer, summary_answer, task_answer
from boruna_ls.effects.grants import SessionGrants
from boruna_ls.executions.driver import Mind
from boruna_ls.executions.effects import performs_of
from boruna_ls.executions.names import AWAITING, ENDED, ExecutionError
from boruna_ls.executions.service import Service, shared_service
from boruna_ls.lsp.permission import EditorAsker
from boruna_ls.state.changes import StoreChanges
from boruna_ls.state.folder import StateError
from boruna_ls.state.sql import StoreError
from boruna_ls.upstream.broker import live_broker

if TYPE_CHECKING:
    from boruna_ls.executions.records import Execution
    from boruna_ls.lsp.session import Session

T = TypeVar("T")
CHANGED: Final = "boruna/executions/changed"
OWNER: Final = "local"
LISTED: Final = 100
TASKS: Final = 20
"""Open tasks of one execution that are listed."""
LONGEST: Final = 50.0
"""Seconds for which an answer waits for the program's next task."""


class Waiting:
    """The executions that one editor shows. Made when it first asks for them."""

    def __init__(self, session: Session, loop: asyncio.AbstractEventLoop) -> None:
        self._session, self._loop = session, loop
        self._service: Service | None = None
        self._version = 0
        """Version of the store at the first read."""
        self._end_following: Callable[[], None] | None = None

    async def tasks(self) -> dict[str, Any]:
        """The executions that wait, each with its open tasks, the latest first."""
        listed = await self._careful(self._listed)
        if self._end_following is None and (service := self._service) is not None:
            changes = StoreChanges(lambda _: {OWNER: service.store.foreign_version()})
            self._end_following = changes.follow(OWNER, self._version, self._send)
        return listed

    async def answer(self, params: Any) -> dict[str, Any]:
        """Answers a task; what comes next, or why the answer was not taken: then the task stays open."""
        given = params if isinstance(params, dict) else {}
        names = [given.get(name) for name in ("executionId", "taskId", "answer")]
        execution, task, answer = names
        if not (isinstance(execution, str) and isinstance(task, str) and isinstance(answer, str)):
            raise JsonRpcInvalidParams("boruna/executions/answer takes the texts executionId, taskId and answer")
        taken = await self._careful(lambda service: self._submitted(service, execution, task, answer))
        return taken if not taken["success"] else await self._next(execution)

    async def end(self) -> None:
        """The editor has left."""
        if self._end_following is not None:
            self._end_following()
        if self._service is not None:
            self._service.driver.listeners.remove(self._changed)

    # ---- on other threads ---------------------------------------------------------------------------------------

    def _listed(self, service: Service) -> dict[str, Any]:
        executions = []
        for row in service.store.executions(OWNER, "", AWAITING, None, None, LISTED):
            execution = service.store.by_key(row.key)
            if execution is not None:
                tasks = [task_answer(execution, call, whole=True) for call in service.store.open_tasks(row.key)[:TASKS]]
                executions.append({**summary_answer(row), "tasks": tasks})
        return success(executions=executions)

    def _submitted(self, service: Service, execution: str, task: str, answer: str) -> dict[str, Any]:
        service.submit(service.find(OWNER, "", execution), answer, task)
        return success()

    def _changed(self, _: int) -> None:
        self._loop.call_soon_threadsafe(self._send)

    def _send(self) -> None:
        body = json.dumps({"jsonrpc": "2.0", "method": CHANGED, "params": {}}).encode()
        self._session.connection.send(body)

    # ---- driving ------------------------------------------------------------------------------------------------

    async def _next(self, execution: str) -> dict[str, Any]:
        """Runs a program to its next task or its end while a client waits."""
        ends = self._loop.time() + LONGEST
        asker = EditorAsker(self._session, self._loop)
        mind = Mind(performs_of(live_broker, False, asker, self._session.part(SessionGrants)), self._session.share)
        while True:
            now = await self._careful(partial(self._execution, execution))
            if isinstance(now, dict):
                return now
            if now.state in ENDED or now.state == AWAITING or self._loop.time() >= ends:
                return await self._careful(partial(self._next_answer, now))
            problem = await self._careful(partial(self._driven, now, mind, ends))
            if problem is not None:
                return problem

    def _execution(self, execution: str, service: Service) -> Execution:
        return service.find(OWNER, "", execution)

    def _next_answer(self, execution: Execution, service: Service) -> dict[str, Any]:
        return next_answer(service.store, execution)

    def _driven(self, execution: Execution, mind: Mind, ends: float, service: Service) -> None:
        try:
            service.driver.drive(execution.key, mind).result(max(ends - self._loop.time(), 0.0))
        except TimeoutError:
            return

    async def _careful(self, work: Callable[[Service], T]) -> T | dict[str, Any]:
        """Work on the store, off the event loop; an answer that says why not where it cannot be done."""

        def carefully() -> T | dict[str, Any]:
            try:
                if self._service is None:
                    self._service = shared_service()
                    self._version = self._service.store.foreign_version()
                    self._service.driver.listeners.append(self._changed)
                return work(self._service)
            except ExecutionError as error:
                return failure(error_kind=error.kind, message=error.message)
            except (StateError, StoreError) as error:
                return failure(error_kind="store_unavailable", message=str(error))

        return await asyncio.to_thread(carefully)


def of(session: Session) -> Waiting:
    """The executions that an editor shows."""
    return session.part(Waiting, session, asyncio.get_running_loop())
