"""One drive in a worker process: from a snapshot, or from the beginning with the log, to where only an answer helps.

Every capability call is a question to the parent (`logged.py`), which answers it from the log, performs it, or says that its
answer comes later. If no actor can continue, the parent is asked for an answer that has arrived meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from analysis.bytecode.module import Constant
from analysis.bytecode.module_reading import constant_from_json
from analysis.data_classes import dataclass, field
from boruna_ls.executions.log_text import diverged, spent, text_of
from boruna_ls.executions.names import THINK
from boruna_ls.executions.snapshot import STATE, dumped, loaded
from boruna_ls.executions.system import Awaits, Running, running, standing
from boruna_ls.runtime.errors import CapabilityDenied, LimitExceeded, StepLimit, VmError
from boruna_ls.runtime.forms import TooLarge, brief, public_json, tagged
from boruna_ls.runtime.frames import CALL_LIMIT
from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.runtime.interpreter import Machine
from boruna_ls.runtime.job import LiveTask, unpacked
from boruna_ls.runtime.json_text import compact, depth_of
from boruna_ls.runtime.mock import input_text
from boruna_ls.runtime.named_text import named_parts
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.policy import Policy
from boruna_ls.runtime.schemas import InvalidSchema, violations

RESULT_LIMIT: Final = 900_000
"""Bytes of a result's JSON, and of all UI output, that are kept."""
_DEPTH: Final = 500
_PARTS: Final = 1_000_000
_MOST_VARIABLES: Final = 200
_MOST_WAITING: Final = 100
"""Maximum number of machines whose places are reported."""


