"""Lets a run begin anew after its first steps: what it asked the outside world is answered from what was recorded.

Most runs are so short that translating them would take longer than interpreting them. So every run begins interpreted, and one
that goes on is started again as translated code. A run is a function of its module and of these answers: the result is equal.
"""

from __future__ import annotations

from typing import Any

from analysis.bytecode.module import FunctionCode
from analysis.data_classes import replace
from boruna_ls.runtime.errors import VmError
from boruna_ls.runtime.options import Gateway, Log, Options
from boruna_ls.runtime.values import Value


class Rehearsal:
    """Stands between a run and its gateway, its log and its debug output."""

    def __init__(self, options: Options) -> None:
        self._gateway = options.gateway
        self._log = options.log
        self._debug = options.debug
        self._answers: list[Value | VmError] = []
        self._next_answer = 0
        self._notes = 0
        """Number of notes passed on to log and debug output so far; as many are skipped the second time."""
        self._next_note = 0
        self.options = replace(
            options,
            gateway=None if options.gateway is None else _Gateway(self),
            log=None if options.log is None else _Log(self),
            debug=self.debug,
        )

    def again(self) -> None:
        """The run begins anew."""
        self.position = 0, 0

    @property
    def position(self) -> tuple[int, int]:
        """Numbers of answers and notes that the run has reached; setting it returns to an earlier point of the run."""
        return self._next_answer, self._next_note

    @position.setter
    def position(self, reached: tuple[int, int]) -> None:
        self._next_answer, self._next_note = reached

    def call(self, capability: int, args: list[Value], function: FunctionCode) -> Value:
        """A call of a capability."""
        assert self._gateway is not None
        if self._next_answer == len(self._answers):
            try:
                self._answers.append(self._gateway.call(capability, args, function))
            except VmError as failure:
                self._answers.append(failure)
        answer = self._answers[self._next_answer]
        self._next_answer += 1
        if isinstance(answer, VmError):
            raise answer
        return answer

    def is_new(self) -> bool:
        """True if a note has not been passed on yet."""
        self._next_note += 1
        if self._next_note <= self._notes:
            return False
        self._notes += 1
        return True

    def debug(self, text: str) -> None:
        """Debug output."""
        if self.is_new():
            self._debug(text)

    def note(self, method: str, *args: Any) -> None:
        """An entry of the log."""
        if self.is_new():
            getattr(self._log, method)(*args)


class _Gateway(Gateway):
    def __init__(self, rehearsal: Rehearsal) -> None:
        self._rehearsal = rehearsal

    def call(self, capability: int, args: list[Value], function: FunctionCode) -> Value:
        return self._rehearsal.call(capability, args, function)


class _Log(Log):
    def __init__(self, rehearsal: Rehearsal) -> None:
        self._rehearsal = rehearsal

    def ui_emit(self, value: Value) -> None:
        self._rehearsal.note("ui_emit", value)

    def contract_check(self, function: str, kind: str, index: int, passed: bool) -> None:
        self._rehearsal.note("contract_check", function, kind, index, passed)
