"""The log of executions: written ahead by drives, and by answers to tasks.

A call stands on disk before its effect happens, and its result before the program sees it. A result is never changed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping
from typing import Any

from boruna_ls.executions.names import ABANDONED, AWAITING, COMPLETED, ENDED, ERROR, RUNNING, THINK
from boruna_ls.executions.records import LoggedCall, head_of
from boruna_ls.executions.store import CALL, Store
from boruna_ls.state.sql import Cursor


class Gone(Exception):
    """The execution was deleted."""


def begin_call(store: Store, key: int, number: int, actor: int, capability: str, arguments: str, result: str | None) -> None:
    """The intent of a call; with its result at once where doing it again would change nothing. Raises Gone."""
    now, head = time.time(), head_of(arguments) if capability == THINK and result is None else None
    with store.sql.writing() as do:
        _require(do, key)
        do(
            "INSERT INTO calls (execution, number, actor, capability, arguments, asked, result, answered, head) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(key, number, actor, capability, arguments, now, result, None if result is None else now, head),
        )


def end_call(store: Store, key: int, number: int, result: str) -> None:
    """The result of a call that has none. Raises Gone."""
    with store.sql.writing() as do:
        _require(do, key)
        do(
            "UPDATE calls SET result = ?, answered = ? WHERE execution = ? AND number = ? AND result IS NULL",
            *(result, time.time(), key, number),
        )


def answer(store: Store, key: int, number: int, result: str, tokens: int) -> bool:
    """Record the answer of a task. False if another answer was first: then nothing has changed."""
    now = time.time()
    with store.sql.writing() as do:
        done = do(
            "UPDATE calls SET result = ?, answered = ?, answer_order = (SELECT COALESCE(MAX(answer_order), 0) + 1 FROM calls "
            "WHERE execution = ? AND answer_order IS NOT NULL) WHERE execution = ? AND number = ? AND capability = ? "
            "AND result IS NULL RETURNING 1",
            *(result, now, key, key, number, THINK),
        )
        if done:
            do(
                "UPDATE executions SET state = ?, tokens = tokens + ?, answered = answered + 1, updated = ? WHERE key = ?",
                *(RUNNING, tokens, now, key),
            )
    return bool(done)


def refuse(store: Store, key: int, number: int, reason: str) -> None:
    """Remembers an answer that did not fit; the task stays open."""
    with store.sql.writing() as do:
        shown = reason.encode("utf-8", "replace").decode()
        do("UPDATE calls SET refused = refused + 1, refusal = ? WHERE execution = ? AND number = ?", shown, key, number)


def count_attempt(store: Store, key: int, number: int) -> int:
    """Counts that a task was handed out; how often it was by now."""
    with store.sql.writing() as do:
        rows = do("UPDATE calls SET attempts = attempts + 1 WHERE execution = ? AND number = ? RETURNING attempts", key, number)
    return int(rows[0][0]) if rows else 0


def next_answer(store: Store, key: int, delivered: int) -> LoggedCall | None:
    """The first answer after those that were delivered."""
    rows = store.sql.read(
        f"SELECT {CALL} FROM calls WHERE execution = ? AND answer_order > ? ORDER BY answer_order LIMIT 1", key, delivered
    )
    return LoggedCall(*rows[0]) if rows else None


def mark_running(store: Store, key: int) -> None:
    """A drive begins."""
    with store.sql.writing() as do:
        do("UPDATE executions SET state = ?, updated = ? WHERE key = ? AND state != ?", RUNNING, time.time(), key, RUNNING)


def suspend(store: Store, key: int, steps: int, outcome: Mapping[str, Any], waiting: Collection[int], delivered: int) -> str:
    """A drive has ended at open tasks: the state. Tasks that no actor waits for any more are closed."""
    with store.sql.writing() as do:
        _close(do, key, waiting)
        # An answer that came while the drive was ending is delivered by the next one.
        late = do("SELECT 1 FROM calls WHERE execution = ? AND answer_order > ? LIMIT 1", key, delivered)
        return _settle(do, key, RUNNING if late else AWAITING, steps, outcome)


def finish(store: Store, key: int, steps: int, outcome: Mapping[str, Any]) -> str:
    """The end of an execution: `outcome` holds its result or its error."""
    with store.sql.writing() as do:
        _close(do, key, ())
        return _settle(do, key, ERROR if "error" in outcome else COMPLETED, steps, outcome)


def _settle(do: Cursor, key: int, state: str, steps: int, outcome: Mapping[str, Any]) -> str:
    do(
        "UPDATE executions SET state = ?, steps = MAX(steps, ?), outcome = ?, updated = ? WHERE key = ? AND state NOT IN (?, ?)",
        *(state, steps, json.dumps(outcome, separators=(",", ":")), time.time(), key, *ENDED),
    )
    return state


def _close(do: Cursor, key: int, waiting: Collection[int]) -> None:
    for (number,) in do("SELECT number FROM calls WHERE execution = ? AND capability = 'llm.call' AND result IS NULL", key):
        if number not in waiting:
            do(
                "UPDATE calls SET result = ?, answered = ? WHERE execution = ? AND number = ?",
                ABANDONED,
                time.time(),
                key,
                number,
            )


def _require(do: Cursor, key: int) -> None:
    if not do("SELECT 1 FROM executions WHERE key = ?", key):
        raise Gone
