"""Common parts of the tools about executions: the caller, the execution that is meant, driving it, the answers to invalid
calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, TypeVar

from pydantic import Field

from boruna_ls.answers.envelope import success
from boruna_ls.answers.execution import next_answer
from boruna_ls.deadline import Deadline
from boruna_ls.effects.grants import SessionGrants
from boruna_ls.executions import log_store
from boruna_ls.executions.driver import Mind
from boruna_ls.executions.effects import performs_of
from boruna_ls.executions.names import AWAITING, ENDED, ID_RULE, ExecutionError
from boruna_ls.executions.records import Execution
from boruna_ls.executions.service import Service, shared_service
from boruna_ls.executions.store import TOKEN_SECONDS
from boruna_ls.mcp.arguments import Arguments
from boruna_ls.mcp.execution_tasks import owner_of
from boruna_ls.mcp.permission import PeerAsker
from boruna_ls.mcp.quotas import share_of
from boruna_ls.mcp.schemas import INTEGER, TEXT
from boruna_ls.mcp.tool import Call, Hints, RefusedCall
from boruna_ls.runtime.policy import PolicyError
from boruna_ls.state.folder import StateError
from boruna_ls.state.sql import StoreError
from boruna_ls.upstream.broker import live_broker

T = TypeVar("T")
LONGEST: Final = 50.0
"""Seconds that a call waits for a program; then it answers that the execution runs."""
_RESERVE: Final = 5.0
_TURN: Final = 1.0
CHANGES: Final = Hints(read_only=False, destructive=False, idempotent=False, open_world=False)
DELETES: Final = Hints(read_only=False, destructive=True, idempotent=False, open_world=False)
DRIVES: Final = Hints(read_only=False, destructive=True, idempotent=False, open_world=True)
"""A drive may have effects, inside policy and ceiling."""
ID: Final[dict[str, Any]] = {"type": "string"}
NEXT_FIELDS: Final[dict[str, Any]] = {
    "executionId": TEXT,
    "state": TEXT,
    "status": {"enum": ["waiting", "running", "completed", "error"]},
    "handle": TEXT,
    "taskId": TEXT,
    "prompt": TEXT,
    "expectedType": {"enum": ["String", "JSON"]},
    "schema": {},
    "attempt": INTEGER,
    "result": {},
    "error": {"type": "object"},
}
_OTHER_NAMES: Final = {
    "program_id": "programId",
    "execution_id": "executionId",
    "file_path": "filePath",
    "path": "filePath",
    "task_id": "taskId",
    "answer": "result",
    "confirm_token": "confirmToken",
    "set_current": "setCurrent",
}
"""Alternative names of arguments that models use for the names of chapter 22."""


class NamedArguments(Arguments):
    """Takes the names of chapter 22 in snake case, too."""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        cls.other_names = {other: name for other, name in _OTHER_NAMES.items() if name in cls.model_fields}


class ExecutionArguments(NamedArguments):
    """The execution that a tool is about."""

    executionId: str | None = Field(None, description=f"Default: the current execution; {ID_RULE}", max_length=1000)


class Caller:
    """The caller's identity: all agents of this machine are one owner, all network clients another."""

    def __init__(self, owner: str, workspaces: list[str]) -> None:
        self.owner = owner
        self.workspaces = workspaces

    @property
    def workspace(self) -> str:
        """The workspace whose current execution is meant."""
        return self.workspaces[0] if self.workspaces else ""


async def caller(call: Call[Any]) -> Caller:
    """The caller, with the workspaces that it works in."""
    roots = await call.analyse(lambda now: now.host.roots(now.client))
    return Caller(owner_of(call.client), roots)


async def stored(call: Call[Any], work: Callable[[Service], T]) -> T:
    """Work on the store, off the event loop. Raises RefusedCall for a wrong call, with what to do."""

    def carefully() -> T:
        try:
            return work(shared_service())
        except ExecutionError as error:
            raise refused(error) from None
        except PolicyError as error:
            raise RefusedCall("InvalidPolicy", error.message, field="policy", **error.extra) from None
        except (StateError, StoreError) as error:
            raise RefusedCall("StoreUnavailable", str(error)) from None

    return await call.apart(carefully)


