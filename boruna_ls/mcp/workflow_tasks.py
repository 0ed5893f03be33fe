"""Runs of workflows as tasks and as a resource: polled, cancelled, answered at their gates, with notifications of changes.

A gate is a question to the client's user; the answer that comes back is the user's, as that of an elicitation is. What drives
runs is imported when a client first names one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from analysis.syntax.escaping import quoted
from boruna_ls.mcp.stored_tasks import StoredTasks, with_store
from boruna_ls.mcp.tasks import Status, TaskState
from boruna_ls.workspace import Client

if TYPE_CHECKING:
    from boruna_ls.state.changes import Mark
    from boruna_ls.workflow.runner import Runner

URI: Final = "boruna://workflow-runs/"
"""The resource with a run as it is now; what stands behind is its id."""
_STATUS: Final[Mapping[str, Status]] = {
    "running": "working",
    "completed": "completed",
    "failed": "completed",
    "cancelled": "cancelled",
}
_DECISIONS: Final = ("approve", "reject")


class WorkflowTasks(StoredTasks):
    """The stored runs, as far as a client may see them."""

    prefix = "workflow-"

    def __init__(self) -> None:
        super().__init__()
        self._heard: Runner | None = None

    async def get(self, client: Client, task: str, may_run: bool) -> TaskState | None:
        loop = asyncio.get_running_loop()
        # The mark first, so that a later change is reported.
        mark, state = await with_store(lambda: (self.mark(task), self._state(client, task, loop)))
        self.looked_at(task, mark, state is None or state.has_ended)
        return state

    async def follow(self, client: Client, uri: str, notify: Callable[[str], None]) -> Callable[[], None] | None:
        """Has `notify` called with a resource's URI when its run changes; what ends that, None for an unknown one."""
        run, loop = uri.removeprefix(URI), asyncio.get_running_loop()
        task = self.prefix + run

        def find() -> Mark:
            return self.mark(task) if _visible_run(self._runner(loop), client, run) is not None else None

        mark = await with_store(find)
        return None if mark is None else self.followed(task, mark, lambda: notify(uri))

    def marks(self, tasks: Sequence[str]) -> Mapping[str, Mark]:
        by_run = self._runner(None).store.marks([self._run(task) for task in tasks])
        return {self.prefix + run: mark for run, mark in by_run.items()}

    async def page(self, client: Client, run: str) -> str | None:
        """A run as JSON text, as `boruna_workflow_status` answers; None for an unknown one."""
        from boruna_ls.answers.envelope import as_text
        from boruna_ls.answers.workflow_run import run_state

        def read() -> str | None:
            runner = self._runner(None)
            record = _visible_run(runner, client, run)
            return None if record is None else as_text(run_state(runner.store, record))

        return await with_store(read)

    async def update(self, client: Client, task: str, answers: Mapping[str, Any]) -> None:
        await with_store(self._decide, client, task, answers)
        self.notify(task)

    async def cancel(self, client: Client, task: str) -> None:
        def stop() -> None:
            runner = self._runner(None)
            if _visible_run(runner, client, self._run(task)) is not None:
                runner.store.cancel(self._run(task))

        await with_store(stop)
        self.notify(task)

    def _run(self, task: str) -> str:
        return task.removeprefix(self.prefix)

    def _runner(self, loop: asyncio.AbstractEventLoop | None) -> Runner:
        from boruna_ls.workflow.runner import shared_runner

        runner = shared_runner()
        if loop is not None and self._heard is not runner:
            self._heard = runner

            def tell(run: str) -> None:
                self.notify(self.prefix + run)
                self.look()

            def hear(run: str) -> None:
                loop.call_soon_threadsafe(tell, run)

            runner.listeners.append(hear)
        return runner

    def _state(self, client: Client, task: str, loop: asyncio.AbstractEventLoop) -> TaskState | None:
        from boruna_ls.answers.envelope import as_text
        from boruna_ls.answers.workflow_run import run_state

        runner = self._runner(loop)
        record = _visible_run(runner, client, self._run(task))
        if record is None:
            return None
        summary = record.summary
        times = summary.started_at / 1000, summary.updated_at / 1000
        questions = _questions(runner, record.run_id) if record.status == "paused" else {}
        status: Status = _STATUS.get(record.status, "input_required" if questions else "working")
        result = None
        if status == "completed":
            answer = run_state(runner.store, record)
            result = {"content": [{"type": "text", "text": as_text(answer)}], "structuredContent": answer, "isError": False}
        return TaskState(task, status, *times, message=f"run {record.status}", result=result, questions=questions)

    def _decide(self, client: Client, task: str, answers: Mapping[str, Any]) -> None:
        from boruna_ls.workflow.decisions import OWNER, Principal, decide
        from boruna_ls.workflow.folders import WorkflowError
        from boruna_ls.workflow.runner import TooManyRuns
        from boruna_ls.workflow.store import Outdated

        runner, run, decided = self._runner(None), self._run(task), False
        if _visible_run(runner, client, run) is None:
            return
        for step, answer in answers.items():
            word = _decision(answer)
            if word is None:
                continue
            try:
                decide(runner.store, run, step, word == "approve", None, Principal(OWNER, True), OWNER)
                decided = True
            except WorkflowError:
                # Another decision was first, or nothing waits there: the state shows it.
                continue
        if decided:
            try:
                runner.drive(run, runner.store.take(run))
            except (Outdated, TooManyRuns):
                return


def _decision(answer: Any) -> str | None:
    """Decision that a user made in the form of a gate; None for any other answer."""
    if not isinstance(answer, Mapping) or answer.get("action") != "accept":
        return None
    content = answer.get("content")
    word = content.get("decision") if isinstance(content, Mapping) else None
    return word if word in _DECISIONS else None


def _visible_run(runner: Runner, client: Client, run: str) -> Any:
    record = runner.store.run(run)
    return record if record is not None and (not client.confined or record.starter == "network client") else None


def _questions(runner: Runner, run: str) -> dict[str, Any]:
    """The gates that wait, as forms for the client's user."""
    form = {
        "type": "object",
        "properties": {"decision": {"type": "string", "title": "Decision", "enum": list(_DECISIONS)}},
        "required": ["decision"],
    }
    waiting = [name for name, step in runner.store.steps(run).items() if step.status == "awaiting_approval"]
    return {
        name: {
            "method": "elicitation/create",
            "params": {"mode": "form", "message": f"Gate {quoted(name)} of workflow run {quoted(run)}", "requestedSchema": form},
        }
        for name in waiting
    }
