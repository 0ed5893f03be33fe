"""Runs a module and tells what came of it: a pure library function, without processes and without answers of any protocol."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any, Final

from analysis.bytecode.module import FunctionCode, Module, Op, TypeEntry
from analysis.data_classes import dataclass, replace
from boruna_ls.runtime.builtins import MEMORY_CEILING
from boruna_ls.runtime.errors import LimitExceeded, VmError, memory_limit
from boruna_ls.runtime.forms import TooLarge
from boruna_ls.runtime.interpreter import Machine, Status
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.rehearsal import Rehearsal
from boruna_ls.runtime.trace import LAST, Trace
from boruna_ls.runtime.translator.execution import Translation, execute, translate, translation_of
from boruna_ls.runtime.values import Value

SIZE: Final = 100
"""Instructions whose translation takes as long as some thousand steps of the interpreter."""


@dataclass(frozen=True, slots=True)
class RunError:
    """Reason why a run ended early.

    `call_stack` holds function and instruction of every frame, the outermost first; the last one is where it failed. It is empty
    if the run did not begin. `cause` is the exception, for further facts of its class. `locals` are the variables that could be
    named there, parameters first; `types` has the names of their types.
    """

    kind: str
    message: str
    call_stack: tuple[tuple[int, int], ...]
    cause: VmError
    locals: tuple[tuple[str, Value], ...] = ()
    types: tuple[TypeEntry, ...] = ()

    @property
    def function(self) -> int | None:
        """Index of the function that failed."""
        return self.call_stack[-1][0] if self.call_stack else None

    @property
    def instruction(self) -> int | None:
        """Index of the instruction that failed."""
        return self.call_stack[-1][1] if self.call_stack else None


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """Result of a run; `value` is Unit and `error` is set if it failed. `trace` and `last_trace` are empty unless requested."""

    value: Value
    steps: int
    ui_output: tuple[Value, ...]
    actor_spawns: int
    error: RunError | None
    trace: tuple[str, ...] = ()
    trace_truncated: bool = False
    last_trace: tuple[str, ...] = ()
    seconds: float = 0.0


def run_module(module: Module, options: Options | None = None) -> RunOutcome:
    """Execute a module. Failures of the program are part of the outcome; exceptions are internal errors or errors of a hook."""
    run = _Run(module, options or Options())
    error = None
    try:
        run.go()
    except VmError as failure:
        error = run.error(failure)
    except (MemoryError, TooLarge):
        error = run.error(memory_limit(MEMORY_CEILING))
    machine, trace = run.machine, run.trace
    tail = run.last_trace(error)
    return RunOutcome(
        value=None if error else machine.result,
        steps=machine.steps,
        ui_output=tuple(machine.ui_output),
        actor_spawns=machine.spawned,
        error=error,
        trace=tuple(trace.lines) if trace else (),
        trace_truncated=trace is not None and trace.truncated,
        last_trace=tail,
        seconds=time.monotonic() - machine.started,
    )


class _Run:
    """A run begins interpreted (and traced); one that goes on is started again as translated code."""

    def __init__(self, module: Module, options: Options) -> None:
        self.options = options
        self.program = Program.of(module)
        self.entry = module.entry if options.entry is None else options.entry
        self.trace = Trace(options.trace_lines) if options.trace_lines else None
        self._translation: Translation | None = None
        self._rehearsal: Rehearsal | None = None
        if _may_translate(module, self.entry, options):
            if self.trace is None:
                self._translation = translation_of(self.program, self.entry, options)
            self._rehearsal = Rehearsal(options) if self._translation is None else None
        chosen = self._options() if self.trace is None else replace(self._options(), observer=_both(self.trace, options.observer))
        self.machine = Machine(self.program, chosen)

    def error(self, cause: VmError) -> RunError:
        """The end of the run by an exception, with what can be said of the place."""
        machine = self.machine
        return RunError(cause.kind, cause.message, machine.call_stack(), cause, machine.named_locals(), self.program.module.types)

    def _options(self) -> Options:
        return self.options if self._rehearsal is None else self._rehearsal.options

    def go(self) -> None:
        """Run to the end. Raises the exception that ends it early."""
        self.machine.start(self.entry, self.options.arguments)
        if self._rehearsal is None and self._translation is None:
            self.machine.run()
            return
        if self._translation is None:
            # Returns by running off the end have no line in a trace, and there are not more of them than calls.
            turns = max(self.options.rehearsal_steps, 2 * self.options.trace_lines + 10)
            if self.machine.run(turns) is Status.DONE or self._goes_on() is Status.DONE:
                return
            self._translation = translate(self.program, self.entry, self.options)
            self._again(replace(self._options(), observer=None))
        if self._translation.make is None:
            self.machine.run()
        else:
            execute(self._translation, self.machine)

    def _goes_on(self) -> Status:
        """Large programs take longer to translate, so they are interpreted longer, too."""
        turns = self.options.rehearsal_steps * (self.program.size(self.entry) // SIZE)
        if not turns:
            return Status.EXHAUSTED
        # The last turn was counted, but nothing was executed.
        self.machine.steps -= 1
        return self.machine.run(turns)

    def _again(self, options: Options) -> None:
        """The same run from its beginning."""
        assert self._rehearsal is not None
        self._rehearsal.again()
        before = self.machine
        self.machine = Machine(self.program, options)
        self.machine.started, self.machine.reported = before.started, before.reported
        self.machine.start(self.entry, self.options.arguments)

    def last_trace(self, error: RunError | None) -> tuple[str, ...]:
        """The last lines of the trace. Translated code has none: it is run again to a little before the failure."""
        if self.trace is None:
            return ()
        if error is None or self._translation is None or self._translation.make is None or isinstance(error.cause, LimitExceeded):
            return tuple(self.trace.last)
        tail, failed_at = Trace(0), self.machine.steps
        self._again(replace(self._options(), observer=tail, progress=None))
        with suppress(VmError):
            execute(self._translation, self.machine, until=max(failed_at - 4 * LAST, 0))
        return tuple(tail.last)


def _both(trace: Trace | None, observer: Any) -> Any:
    if observer is None or trace is None:
        return observer or trace

    def observe(machine: Any, frame: Any, op: Op) -> None:
        trace(machine, frame, op)
        observer(machine, frame, op)

    return observe


def _may_translate(module: Module, entry: int, options: Options) -> bool:
    """Observers see every instruction, and actors take turns: only the interpreter does that. It also runs what gets more
    arguments than parameters, since these fill further cells."""
    if not options.translate or options.observer is not None or options.scheduler is not None:
        return False
    return 0 <= entry < len(module.functions) and len(options.arguments) <= module.functions[entry].arity


def function_of(module: Module, error: RunError) -> FunctionCode | None:
    """The function that failed."""
    return None if error.function is None else module.functions[error.function]
