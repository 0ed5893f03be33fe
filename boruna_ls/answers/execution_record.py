"""The record of an execution: everything that is stored about it, whole or page by page."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from boruna_ls.answers.envelope import success
from boruna_ls.answers.execution import (
    ROOM,
    error_of,
    expected,
    handle_of,
    output_of,
    result_of,
    shortened,
    size_of,
    timestamp,
)
from boruna_ls.executions.names import COMPLETED, ERROR
from boruna_ls.executions.records import Execution, LoggedCall
from boruna_ls.executions.store import Store

MOST_TASKS: Final = 1000
_WHOLE: Final = 20_000
"""Characters of a prompt, an answer or a schema in a page."""


class Page(NamedTuple):
    """Tasks of one answer: the number of the first one, from 1, and how many there may be.

    Without a number they begin with the first, behind the rest of the record.
    """

    first: int | None = None
    limit: int = MOST_TASKS


def record_answer(store: Store, execution: Execution, is_current: bool, page: Page | None = None) -> dict[str, Any]:
    """All of an execution: tasks with prompts, answers, attempts and times; output, result, counts of its log.

    With a page the answer is bounded: long texts are cut, and `nextFirstTask` is where the next page begins. Pages with
    a number have only tasks.
    """
    calls = store.calls(execution.key)
    answer = _head(store, execution, is_current, calls) if page is None or page.first is None else success(**_named(execution))
    tasks = [call for call in calls if call.is_task]
    if page is None:
        return answer | {"tasks": [_recorded_task(execution, call) for call in tasks], "tasksTotal": len(tasks)}
    shown, room = [], ROOM - size_of(answer)
    first = page.first or 1
    for call in tasks[first - 1 : first - 1 + page.limit]:
        task = _cut(_recorded_task(execution, call))
        room -= size_of(task)
        if room < 0:
            break
        shown.append(task)
    following = first + len(shown)
    rest = {"nextFirstTask": following} if following <= len(tasks) else {}
    return answer | {"tasks": shown, "tasksTotal": len(tasks)} | rest


def task_record(store: Store, execution: Execution, task: str) -> dict[str, Any] | None:
    """One task of an execution in full; None for an unknown one."""
    for call in store.calls(execution.key):
        if call.is_task and execution.task_id(call.number) == task:
            return success(**_named(execution), tasks=[_recorded_task(execution, call)])
    return None


def _named(execution: Execution) -> dict[str, Any]:
    return {"executionId": execution.execution_id, "programId": execution.program_id, "state": execution.state}


def _head(store: Store, execution: Execution, is_current: bool, calls: list[LoggedCall]) -> dict[str, Any]:
    """What the record holds besides the tasks."""
    counts: dict[str, int] = {}
    for call in calls:
        counts[call.capability] = counts.get(call.capability, 0) + 1
    version = store.version(execution.version_key)
    answer = success(
        **_named(execution),
        programVersion=version.version,
        fingerprint=version.fingerprint,
        isCurrent=is_current,
        handle=handle_of(execution),
        createdAt=timestamp(execution.created),
        updatedAt=timestamp(execution.updated),
        steps=execution.steps,
        tokensUsed=execution.tokens,
        budgets=execution.budgets.as_dict(),
        inputs=json.loads(execution.inputs),
        policy=json.loads(execution.policy),
        eventLog={"calls": len(calls), "byCapability": counts, "interrupted": _interrupted(execution, calls)},
    )
    if execution.state == ERROR:
        answer["error"] = error_of(store, execution)
    return answer | (result_of(execution) if execution.state == COMPLETED else output_of(execution))


def _cut(task: dict[str, Any]) -> dict[str, Any]:
    """A task in a page: `cut` says that `taskId` gives more of it."""
    shown = dict(task)
    for name in ("prompt", "answer"):
        if len(text := task.get(name, "")) > _WHOLE:
            shown |= {name: shortened(text, _WHOLE), "cut": True}
    if "schema" in task and size_of(task["schema"]) > _WHOLE:
        del shown["schema"]
        shown["cut"] = True
    return shown


def _recorded_task(execution: Execution, call: LoggedCall) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "taskId": execution.task_id(call.number),
        "prompt": call.prompt,
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
            shown["answer"] = value["value"]["String"]
        else:
            shown["closed"] = value.get("failure") or value.get("denied")
        shown["answeredAt"] = timestamp(call.answered or call.asked)
    return shown


def _interrupted(execution: Execution, calls: list[LoggedCall]) -> int:
    """Effects that were begun and have no result; while the execution runs, one is simply under way."""
    return 0 if execution.state == "RUNNING" else sum(call.is_open and not call.is_task for call in calls)