class _Aborted(Exception):
    """The parent ends the run; `error` is why."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.error = error


@dataclass(frozen=True, slots=True)
class DriveTask(LiveTask):
    """`module` is a pickled `Module`; `snapshot` the state that an earlier drive of the same log has left, b"" for none.

    `log` is the beginning of the log, as far as it can be replayed without the parent: capability, arguments and result as texts.
    """

    module: bytes
    policy: Policy
    deadline: float
    max_steps: int
    inputs: Mapping[str, str] = field(default_factory=dict)
    snapshot: bytes = field(default=b"", repr=False)
    log: tuple[tuple[str, str, str], ...] = field(default=(), repr=False)

    def perform_live(self, progress: Callable[[bytes], None], ask: Callable[[bytes], bytes]) -> dict[str, Any]:
        """The outcome: `state`, `steps`, and what belongs to the state."""
        caller = _Caller(ask, self.inputs, self.log)

        def options() -> Options:
            return Options(max_steps=self.max_steps, debug=lambda text: None, progress=tell)

        def tell(steps: int) -> None:
            progress(json.dumps({"steps": steps}).encode())

        system: Running | None = None
        try:
            system = running(unpacked(self.module), self.policy, caller.call, options)
            if self.snapshot:
                system.restore(loaded(self.snapshot))
            while not self._advanced(system):
                answer = caller.next_answer()
                if answer is None:
                    caller.keep(system)
                    return _waiting(system)
                system.deliver(*answer)
            return _completed(system)
        except VmError as error:
            return _failed(system, spent("steps", self.max_steps) if isinstance(error, StepLimit) else _error(error))
        except _Aborted as aborted:
            return _failed(system, aborted.error)

    def _advanced(self, system: Running) -> bool:
        done = system.advance()
        if system.steps > self.max_steps:
            raise StepLimit(self.max_steps)
        return done


class _Caller:
    """Answers calls from the log that came with the task, then asks the parent."""

    def __init__(self, ask: Callable[[bytes], bytes], inputs: Mapping[str, str], log: Sequence[tuple[str, str, str]]) -> None:
        self._ask = ask
        self._inputs = inputs
        self._log = log
        self._replayed = 0
        self._schemas: set[str] = set()

    def call(self, actor: int, capability: str, arguments: Sequence[Any], by_function: bool) -> Constant:
        """The answer of a call. Raises HandlerFailure, CapabilityDenied, Awaits."""
        if capability == "step.input":
            return ("String", input_text(self._inputs, arguments))
        if capability == THINK and len(arguments) > 1:
            self._check_schema(arguments[1])
        given = [tagged(argument) for argument in arguments]
        if self._replayed < len(self._log):
            return self._logged(capability, text_of(given))
        asked = {"capability": capability, "arguments": given, "by_function": by_function, "actor": actor}
        content = compact(asked).encode("utf-8", "surrogatepass")
        if len(content) > CALL_LIMIT:
            raise HandlerFailure(f"the arguments of {capability} take more than {CALL_LIMIT >> 20} MB")
        answer = self._request(content)
        if "task" in answer:
            raise Awaits(answer["task"])
        return _result_constant(capability, answer)

    def _check_schema(self, schema: Any) -> None:
        """Raise HandlerFailure for an invalid schema, which no answer could fit: the call is not sent."""
        if not isinstance(schema, str) or schema in self._schemas:
            return
        try:
            violations(schema, "null")
        except (InvalidSchema, ValueError, RecursionError) as error:
            raise HandlerFailure(f"llm_call_as: the schema cannot be used: {error}") from None
        self._schemas.add(schema)

    def _logged(self, capability: str, arguments: str) -> Constant:
        entry, self._replayed = self._log[self._replayed], self._replayed + 1
        if entry[:2] != (capability, arguments):
            raise _Aborted(diverged(self._replayed, entry[0], capability))
        return _result_constant(capability, json.loads(entry[2]))

    def next_answer(self) -> tuple[int, Any] | None:
        """Task and answer of an open call; None if none has arrived."""
        answer = self._request(b'{"next":true}')
        if not answer:
            return None
        try:
            return answer["task"], _result_constant("llm.call", answer["answer"])
        except HandlerFailure as failure:
            return answer["task"], failure

    def keep(self, system: Running) -> None:
        """Leave the state of a suspended program with the parent, as bytes: they can be megabytes."""
        if snapshot := dumped(system.state()):
            self._request(STATE + snapshot)

    def _request(self, content: bytes) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._ask(content).decode("utf-8", "surrogatepass"))
        if "abort" in answer:
            raise _Aborted(answer["abort"])
        return answer


def _result_constant(capability: str, answer: Mapping[str, Any]) -> Constant:
    if "denied" in answer:
        raise CapabilityDenied(capability, answer["denied"])
    if "failure" in answer:
        raise HandlerFailure(answer["failure"])
    return constant_from_json(answer["value"])


def _waiting(system: Running) -> dict[str, Any]:
    waiting = [{"task": task} | _place(machine) for task, machine in sorted(system.waiting.items())[:_MOST_WAITING]]
    return {"state": "waiting", "tasks": list(system.waiting), "waiting": waiting} | _common(system)


def _completed(system: Running) -> dict[str, Any]:
    outcome = {"state": "completed"} | _common(system)
    try:
        text = public_json(system.value, _PARTS)
    except TooLarge:
        return outcome | {"omitted": f"the result has more than {_PARTS} parts"}
    if len(text.encode("utf-8", "surrogatepass")) > RESULT_LIMIT:
        return outcome | {"omitted": f"the result takes more than {RESULT_LIMIT} bytes"}
    if depth_of(text) > _DEPTH:
        return outcome | {"omitted": f"the result is nested more than {_DEPTH} levels deep"}
    return outcome | {"result": text}


def _failed(system: Running | None, error: dict[str, Any]) -> dict[str, Any]:
    if system is None:
        return {"state": "error", "error": error, "steps": 0, "output": [], "output_total": 0}
    stack = [list(frame) for frame in system.machines[0].call_stack()]
    return {"state": "error", "error": error | {"stack": stack}} | _common(system)


def _error(error: VmError) -> dict[str, Any]:
    shown: dict[str, Any] = {"kind": error.kind, "message": error.message[:10_000]}
    if isinstance(error, CapabilityDenied):
        shown |= {"kind": "capability_denied", "capability": error.capability}
    if isinstance(error, LimitExceeded):
        shown["limit_kind"] = error.limit_kind
    return shown


def _common(system: Running) -> dict[str, Any]:
    """Steps, and the UI output as far as it fits."""
    shown: list[str] = []
    left, total = RESULT_LIMIT, 0
    for machine in system.machines:
        total += len(machine.ui_output)
        for value in machine.ui_output if left > 0 else ():
            try:
                text = public_json(value, _PARTS)
            except TooLarge:
                left = 0
                break
            left -= len(text.encode("utf-8", "surrogatepass"))
            if left < 0 or depth_of(text) > _DEPTH:
                left = 0
                break
            shown.append(text)
    return {"steps": system.steps, "output": shown, "output_total": total}


def _place(machine: Machine) -> dict[str, Any]:
    """Call stack of a machine, and the variables in scope at its place."""
    parts_of = named_parts(machine.program.module.types)
    variables = {name: brief(value, parts_of) for name, value in machine.named_locals()[:_MOST_VARIABLES]}
    return {"stack": [list(frame) for frame in standing(machine)], "variables": variables}
