"""Executions as the views use them: one store and one driver for the process. Everything here blocks, so it runs on threads."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.data_classes import replace
from boruna_ls import lock_order
from boruna_ls.executions import log_store
from boruna_ls.executions.driver import Driver
from boruna_ls.executions.log_text import text_of
from boruna_ls.executions.logged import budget_error
from boruna_ls.executions.names import AWAITING, ENDED, FREE, ID_RULE, Budgets, ExecutionError, is_id, tokens_of
from boruna_ls.executions.records import Execution, LoggedCall
from boruna_ls.executions.store import Store
from boruna_ls.executions.typed_answer import text_of_answer
from boruna_ls.runtime.policy import DENY_ALL, Policy, Rule, policy_of, policy_text
from boruna_ls.state import folder
from boruna_ls.state.sql import Sqlite

PART: Final = "executions"
FILE: Final = "executions.db"
_LISTED: Final = 5
"""Ids that a message about an unknown one names."""
_shared: list[Service] = []
_shared_lock: Final = lock_order.lock("executions")


def shared_service() -> Service:
    """The service of this process. Raises StateError, StoreError."""
    with _shared_lock:
        if not _shared:
            place = folder.opened(PART)
            store = Store(Sqlite(place / FILE, is_durable=True))
            _shared.append(Service(store, Driver(store, place)))
        return _shared[0]


def drives_under_way() -> bool:
    """True if this process drives executions; it then should not end of itself."""
    return bool(_shared) and _shared[0].driver.is_busy


class Service:
    """Operations on executions. Methods raise ExecutionError if nothing was done, StoreError if the disk fails."""

    def __init__(self, store: Store, driver: Driver) -> None:
        self.store = store
        self.driver = driver

    def find(self, owner: str, workspace: str, execution: str | None) -> Execution:
        """The execution of an id, or the current one of a workspace."""
        if execution is None:
            current = self.store.current(owner, workspace)
            if current is None:
                raise ExecutionError("no_current", "No current execution. Call list_executions, then set_current.")
            return current
        check_id("executionId", execution)
        record = self.store.execution(owner, execution)
        if record is None:
            latest = [other.execution_id for other in self.store.executions(owner, workspace, None, None, None, _LISTED)]
            hint = f"the latest are {', '.join(latest)}" if latest else "no execution has been started here"
            raise ExecutionError("unknown_execution", f"no execution has the id '{execution}'; {hint}", did_you_mean=latest)
        return record

    def start(
        self,
        owner: str,
        workspaces: Sequence[str],
        program: str,
        execution: str | None,
        policy: Any = None,
        inputs: Mapping[str, Any] | None = None,
        budgets: Budgets | None = None,
        is_current: bool = True,
        is_live: bool = False,
    ) -> Execution:
        """A new execution in state READY; without an id it gets one. It becomes the current one of the first of `workspaces`.

        Raises PolicyError, too.
        """
        check_id("programId", program)
        name = execution if execution is not None else f"{program[:115]}-{secrets.token_hex(6)}"
        check_id("executionId", name)
        try:
            begun = self.store.start(
                *(owner, program, name, workspaces, text_of(dict(inputs or {})), policy_text(policy_from(policy))),
                budgets or Budgets(),
                is_live,
            )
        except ExecutionError as error:
            if error.kind == "unknown_program":
                programs = self.store.program_ids(owner)[:_LISTED]
                hint = f"; there are {', '.join(programs)}" if programs else ": call load or loadFile first"
                raise ExecutionError(error.kind, error.message + hint, did_you_mean=programs) from None
            raise
        if is_current:
            self.store.set_current(owner, workspaces[0] if workspaces else "", begun.key)
        self.driver.changed(begun.key)
        return begun

    def submit(self, execution: Execution, result: Any, task: str | None) -> LoggedCall:
        """Takes the answer of an open task: it is on disk when this returns. The task."""
        open_tasks = self.store.open_tasks(execution.key)
        call = self._task_to_answer(execution, open_tasks, task)
        if error := budget_error(execution, time.time()):
            log_store.finish(self.store, execution.key, execution.steps, {**execution.outcome, "error": error})
            self.driver.changed(execution.key)
            raise ExecutionError("budget_exceeded", f"{error['message']}: the execution has ended, the answer was not taken")
        try:
            text = text_of_answer(result, call.schema)
        except ExecutionError as refused:
            if refused.kind in ("answer_refused", "answer_too_long"):
                log_store.refuse(self.store, execution.key, call.number, refused.message)
                message = f"{refused.message}. The task stays open: submit another answer."
                raise ExecutionError(refused.kind, message, taskId=execution.task_id(call.number), **refused.details) from None
            raise
        value = text_of({"value": {"String": text}})
        if not log_store.answer(self.store, execution.key, call.number, value, tokens_of(text)):
            raise self._answered_before(execution, call.number)
        if (now := self.store.by_key(execution.key)) is not None and (error := budget_error(now, time.time())):
            log_store.finish(self.store, now.key, now.steps, {**now.outcome, "error": error})
        self.driver.changed(execution.key)
        return call

    def cancel(self, execution: Execution) -> None:
        """Ends an execution that has not ended."""
        error = {"kind": "cancelled", "message": "the execution was cancelled"}
        log_store.finish(self.store, execution.key, execution.steps, {**execution.outcome, "error": error})
        self.driver.stop(execution.key)
        self.driver.changed(execution.key)

    def delete(self, execution: Execution) -> None:
        """Stops an execution and deletes it with its log."""
        self.store.delete_execution(execution.key)
        self.driver.stop(execution.key)
        self.driver.changed(execution.key)

    def _task_to_answer(self, execution: Execution, open_tasks: list[LoggedCall], task: str | None) -> LoggedCall:
        if execution.state in ENDED:
            raise ExecutionError("wrong_state", f"the execution is {execution.state}: no task is open", state=execution.state)
        if task is None:
            if execution.state != AWAITING or not open_tasks:
                message = (
                    f"the execution is {execution.state}, not {AWAITING}: call getTask, then submit the answer with its taskId"
                )
                raise ExecutionError("wrong_state", message, state=execution.state)
            return open_tasks[0]
        for call in open_tasks:
            if execution.task_id(call.number) == task:
                return call
        for call in self.store.calls(execution.key):
            if call.is_task and execution.task_id(call.number) == task:
                raise self._answered_before(execution, call.number)
        names = ", ".join(execution.task_id(call.number) for call in open_tasks[:_LISTED]) or "none: call getTask"
        raise ExecutionError("unknown_task", f"no task of this execution has the id '{task}'; open tasks: {names}")

    def _answered_before(self, execution: Execution, number: int) -> ExecutionError:
        message = (
            f"the task {execution.task_id(number)} was already answered, so this answer was ignored: call getTask to continue"
        )
        return ExecutionError("already_answered", message, state=execution.state)


def check_id(argument: str, text: str) -> None:
    """Raises ExecutionError for what cannot be an id."""
    if not is_id(text):
        raise ExecutionError("invalid_id", f"{argument} {text[:200]!r} is not a valid id: it must be {ID_RULE}")


def policy_from(value: Any) -> Policy:
    """The policy that an execution is given; thinking is allowed unless it has a rule about that. Raises PolicyError."""
    policy = DENY_ALL if value is None else policy_of(value)
    return replace(policy, rules={name: Rule(True) for name in FREE} | dict(policy.rules))
