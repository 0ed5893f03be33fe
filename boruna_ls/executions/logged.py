"""Effects of a drive with a write-ahead log: calls are answered from the log as far as it goes, then by the broker.

The intent of a call is on disk before its effect happens, its result before the program gets it. A call with an intent and no
result was interrupted: its effect may or may not have happened, so it is not repeated; the program gets a failure that says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Protocol

from analysis.bytecode.axbc import constant_to_json
from analysis.semantics.tools.modules import CAPABILITY as TOOL
from boruna_ls import lock_order
from boruna_ls.executions import log_store
from boruna_ls.executions.log_text import diverged, spent, text_of
from boruna_ls.executions.names import ABANDONED, TEXT_LIMIT, THINK, Budgets
from boruna_ls.executions.records import Execution, LoggedCall
from boruna_ls.executions.snapshot import STATE
from boruna_ls.executions.store import Store
from boruna_ls.runtime.policy import Policy
from boruna_ls.runtime.tool_results import failure_constant

REPEATABLE: Final = frozenset(("time.now", "random", "ui.render", "fs.read"))
"""Capabilities that change nothing outside: interrupted ones are done again."""
INTERRUPTED: Final = "interrupted: the effect was started, its outcome is unknown, and it is not repeated"
MOST_CALLS: Final = 100_000
"""Capability calls of one execution."""


class Effects(Protocol):
    """Performer of effects: see `effects/broker.py`."""

    def answer(self, content: bytes, /) -> bytes:
        """From the content of a CALL to that of its RESULT."""

    def cancel(self) -> None:
        """Stops what is under way."""


class Performs(Protocol):
    """Makes the effects of a drive when the first one is needed, from the calls that were made before by capability."""

    def __call__(self, used: Mapping[str, int], /) -> Effects: ...


class LoggedEffects:
    """The effects of one drive. `delivered` is the order of the last answer that the program has seen when the drive begins."""

    def __init__(
        self,
        store: Store,
        execution: Execution,
        policy: Policy,
        performs: Performs,
        first: int,
        delivered: int,
        is_parallel: bool,
    ) -> None:
        self._store = store
        self._execution = execution
        self._policy = policy
        self._performs = performs
        self._is_parallel = is_parallel
        self._logged = {call.number: call for call in store.calls(execution.key, first)}
        self._effects: Effects | None = None
        self._is_cancelled = False
        self._lock = lock_order.lock("effects")
        self.number = first
        self.delivered = delivered
        self.snapshot = b""
        """The state in which the program was suspended, as its process made it; never read here."""

    # ---- the protocol of `runtime/workers.py` ---------------------------------------------------------------------

    def answer(self, content: bytes) -> bytes:
        """Called on a thread of the pool. Raises StoreError and Gone, which end the run."""
        if content[:1] == STATE:
            self.snapshot = content[1:]
            return b"{}"
        asked = json.loads(content.decode("utf-8", "surrogatepass"))
        if "next" in asked:
            return _encoded_json(self._next())
        capability, arguments = str(asked["capability"]), text_of(asked["arguments"])
        number, self.number = self.number, self.number + 1
        logged_call = self._logged.get(number)
        if logged_call is not None:
            if (logged_call.capability, logged_call.arguments) != (capability, arguments):
                return _encoded_json({"abort": diverged(number + 1, logged_call.capability, capability)})
        elif number >= MOST_CALLS:
            return _encoded_json({"abort": spent("calls", MOST_CALLS)})
        if capability == THINK:
            return _encoded_json(self._think(number, logged_call, asked, arguments))
        return self._perform(number, logged_call, asked, arguments, content)

    def cancel(self) -> None:
        with self._lock:
            self._is_cancelled = True
            effects = self._effects
        if effects is not None:
            effects.cancel()

    # ---- tasks ----------------------------------------------------------------------------------------------------

    def _think(self, number: int, logged: LoggedCall | None, asked: Mapping[str, Any], arguments: str) -> dict[str, Any]:
        if logged is None:
            if refusal := self._refused_task(asked["arguments"]):
                result = None if "abort" in refusal else text_of(refusal)
                if result is not None:
                    log_store.begin_call(self._store, self._execution.key, number, int(asked["actor"]), THINK, arguments, result)
                return refusal
            log_store.begin_call(self._store, self._execution.key, number, int(asked["actor"]), THINK, arguments, None)
        elif logged.result not in (None, ABANDONED) and not (self._is_parallel and logged.answer_order is not None):
            # Of one machine the answers come in the order of its calls.
            self.delivered = max(self.delivered, logged.answer_order or 0)
            answer: dict[str, Any] = json.loads(logged.result or "")
            return answer
        return {"task": number}

    def _refused_task(self, arguments: list[Any]) -> dict[str, Any] | None:
        rule = self._policy.rule(THINK)
        budget = self._execution.budgets.tasks
        if not rule.allow:
            return {"denied": f"capability denied: {THINK}"}
        tasks = self._store.used(self._execution.key).get(THINK, 0) if rule.budget or budget is not None else 0
        if 0 < rule.budget <= tasks:
            return {"denied": f"capability budget exceeded: {THINK}"}
        if budget is not None and tasks >= budget:
            return {"abort": spent("tasks", budget)}
        texts = [argument.get("String") if isinstance(argument, dict) else None for argument in arguments[:2]]
        if not texts or not all(isinstance(text, str) for text in texts):
            return {"failure": "prompt and schema must be Strings"}
        if any(len(str(text).encode("utf-8", "surrogatepass")) > TEXT_LIMIT for text in texts):
            return {"failure": f"a prompt may have {TEXT_LIMIT} bytes at most"}
        return None

    def _next(self) -> dict[str, Any]:
        answer = log_store.next_answer(self._store, self._execution.key, self.delivered)
        if answer is None or answer.result is None or answer.answer_order is None:
            return {}
        self.delivered = answer.answer_order
        return {"task": answer.number, "answer": json.loads(answer.result)}

    # ---- effects --------------------------------------------------------------------------------------------------

    def _perform(self, number: int, logged: LoggedCall | None, asked: Mapping[str, Any], arguments: str, content: bytes) -> bytes:
        key, capability = self._execution.key, str(asked["capability"])
        if logged is not None and logged.result is not None:
            return logged.result.encode()
        if capability in REPEATABLE or _only_asks(capability, asked["arguments"]):
            result = self._performed_result(content)
            if logged is None:
                log_store.begin_call(self._store, key, number, int(asked["actor"]), capability, arguments, result)
            else:
                log_store.end_call(self._store, key, number, result)
            return result.encode()
        if logged is not None:
            result = text_of(_interrupted(capability))
        else:
            self._prepare()
            log_store.begin_call(self._store, key, number, int(asked["actor"]), capability, arguments, None)
            result = self._performed_result(content)
            if self._is_cancelled:
                # The run was stopped during the effect: its outcome is unknown, and nothing reads this answer.
                return result.encode()
        log_store.end_call(self._store, key, number, result)
        return result.encode()

    def _performed_result(self, content: bytes) -> str:
        prepared = self._prepare()
        return text_of(json.loads(prepared.answer(content).decode("utf-8", "surrogatepass")))

    def _prepare(self) -> Effects:
        """Performer of the effects; the calls up to now count for the budgets of the policy."""
        if self._effects is None:
            effects = self._performs(self._store.used(self._execution.key))
            with self._lock:
                self._effects = effects
            if self._is_cancelled:
                effects.cancel()
            return effects
        return self._effects


def budget_error(execution: Execution, now: float) -> dict[str, Any] | None:
    """Error for a budget of an execution that is used up; None if none is. Budgets that a drive counts are not checked here."""
    budgets: Budgets = execution.budgets
    if budgets.tokens is not None and execution.tokens > budgets.tokens:
        return spent("tokens", budgets.tokens)
    if budgets.seconds is not None and now - execution.created > budgets.seconds:
        return spent("seconds", budgets.seconds)
    return None


def _only_asks(capability: str, arguments: list[Any]) -> bool:
    """True for functions of `mcp` itself, such as `list_tools`: they have an empty first argument, and call no tool."""
    return capability == TOOL and arguments[:1] == [{"String": ""}]


def _interrupted(capability: str) -> dict[str, Any]:
    message = f"{capability}: {INTERRUPTED}"
    if capability == TOOL:
        # The program sees it in the result, as with every failed tool call.
        return {"value": constant_to_json(failure_constant(message))}
    return {"failure": message}


def _encoded_json(value: Mapping[str, Any]) -> bytes:
    return text_of(value).encode()
