"""Common parts of the tools about workflow runs: the caller, the runs it may see, and waiting for a run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, TypeVar

from pydantic import Field

from boruna_ls.answers.envelope import failure
from boruna_ls.answers.workflow_run import run_state
from boruna_ls.mcp.arguments import Arguments
from boruna_ls.mcp.tool import Call
from boruna_ls.state.folder import StateError
from boruna_ls.state.sql import StoreError
from boruna_ls.workflow.decisions import Principal
from boruna_ls.workflow.folders import WorkflowError
from boruna_ls.workflow.records import RUNNING, RunRecord
from boruna_ls.workflow.runner import Drive, Runner, TooManyRuns, shared_runner

T = TypeVar("T")
LONGEST: Final = 50.0
"""Seconds that a call waits for a run; then it answers with the run's id."""
OUTDATED: Final = "outdated"
_RESERVE: Final = 5.0
_TURN: Final = 0.5
ANSWER_FIELDS: Final[dict[str, Any]] = {
    "run_id": {"type": "string"},
    "status": {"type": "string"},
    "steps": {"type": "array", "items": {"type": "object"}},
    "step_results": {"type": "object"},
    "execution_order": {"type": "array", "items": {"type": "string"}},
    "paused_at_step": {"type": "string"},
    "duration_ms": {"type": "integer"},
    "evidence": {"type": "object"},
}


class RunIdArguments(Arguments):
    """The run that a tool is about."""

    run_id: str = Field(description="Id of the run", max_length=64)


def principal(call: Call[Any]) -> Principal:
    """The caller's identity: all agents of this machine are one, all network clients another; neither is the owner."""
    return Principal("network client" if call.client.confined else "local agent", False)


def may_see(call: Call[Any], record: RunRecord) -> bool:
    """A network client sees runs of network clients only."""
    return not call.client.confined or record.starter == principal(call).name


def visible_run(call: Call[Any], runner: Runner, run: str) -> RunRecord:
    """A run that the caller may see. Raises WorkflowError."""
    record = runner.store.run(run)
    if record is None or not may_see(call, record):
        raise WorkflowError(f"run not found: '{run}'")
    return record


async def answered(work: Callable[[Runner], T]) -> T | dict[str, Any]:
    """Work on the store, off the event loop; what cannot be done is an answer."""

    def carefully() -> T | dict[str, Any]:
        try:
            return work(shared_runner())
        except WorkflowError as error:
            return failure(error_kind="workflow_error", message=str(error))
        except TooManyRuns:
            return failure(error_kind="busy", message="too many runs are queued: call again when some have finished")
        except (StateError, StoreError) as error:
            return failure(error_kind="store_unavailable", message=str(error))

    return await asyncio.to_thread(carefully)


async def waited(call: Call[Any], begin: Callable[[Runner, Callable[[dict[str, Any]], None]], Drive]) -> dict[str, Any]:
    """The state of a run at the end of a drive, or when the call must be answered."""
    loop = asyncio.get_running_loop()
    events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    def tell(event: dict[str, Any]) -> None:
        loop.call_soon_threadsafe(events.put_nowait, event)

    drive = await answered(lambda runner: begin(runner, tell))
    if isinstance(drive, dict):
        return drive
    done = asyncio.wrap_future(drive.done)
    ends = loop.time() + max(min(call.deadline - _RESERVE, LONGEST), 1.0)
    place = steps = 0
    while not done.done() and loop.time() < ends:
        await asyncio.wait({done}, timeout=_TURN)
        while not events.empty():
            event = events.get_nowait()
            steps += event["kind"] == "step_ended"
            await call.report(float(steps), None, _sentence(event))
        now = shared_runner().place(drive)
        if now and now != place:
            await call.report(0.0, None, f"{now} in the queue of runs")
        place = now
    # Another server's process may have taken the run up: then only the store tells how it goes.
    while done.done() and done.result() == OUTDATED and loop.time() < ends:
        state = await state_of(call, drive.run)
        if state.get("status") != RUNNING:
            return state
        await asyncio.sleep(_TURN)
    return await state_of(call, drive.run)


def _sentence(event: dict[str, Any]) -> str:
    return f"{event['kind'].replace('_', ' ')}: {event.get('step', '')}"


async def state_of(call: Call[Any], run: str) -> dict[str, Any]:
    """A run as it is now."""
    return await answered(lambda runner: run_state(runner.store, visible_run(call, runner, run)))
