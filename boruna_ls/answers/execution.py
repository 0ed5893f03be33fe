"""Executions as tools, command line and resource show them (spec chapter 22). What programs wrote is data in fields."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from boruna_ls.answers.envelope import failure, success
from boruna_ls.executions.names import AWAITING, COMPLETED, ENDED, ERROR, Budgets
from boruna_ls.executions.places import StoredPlaces
from boruna_ls.executions.records import Execution, LoggedCall, Summary
from boruna_ls.executions.store import Store

LISTED_PROMPT: Final = 200
"""Characters of a prompt in a list."""
_WHOLE: Final = 20_000
"""Characters of a prompt or an answer in the record of an execution."""
_RECORD: Final = 700_000
"""Characters of all prompts and answers there."""
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
        "prompt": prompt if whole else _cut(prompt, LISTED_PROMPT),
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


def record_answer(store: Store, execution: Execution, is_current: bool) -> dict[str, Any]:
    """All of an execution: tasks with prompts, answers, attempts and times; output, result, counts of its log."""
    calls, left = store.calls(execution.key), _RECORD
    tasks = []
    for call in (each for each in calls if each.is_task):
        shown = _recorded_task(execution, call)
        left -= len(shown["prompt"]) + len(str(shown.get("answer", "")))
        tasks.append(shown if left > 0 else {**shown, "prompt": _cut(shown["prompt"], 50), "answer": None, "omitted": True})
    counts: dict[str, int] = {}
    for call in calls:
        counts[call.capability] = counts.get(call.capability, 0) + 1
    version = store.version(execution.version_key)
    answer = success(
        executionId=execution.execution_id,
        programId=execution.program_id,
        programVersion=version.version,
        fingerprint=version.fingerprint,
        state=execution.state,
        isCurrent=is_current,
        handle=handle_of(execution),
        createdAt=timestamp(execution.created),
        updatedAt=timestamp(execution.updated),
        steps=execution.steps,
        tokensUsed=execution.tokens,
        budgets=execution.budgets.as_dict(),
        inputs=json.loads(execution.inputs),
        policy=json.loads(execution.policy),
        tasks=tasks,
        eventLog={"calls": len(calls), "byCapability": counts, "interrupted": _interrupted(execution, calls)},
        **output_of(execution),
    )
    if execution.state == COMPLETED:
        answer |= result_of(execution)
    if execution.state == ERROR:
        answer["error"] = error_of(store, execution)
    return answer


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
        shown["prompt"] = _cut(summary.prompt, LISTED_PROMPT)
        shown["taskId"] = f"task-{(summary.task or 0) + 1}-{summary.secret}"
    return shown


def result_of(execution: Execution) -> dict[str, Any]:
    """The result of one that has completed, and what it emitted."""
    outcome = execution.outcome
    shown: dict[str, Any] = {"result": json.loads(outcome["result"]) if "result" in outcome else None}
    if "omitted" in outcome:
        shown["resultOmitted"] = outcome["omitted"]
    return shown | output_of(execution)


def output_of(execution: Execution) -> dict[str, Any]:
    """The UI output so far, as far as it is kept; nothing if there is none."""
    texts: Sequence[str] = execution.outcome.get("output") or ()
    total = int(execution.outcome.get("output_total") or 0)
    if not total:
        return {}
    shown: dict[str, Any] = {"uiOutput": [json.loads(text) for text in texts]}
    return shown if total == len(texts) else shown | {"uiOutputOmitted": total - len(texts)}


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


def _recorded_task(execution: Execution, call: LoggedCall) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "taskId": execution.task_id(call.number),
        "prompt": _cut(call.prompt, _WHOLE),
        "attempts": call.attempts,
        "askedAt": timestamp(call.asked),
        **expected(call),
    }
    if call.actor:
        shown["actor"] = call.actor
    if call.refused:
        shown |= {"refusedAnswers": call.refused, "lastRefusal": call.refusal}
    if call.result is not None:
        value = json.loads(call.result)
        if call.answer_order is not None:
            shown["answer"] = _cut(value["value"]["String"], _WHOLE)
        else:
            shown["closed"] = value.get("failure") or value.get("denied")
        shown["answeredAt"] = timestamp(call.answered or call.asked)
    return shown


def _interrupted(execution: Execution, calls: list[LoggedCall]) -> int:
    """Effects that were begun and have no result; while the execution runs, one is simply under way."""
    return 0 if execution.state == "RUNNING" else sum(call.is_open and not call.is_task for call in calls)


def _place(places: StoredPlaces, waiting: dict[str, Any]) -> dict[str, Any]:
    frames = waiting.get("stack") or []
    if not frames:
        return {}
    stack = places.stack(frames)
    return {**stack[0], "callStack": stack, "variables": waiting.get("variables") or {}}


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + "…"
