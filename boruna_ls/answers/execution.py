"""Executions as tools, command line and resource show them (spec chapter 22). What programs wrote is data in fields."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, Final

from boruna_ls.answers.envelope import as_text, failure, success
from boruna_ls.executions.names import AWAITING, COMPLETED, ENDED, ERROR, Budgets
from boruna_ls.executions.places import StoredPlaces
from boruna_ls.executions.records import Execution, LoggedCall, Summary
from boruna_ls.executions.store import Store

LISTED_PROMPT: Final = 200
"""Characters of a prompt in a list."""
ROOM: Final = 1_000_000
"""Bytes of an answer's parts together."""
HANDLE: Final = "execution-"


def handle_of(execution: Execution) -> str:
    """The name of an execution as a task of MCP clients."""
    return f"{HANDLE}{execution.key}-{execution.secret}"


def next_answer(store: Store, execution: Execution, attempt: int = 0) -> dict[str, Any]:
    """Next answer for the driver of an execution: a task, its end, or that it runs."""
    common = {"executionId": execution.execution_id, "state": execution.state, "handle": handle_of(execution)}
    if execution.state == COMPLETED:
        return success(status="completed", **common, **result_of(execution))
    if execution.state == ERROR:
        return failure(status="error", **common, error=error_of(store, execution), **output_of(execution))
    tasks = store.open_tasks(execution.key)
    if execution.state == AWAITING and tasks:
        shown = task_answer(execution, tasks[0], whole=True)
        if attempt:
            shown["attempt"] = attempt
        if len(tasks) > 1:
            shown["openTasks"] = len(tasks)
        return success(status="waiting", **common, **shown)
    return success(status="running", **common, next="Call getTask to run to the next task")


def task_answer(execution: Execution, call: LoggedCall, whole: bool = False) -> dict[str, Any]:
    """An open task: its prompt, what is expected, how often it was handed out, why the last answer was refused."""
    prompt = call.prompt
    shown: dict[str, Any] = {
        "taskId": execution.task_id(call.number),
        "prompt": prompt if whole else shortened(prompt, LISTED_PROMPT),
        "attempt": call.attempts,
        **expected(call),
    }
    if call.actor:
        shown["actor"] = call.actor
    if call.refusal is not None:
        shown |= {"refusedAnswers": call.refused, "lastRefusal": call.refusal}
    return shown


def expected(call: LoggedCall) -> dict[str, Any]:
    """The type of the answer that a task waits for."""
    if call.schema is None:
        return {"expectedType": "String"}
    return {"expectedType": "JSON", "schema": json.loads(call.schema)}


def status_answer(store: Store, execution: Execution, is_current: bool) -> dict[str, Any]:
    """State, place, variables, counts."""
    shown = success(
        executionId=execution.execution_id,
        programId=execution.program_id,
        state=execution.state,
        isCurrent=is_current,
        handle=handle_of(execution),
        steps=execution.steps,
        tasksAnswered=execution.answered,
        openTasks=[task_answer(execution, call) for call in store.open_tasks(execution.key)],
        tokensUsed=execution.tokens,
        budgets=execution.budgets.as_dict(),
    )
    waiting = execution.outcome.get("waiting") or []
    if waiting and execution.state not in ENDED:
        places = StoredPlaces(store.version(execution.version_key).places)
        shown |= _place(places, waiting[0])
        if len(waiting) > 1:
            shown["waiting"] = [{"taskId": execution.task_id(wait["task"]), **_place(places, wait)} for wait in waiting[:20]]
    if execution.state == ERROR:
        shown["error"] = error_of(store, execution)
    return shown


def summary_answer(summary: Summary) -> dict[str, Any]:
    """An execution in a list."""
    shown: dict[str, Any] = {
        "executionId": summary.execution_id,
        "programId": summary.program_id,
        "state": summary.state,
        "isCurrent": summary.is_current,
        "createdAt": timestamp(summary.created),
        "updatedAt": timestamp(summary.updated),
        "steps": summary.steps,
        "tasksAnswered": summary.answered,
    }
    if summary.prompt is not None and summary.state not in ENDED:
        shown["prompt"] = shortened(summary.prompt, LISTED_PROMPT)
        shown["taskId"] = f"task-{(summary.task or 0) + 1}-{summary.secret}"
    return shown


def result_of(execution: Execution) -> dict[str, Any]:
    """The result of one that has completed, and what it emitted."""
    outcome = execution.outcome
    shown: dict[str, Any] = {"result": json.loads(outcome["result"]) if "result" in outcome else None}
    if "omitted" in outcome:
        shown["resultOmitted"] = outcome["omitted"]
    return shown | output_of(execution, ROOM - size_of(shown))


def output_of(execution: Execution, room: int = ROOM) -> dict[str, Any]:
    """The UI output so far, as far as it is kept and fits into so many bytes; nothing if there is none."""
    total = int(execution.outcome.get("output_total") or 0)
    if not total:
        return {}
    output = []
    for text in execution.outcome.get("output") or ():
        room -= len(text.encode("utf-8", "surrogatepass"))
        if room < 0:
            break
        output.append(json.loads(text))
    shown: dict[str, Any] = {"uiOutput": output}
    return shown if total == len(output) else shown | {"uiOutputOmitted": total - len(output)}


def error_of(store: Store, execution: Execution) -> dict[str, Any]:
    """Error of a failed execution, and its place."""
    error = dict(execution.outcome.get("error") or {"kind": "unknown", "message": "the reason was not stored"})
    frames = error.pop("stack", None)
    if frames:
        stack = StoredPlaces(store.version(execution.version_key).places).stack(frames)
        error |= {**stack[0], "callStack": stack}
    return error


def budgets_of(given: dict[str, int]) -> Budgets:
    """Budgets from an argument."""
    return Budgets(**given)


def timestamp(seconds: float) -> str:
    """A time as answers show it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _place(places: StoredPlaces, waiting: dict[str, Any]) -> dict[str, Any]:
    frames = waiting.get("stack") or []
    if not frames:
        return {}
    stack = places.stack(frames)
    return {**stack[0], "callStack": stack, "variables": waiting.get("variables") or {}}


def size_of(value: Any) -> int:
    """Bytes of a part of an answer."""
    return len(as_text(value).encode("utf-8", "surrogatepass"))


def shortened(text: str, most: int) -> str:
    """The beginning of a text that is longer."""
    return text if len(text) <= most else text[:most] + "…"
