"""Executions as tasks and as a resource: polled, answered, cancelled, with notifications of changes.

A program that waits is a task with questions; an answer to one goes where submitTask's goes, and the program runs on. What runs
programs is imported when a client first names an execution.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from boruna_ls.mcp.quotas import share_of
from boruna_ls.mcp.stored_tasks import StoredTasks, with_store
from boruna_ls.mcp.tasks import Status, TaskState
from boruna_ls.workspace import Client

if TYPE_CHECKING:
    from boruna_ls.executions.records import Execution
    from boruna_ls.executions.service import Service
    from boruna_ls.state.changes import Mark

URI: Final = "boruna://executions/"
"""The resource with the record of an execution; what stands behind is its id."""
_STATUS: Final[Mapping[str, Status]] = {
    "READY": "working",
    "RUNNING": "working",
    "AWAITING_COGNITIVE_RESULT": "input_required",
    "COMPLETED": "completed",
    "ERROR": "completed",
}
_MOST_QUESTIONS: Final = 50


class ExecutionTasks(StoredTasks):
    """The stored executions, as far as a client may see them."""

    prefix = "execution-"

    def __init__(self) -> None:
        super().__init__()
        self._heard: Service | None = None

    async def get(self, client: Client, task: str, may_run: bool) -> TaskState | None:
        loop = asyncio.get_running_loop()
        # The mark first, so that a later change is reported.
        mark, state = await with_store(lambda: (self.mark(task), self._state(client, task, loop, may_run)))
        self.looked_at(task, mark, state is None or state.has_ended)
        return state

    async def page(self, client: Client, execution: str) -> str | None:
        """An execution as JSON text, as the first page of `get_execution`; None for an unknown one."""
        from boruna_ls.answers.envelope import as_text
        from boruna_ls.answers.execution_record import Page, record_answer

        def read() -> str | None:
            service = self._service(None)
            record = service.store.execution(owner_of(client), execution)
            return None if record is None else as_text(record_answer(service.store, record, False, Page()))

        return await with_store(read)

    async def follow(self, client: Client, uri: str, notify: Callable[[str], None]) -> Callable[[], None] | None:
        """Has `notify` called with a resource's URI when its execution changes; what ends that, None for an unknown one."""
        loop = asyncio.get_running_loop()

        def find() -> tuple[str, Mark] | None:
            service = self._service(loop)
            record = service.store.execution(owner_of(client), unquote(uri.removeprefix(URI)))
            if record is None:
                return None
            task = f"{self.prefix}{record.key}-{record.secret}"
            return task, self.mark(task)

        watched = await with_store(find)
        return None if watched is None else self.followed(*watched, lambda: notify(uri))

    def marks(self, tasks: Sequence[str]) -> Mapping[str, Mark]:
        keys = {task: key for task in tasks if (key := _key(task)) is not None}
        by_key = self._service(None).store.marks(keys.values())
        return {task: by_key[key] for task, key in keys.items() if key in by_key}

    async def update(self, client: Client, task: str, answers: Mapping[str, Any]) -> None:
        await with_store(self._answer, client, task, answers)

    async def cancel(self, client: Client, task: str) -> None:
        def stop() -> None:
            service = self._service(None)
            if (record := _visible_execution(service, client, task)) is not None:
                service.cancel(record)

        await with_store(stop)

    def _service(self, loop: asyncio.AbstractEventLoop | None) -> Service:
        from boruna_ls.executions.service import shared_service

        service = shared_service()
        if loop is not None and self._heard is not service:
            self._heard = service

            def hear(_: int) -> None:
                loop.call_soon_threadsafe(self.look)

            service.driver.listeners.append(hear)
        return service

    def _state(self, client: Client, task: str, loop: asyncio.AbstractEventLoop, may_run: bool) -> TaskState | None:
        service = self._service(loop)
        execution = _visible_execution(service, client, task)
        if execution is None:
            return None
        status, questions, result = _STATUS[execution.state], {}, None
        if status == "working":
            # Asking for the state of a task also continues it.
            if may_run:
                self._drive(service, client, execution)
        elif status == "input_required":
            questions = _questions(service, execution)
        elif (execution.outcome.get("error") or {}).get("kind") == "cancelled":
            status = "cancelled"
        else:
            result = _result(service, execution)
        times = execution.created, execution.updated
        return TaskState(task, status, *times, message=f"execution {execution.state}", result=result, questions=questions)

    def _answer(self, client: Client, task: str, answers: Mapping[str, Any]) -> None:
        from boruna_ls.executions.names import ExecutionError

        service, taken = self._service(None), False
        execution = _visible_execution(service, client, task)
        if execution is None:
            return
        schemas = {execution.task_id(open_task.number): open_task.schema for open_task in service.store.open_tasks(execution.key)}
        for name, answer in answers.items():
            value = _value(answer, schemas.get(name))
            if value is None:
                continue
            try:
                service.submit(execution, value, name)
                taken = True
            except ExecutionError:
                # The answer does not fit, or another one was first: the task's state shows it.
                continue
        if taken:
            self._drive(service, client, execution)

    def _drive(self, service: Service, client: Client, execution: Execution) -> None:
        from boruna_ls.executions.driver import Mind
        from boruna_ls.executions.effects import performs_of
        from boruna_ls.upstream.broker import live_broker

        service.driver.drive(execution.key, Mind(performs_of(live_broker, client.confined), share_of(client)))


def owner_of(client: Client) -> str:
    """Owner of a client's stored data: one for all clients on the owner's streams, the token's for a network client."""
    return (client.principal or "network") if client.confined else "local"


def _visible_execution(service: Service, client: Client, task: str) -> Execution | None:
    """The execution of a task, if it is the client's."""
    from boruna_ls.answers.execution import handle_of

    key = _key(task)
    execution = None if key is None else service.store.by_key(key)
    is_its = execution is not None and handle_of(execution) == task and execution.owner == owner_of(client)
    return execution if is_its else None


def _key(task: str) -> int | None:
    """The execution that a task names."""
    number = task.removeprefix(ExecutionTasks.prefix).partition("-")[0]
    return int(number) if number.isascii() and number.isdigit() and len(number) < 19 else None


def _questions(service: Service, execution: Execution) -> dict[str, Any]:
    """The open tasks, as forms."""
    from boruna_ls.executions.forms import TEXT_FORM, form_of, question_of

    return {
        execution.task_id(task.number): {
            "method": "elicitation/create",
            "params": {
                "mode": "form",
                "message": question_of(execution, task),
                "requestedSchema": form_of(task.schema) or TEXT_FORM,
            },
        }
        for task in service.store.open_tasks(execution.key)[:_MOST_QUESTIONS]
    }


def _value(answer: Any, schema: str | None) -> Any:
    """Value in a client's answer, to a form or as a model's message; None for no answer."""
    from boruna_ls.executions.forms import answer_in

    if not isinstance(answer, Mapping):
        return None
    content = answer.get("content")
    if "action" not in answer:
        return content.get("text") if isinstance(content, Mapping) else None
    if answer["action"] != "accept" or not isinstance(content, Mapping):
        return None
    return answer_in(content, schema)


def _result(service: Service, execution: Execution) -> dict[str, Any]:
    from boruna_ls.answers.envelope import as_text
    from boruna_ls.answers.execution import next_answer

    answer = next_answer(service.store, execution)
    return {"content": [{"type": "text", "text": as_text(answer)}], "structuredContent": answer, "isError": False}