async def asked_execution(call: Call[Any]) -> tuple[Caller, Execution]:
    """The caller, and the execution that its call is about. Raises RefusedCall."""
    who = await caller(call)
    return who, await stored(call, lambda service: service.find(who.owner, who.workspace, call.arguments.executionId))


def is_current(service: Service, who: Caller, execution: Execution) -> bool:
    """True if an execution is the caller's current one."""
    current = service.store.current(who.owner, who.workspace)
    return current is not None and current.key == execution.key


def refused(error: ExecutionError) -> RefusedCall:
    """The result for a call that could not be done."""
    return RefusedCall(_TYPES.get(error.kind, "ValidationError"), error.message, reason=error.kind, **error.details)


_TYPES: Final = {
    "no_current": "NotFound",
    "unknown_program": "NotFound",
    "unknown_execution": "NotFound",
    "unknown_task": "NotFound",
    "wrong_state": "WrongState",
    "already_answered": "WrongState",
    "id_in_use": "Conflict",
    "busy": "Unavailable",
    "unavailable": "Unavailable",
    "worker_died": "Unavailable",
    "stopped": "Unavailable",
}


async def driven(call: Call[Any], execution: Execution) -> Execution:
    """The execution at its next task or its end, or as it is when the call must be answered. Raises RefusedCall."""
    loop = asyncio.get_running_loop()
    deadline = Deadline.after(max(min(call.deadline - _RESERVE, LONGEST), 1.0))
    call.peer.stops(deadline)
    progress: list[int] = []
    # A network client would answer its own questions: it is not the owner, and cannot give trust.
    asker = PeerAsker(call.peer, loop) if call.peer.can("elicit") and not call.client.confined else None
    performs = performs_of(live_broker, call.client.confined, asker, call.memory.setdefault("effects", SessionGrants()))
    mind = Mind(performs, share_of(call.client), progress.append)
    while execution.state not in ENDED and execution.state != AWAITING and deadline.left() > 0:
        drive = asyncio.wrap_future((await stored(call, lambda service: service.driver)).drive(execution.key, mind))
        while not drive.done() and deadline.left() > 0:
            await asyncio.wait({drive}, timeout=min(_TURN, deadline.look_after()))
            if not drive.done():
                await call.report(float(max(progress, default=0)), None, "the program runs")
        if drive.done():
            try:
                drive.result()
            except ExecutionError as error:
                raise refused(error) from None
            except StoreError as error:
                raise RefusedCall("StoreUnavailable", str(error)) from None
        execution = await again(call, execution)
    return execution


async def again(call: Call[Any], execution: Execution) -> Execution:
    """The execution as it is now. Raises RefusedCall if it was deleted."""
    now = await stored(call, lambda service: service.store.by_key(execution.key))
    if now is None:
        raise refused(ExecutionError("unknown_execution", f"the execution '{execution.execution_id}' was deleted"))
    return now


async def handed_out(call: Call[Any], execution: Execution, counts: bool = True) -> dict[str, Any]:
    """The execution's next answer; a task that is handed out counts an attempt."""

    def work(service: Service) -> dict[str, Any]:
        attempt = 0
        if counts and execution.state == AWAITING and (tasks := service.store.open_tasks(execution.key)):
            attempt = log_store.count_attempt(service.store, execution.key, tasks[0].number)
        return next_answer(service.store, execution, attempt)

    return await stored(call, work)


async def confirmed(call: Call[Any], who: Caller, kind: str, name: str, token: str | None, what: str) -> dict[str, Any] | None:
    """None if a deletion is confirmed, else the answer that asks for it. Raises RefusedCall for a wrong token."""
    if token is None:
        new_token = await stored(call, lambda service: service.store.new_token(who.owner, kind, name))
        message = f"{what} To delete it, call again with this confirmToken, which is valid once, for 5 minutes, for this id."
        return success(confirmationRequired=True, confirmToken=new_token, expiresInSeconds=int(TOKEN_SECONDS), message=message)
    if not await stored(call, lambda service: service.store.use_token(who.owner, kind, name, token)):
        message = "the confirmToken is not valid: it was used, is too old, or is that of another id; ask for a new one"
        raise RefusedCall("ValidationError", message, field="confirmToken")
    return None
