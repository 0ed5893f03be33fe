"""The program that is debugged: its run, its breakpoints, and how it goes from statement to statement, forward and back."""

from __future__ import annotations

import operator
import os
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from analysis.codegen.compile import CompileError, compile_file
from analysis.data_classes import dataclass, field
from analysis.inputs import source
from boruna_ls.dap.evaluation import CannotEvaluate, Evaluator
from boruna_ls.dap.places import Place, Places
from boruna_ls.dap.values import Values
from boruna_ls.runtime.event_log import EventLog
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.gateway import Gateway
from boruna_ls.runtime.interpreter import Frame, Machine
from boruna_ls.runtime.mock import Mock
from boruna_ls.runtime.options import DEFAULT_MAX_STEPS, Options
from boruna_ls.runtime.policy import ALLOW_ALL
from boruna_ls.runtime.timeline import Reached, Timeline
from boruna_ls.runtime.values import Value, truthy
from boruna_ls.workspace import FileUnavailable, Host

_HIT: Final = re.compile(r"\s*+(>=|<=|==|>|<|%)?+\s*+([0-9]{1,12})\s*+\Z")
_COMPARED: Final = {"==": operator.eq, ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
_HOLE: Final = re.compile(r"\{([^{}]+)\}")


Going = Callable[[], Reached]
"""Goes somewhere; called again after an interruption, it goes on."""


class CannotDebug(Exception):
    """The program cannot be debugged; the message says why, in sentences."""


@dataclass(slots=True, eq=False)
class Breakpoint:
    """A breakpoint, or a logpoint that writes `log`; `hits` are the steps at which it was reached, in order."""

    condition: str = ""
    hit_condition: str = ""
    log: str = ""
    hits: list[int] = field(default_factory=list)

    @property
    def defect(self) -> str:
        """Fault of the hit condition, as a sentence; "" if there is none."""
        if self.hit_condition and _HIT.match(self.hit_condition) is None:
            return f"`{self.hit_condition}` is not a hit count: write a number, or a number after >=, <=, ==, >, < or %"
        return ""

    def counts(self, step: int) -> bool:
        """True if the hit condition holds at a step; a step that is reached for the first time is counted."""
        if not self.hits or self.hits[-1] < step:
            self.hits.append(step)
        match = _HIT.match(self.hit_condition) if self.hit_condition else None
        if match is None:
            return True
        number, wanted = bisect_left(self.hits, step) + 1, int(match[2])
        sign = match[1] or "=="
        if sign == "%":
            return wanted > 0 and number % wanted == 0
        return {
            "==": number == wanted,
            ">=": number >= wanted,
            "<=": number <= wanted,
            ">": number > wanted,
            "<": number < wanted,
        }[sign]


class Debuggee:
    """A program from its first statement on. Raises CannotDebug if it cannot be read or compiled."""

    def __init__(
        self,
        path: str,
        function: str = "main",
        inputs: Mapping[str, str] | None = None,
        max_steps: int = DEFAULT_MAX_STEPS,
        libs_dir: str | None = None,
        tell: Callable[[str, str], None] = lambda category, text: None,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        """`tell` gets what the program writes, with its category in the protocol; each text once."""
        self.path = os.path.abspath(path)
        self._tell = tell
        host = Host(libs_dir)
        try:
            file = host.disk(self.path, [os.getcwd()])
        except FileUnavailable as error:
            raise CannotDebug(str(error)) from None
        outcome = compile_file(host.db, file, os.path.splitext(os.path.basename(path))[0])
        if outcome.module is None:
            raise CannotDebug("\n".join(_sentence(host, error) for error in outcome.errors[:10]))
        self.module = outcome.module
        entry = next((number for number, code in enumerate(self.module.functions) if code.name == function), None)
        if entry is None or self.module.functions[entry].arity:
            raise CannotDebug(f"there is no function `{function}` without parameters in {self.path}")
        self.log = _Log(lambda text: tell("stdout", text))
        options = Options(
            max_steps=max_steps,
            entry=entry,
            gateway=Gateway(ALLOW_ALL, Mock(display, dict(inputs or {})), self.log),
            log=self.log,
            debug=lambda text: tell("stderr", text),
        )
        self.places = Places(host.db, self.module)
        self._statements = _by_function(self.places.statements)
        self.values = Values(self.module)
        self.run = Timeline(self.module, options, interrupted)
        self.entry = entry
        self.breakpoints: dict[tuple[int, int], Breakpoint] = {}
        """Breakpoints by function and instruction."""
        self._evaluator = Evaluator(host, file)
        self._logged = -1

    @property
    def machine(self) -> Machine:
        """The machine as it stands."""
        return self.run.machine

    # ---- going ----------------------------------------------------------------------------------------------------

    def to_first(self) -> Reached:
        """To the first statement."""
        frame = self.machine.frames[-1]
        if (frame.function, frame.ip) in self.places.statements:
            return Reached.PLACE
        return self.run.forward(_anywhere, self._statements)

    def go_on(self) -> Going:
        """To the next breakpoint."""
        return lambda: self.run.forward(self._at_breakpoint, _by_function(self.breakpoints))

    def go_back(self) -> Going:
        """To the last breakpoint before."""
        return lambda: self._first_statement(self.run.backward(self._at_breakpoint_before, _by_function(self.breakpoints)))

    def step_over(self) -> Going:
        """To the next statement of this frame, of its caller when it ends, or to a breakpoint on the way."""
        depth = len(self.machine.frames)
        return self._forward(lambda machine: len(machine.frames) <= depth)

    def step_in(self) -> Going:
        """To the next statement."""
        return self._forward(lambda machine: True)

    def step_out(self) -> Going:
        """To the next statement of the caller, or to a breakpoint on the way."""
        depth = len(self.machine.frames)
        return self._forward(lambda machine: len(machine.frames) < depth)

    def step_back(self) -> Going:
        """To the statement before of this frame, of its caller at its beginning."""
        depth = len(self.machine.frames)

        def is_before(machine: Machine, frame: Frame) -> bool:
            return len(machine.frames) <= depth

        return lambda: self._first_statement(self.run.backward(is_before, self._statements))

    def restart_frame(self, number: int) -> Reached:
        """To the beginning of the call whose frame has a number, the outermost is 0."""
        function, depth = self.machine.frames[number].function, number + 1

        def begins(machine: Machine, frame: Frame) -> bool:
            return len(machine.frames) == depth

        reached = self.run.backward(begins, {function: (0,)})
        frame = self.machine.frames[-1]
        if (frame.function, frame.ip) not in self.places.statements:
            reached = self.run.forward(_anywhere, self._statements)
        return reached

    def _forward(self, is_meant: Callable[[Machine], bool]) -> Going:
        def stops(machine: Machine, frame: Frame) -> bool:
            return self._at_breakpoint(machine, frame) or is_meant(machine)

        return lambda: self.run.forward(stops, self._statements)

    def _first_statement(self, reached: Reached) -> Reached:
        """The start of a run is its first statement."""
        if reached is Reached.START:
            self.to_first()
        return reached

    # ---- breakpoints ----------------------------------------------------------------------------------------------

    def _at_breakpoint(self, machine: Machine, frame: Frame) -> bool:
        point = self.breakpoints.get((frame.function, frame.ip))
        return point is not None and self._holds(point, machine, True)

    def _at_breakpoint_before(self, machine: Machine, frame: Frame) -> bool:
        point = self.breakpoints.get((frame.function, frame.ip))
        return point is not None and self._holds(point, machine, False)

    def _holds(self, point: Breakpoint, machine: Machine, logs: bool) -> bool:
        # Between two turns of the machine the step at hand is counted already; where it stands still, it is not.
        step = machine.steps
        if point.condition:
            try:
                if not truthy(self._evaluator.value(point.condition, self.variables(len(machine.frames) - 1))):
                    return False
            except CannotEvaluate as error:
                if logs:
                    self._tell("console", f"condition `{point.condition}`: {error}\n")
        if not point.counts(step):
            return False
        if not point.log:
            return True
        if logs and step > self._logged:
            self._logged = step
            self._tell("console", f"{self._logged_text(point.log)}\n")
        return False

    def _logged_text(self, text: str) -> str:
        def filled(hole: re.Match[str]) -> str:
            try:
                value = self._evaluator.value(hole[1], self.variables(len(self.machine.frames) - 1))
            except CannotEvaluate as error:
                return f"{{{hole[1]}: {error}}}"
            return value if isinstance(value, str) else self.values.shown("", value).text

        return _HOLE.sub(filled, text)

    # ---- looking --------------------------------------------------------------------------------------------------

    def instruction(self, number: int) -> int:
        """The instruction at which a frame stands: of those that wait for a call, the call."""
        frames = self.machine.frames
        if number < len(frames) - 1:
            return frames[number].ip - 1
        return self.machine.failed_at if self.run.error is not None else frames[number].ip

    def place(self, number: int) -> Place | None:
        """The place of a frame; the outermost one is 0."""
        function, instruction = self.machine.frames[number].function, self.instruction(number)
        return self.places.statements.get((function, instruction)) or self.places.at(function, instruction)

    def variables(self, number: int) -> dict[str, Value]:
        """The variables that can be named in a frame, parameters first."""
        frame = self.machine.frames[number]
        names = frame.code.names_at(self.instruction(number))
        return {name: frame.locals[slot] for name, slot in names.items() if slot < len(frame.locals)}

    def evaluated(self, expression: str, number: int) -> Value:
        """Value of an expression in a frame. Raises CannotEvaluate."""
        return self._evaluator.value(expression, self.variables(number) if self.machine.frames else {})


def _anywhere(machine: Machine, frame: Frame) -> bool:
    return True


def _by_function(places: Iterable[tuple[int, int]]) -> dict[int, set[int]]:
    """The instructions of each function, of (function, instruction)."""
    instructions: dict[int, set[int]] = {}
    for function, instruction in places:
        instructions.setdefault(function, set()).add(instruction)
    return instructions


class _Log(EventLog):
    """The event log of the run, which also shows what is emitted."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__()
        self._tell_text = tell

    def ui_emit(self, tree: Value) -> None:
        super().ui_emit(tree)
        self._tell_text(f"emit {display(tree)}\n")


def _sentence(host: Host, error: CompileError) -> str:
    line = source(host.db, error.file).position(error.start)[0] + 1
    return f"{error.file.path}:{line}: {error.message}"
