"""Makes a test of a session: records it, makes a failing one as short as it can be, and writes it as a function `test_NAME`.

The test sends the same messages to `update` and compares every state, the number of effects, and what is shown at the end. The
test of a session that failed passes once the application takes these messages.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from analysis.data_classes import dataclass
from boruna_ls.framework.app import App, AppError
from boruna_ls.framework.expressions import Inexpressible, expression
from boruna_ls.framework.machine import Cycle, Machine
from boruna_ls.framework.messages import Message
from boruna_ls.framework.minimise import minimised
from boruna_ls.framework.rendering import Renderer
from boruna_ls.runtime.forms import TooLarge, display, from_tagged
from boruna_ls.runtime.inputs import tagged_json
from boruna_ls.runtime.job import Task, unpacked
from boruna_ls.runtime.values import Value, type_name

MOST_RUNS: Final = 5_000
"""Sessions that are tried to make a failing one shorter."""
LONGEST_TEST: Final = 200_000
"""Characters of a test."""
_HOST_ERRORS: Final = frozenset(("policy_violation", "max_cycles_exceeded", "purity_violation", "effect_error"))
"""Errors that only the host detects: a test in the language cannot see them."""
_NOTES: Final = 10
_PLAIN: Final = frozenset(("Int", "Float", "String", "Bool"))


@dataclass(frozen=True, slots=True)
class RecordTask(Task):
    """Records a session in a worker process."""

    module: bytes
    messages: Sequence[Message]
    message_type: int | None
    name: str
    minimise: bool
    until: float
    """Deadline, in seconds since the epoch."""
    deadline: float = 60.0

    def perform(self, progress: Callable[[bytes], None]) -> dict[str, Any]:
        """Called in the worker process."""
        return _Recorder(self).run()


@dataclass(slots=True)
class _Session:
    """The outcome of a list of messages."""

    machine: Machine | None
    cycles: list[Cycle]
    error: AppError | None


class _Recorder:
    def __init__(self, task: RecordTask) -> None:
        self._task = task
        self._ends = time.monotonic() + (task.until - time.time())
        self._runs = 0
        self._notes: list[str] = []

    def run(self) -> dict[str, Any]:
        messages = list(self._task.messages)
        session = self._played(messages)
        outcome: dict[str, Any] = {}
        if session.error is not None and session.machine is not None:
            # What stands behind the failure was never sent.
            messages = messages[: len(session.cycles) + 1]
            if self._task.minimise and session.error.limit is None:
                before = len(messages)
                messages = self._minimised(messages, session.error.signature)
                outcome["minimized"] = {"from": before, "to": len(messages), "runs": self._runs}
                session = self._played(messages)
        if session.error is not None:
            error = session.error
            outcome["error"] = {"kind": error.kind, "message": str(error), "stack": error.stack, "cycle": len(session.cycles) + 1}
            if error.limit is not None:
                outcome["error"] |= {"limit_kind": error.limit.limit_kind, "limit": error.limit.limit}
        outcome |= {"messages": [message.written for message in messages], "cycles": len(session.cycles), "steps": 0}
        if session.machine is None:
            return outcome
        self._renderer = Renderer(session.machine.app.program)
        outcome["trace_hash"] = _trace_hash(session)
        outcome["test"] = self._test(session, messages)
        return outcome | {"notes": self._notes[:_NOTES]}

    # ---- running ----------------------------------------------------------------------------------------------------

    def _played(self, messages: Sequence[Message]) -> _Session:
        self._runs += 1
        cycles: list[Cycle] = []
        machine = None
        try:
            machine = Machine(App(unpacked(self._task.module), self._task.message_type, self._ends))
            for message in messages:
                cycle = machine.send(message.tag, _payload(message))
                cycles.append(cycle)
        except AppError as error:
            return _Session(machine, cycles, error)
        return _Session(machine, cycles, None)

    def _minimised(self, messages: list[Message], signature: str) -> list[Message]:
        """The fewest messages that end with the same error."""

        def fails(shorter: Sequence[Message]) -> bool:
            error = self._played(shorter).error
            return error is not None and error.signature == signature

        # A part of the time is left for writing the test.
        ends = time.monotonic() + (self._ends - time.monotonic()) * 0.7
        return minimised(messages, fails, lambda: self._runs < MOST_RUNS and time.monotonic() < ends)

    # ---- writing ----------------------------------------------------------------------------------------------------

    def _test(self, session: _Session, messages: Sequence[Message]) -> str | None:
        """The test, None if the language cannot express it; `notes` say why, and what is not compared."""
        error = session.error
        if error is not None and (error.kind in _HOST_ERRORS or error.limit is not None):
            self._notes.append(f"only the host detects this, a test in the language cannot: {error}")
            return None
        assert session.machine is not None
        app = session.machine.app
        if misfit := session.machine.app.misfit if session.machine is not None else None:
            self._notes.append(f"a test calls the functions as the protocol says: {misfit}")
            return None
        if any(not cycle.update.read_from[0] for cycle in session.cycles):
            self._notes.append("update returns a record without field names, which a test cannot read")
            return None
        try:
            sent = [expression(app.message(message.tag, _payload(message)), self._renderer) for message in messages]
        except Inexpressible as problem:
            self._notes.append(f"a message cannot be written in the language: {problem}; declare a record type for messages")
            return None
        lines = self._lines(session, sent)
        body = "\n".join(f"    {line}" for line in lines)
        allowed = "// boruna: allow W102\n" if self._has_other_payloads(session, messages) else ""
        text = f"{allowed}// {self._summary(session, len(messages))}\nfn {self._task.name}() -> Bool {{\n{body}\n}}\n"
        if len(text) > LONGEST_TEST:
            self._notes.append(f"the test would have {len(text)} characters; at most {LONGEST_TEST} are written")
            return None
        return text

    def _has_other_payloads(self, session: _Session, messages: Sequence[Message]) -> bool:
        """True if a payload is not of its declared type; a host may send such a payload, but a check would report it."""
        assert session.machine is not None
        declared = session.machine.app.payload_type
        return declared in _PLAIN and any(type_name(_payload(message)) != declared for message in messages)

    def _summary(self, session: _Session, count: int) -> str:
        sent = f"a session of {count} message{'' if count == 1 else 's'}"
        return f"Recorded from {sent}." if session.error is None else f"Made from {sent} that failed; passes once it does not."

    def _lines(self, session: _Session, sent: Sequence[str]) -> list[str]:
        assert session.machine is not None
        start = [f"let mut passed: Bool = {self._compared('init()', session.machine.initial, 'the first state')}"]
        lines: list[str] = []
        state, effects = "init()", ""
        for number, (message, cycle) in enumerate(zip(sent, [*session.cycles, None], strict=False), 1):
            lines.append(f"{'let mut ' if number == 1 else ''}result = update({state}, {message})")
            if cycle is None:
                lines.append(self._last_view(session))
                break
            state, effects = self._fields(cycle)
            where = f"the state after message {number}"
            lines.append(f"passed = passed && {self._compared(state, cycle.after, where)}")
            if effects:
                lines.append(f"passed = passed && list_len({effects}) == {len(cycle.effects) + len(cycle.update.dropped)}")
        if session.cycles and session.error is None:
            drawn = session.cycles[-1].view
            lines.append(f"passed = passed && {self._compared(f'view({state})', drawn, 'what is shown at the end')}")
        lines = [line for line in lines if line != "passed = passed && true"]
        if not any(line.startswith("passed") for line in lines):
            start[0] = start[0].replace("let mut ", "let ")
        if sum("result = " in line for line in lines) == 1:
            lines = [line.replace("let mut result", "let result") for line in lines]
        return [*start, *lines, "passed"]

    def _last_view(self, session: _Session) -> str:
        """Draws the state after the failing message: the failure may be in `view`."""
        names = {cycle.update.read_from[0] for cycle in session.cycles[-1:]} or self._renderer.reader.state_names()
        return f"let _shown = view(result.{names.pop()})" if len(names) == 1 else "let _shown = result"

    def _fields(self, cycle: Cycle) -> tuple[str, str]:
        """Expressions by which the test reads state and effects of a result; a result of a type without names cannot be read."""
        names = cycle.update.read_from
        return f"result.{names[0]}", f"result.{names[1]}" if names[1] else ""

    def _compared(self, read: str, value: Value, what: str) -> str:
        try:
            return f"{read} == {expression(value, self._renderer)}"
        except Inexpressible as problem:
            self._notes.append(f"{what} is not compared: {problem}")
            return "true"


def _payload(message: Message) -> Value:
    return from_tagged(tagged_json(message.payload))


def _trace_hash(session: _Session) -> str | None:
    """Chapter 13 section 12: equal for two sessions with the same outcome."""
    assert session.machine is not None
    digest = hashlib.sha256()
    try:
        for cycle in session.cycles:
            tag, payload = session.machine.app.parts_of(cycle.message)
            kinds = ",".join(effect.kind.kind for effect in cycle.effects)
            states = f"before={display(cycle.before)},after={display(cycle.after)}"
            line = f"c{cycle.number}:{tag}:{display(payload)},{states},fx=[{kinds}]\n"
            digest.update(line.encode("utf-8", "surrogatepass"))
    except TooLarge:
        return None
    return digest.hexdigest()
