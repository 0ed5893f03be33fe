"""A run that can stand at any of its steps: forward, and back by going forward again from a snapshot.

A run is a function of its module and of what it was answered, so the same steps give the same values again; capabilities
are asked once only (`Rehearsal`). Values never change, so a snapshot copies the frames and the stack, not what they hold.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Mapping
from enum import Enum
from typing import Final

from analysis.bytecode.module import FunctionCode, Module, Op
from analysis.data_classes import dataclass, replace
from boruna_ls.runtime.errors import VmError
from boruna_ls.runtime.interpreter import Frame, Machine
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.rehearsal import Rehearsal
from boruna_ls.runtime.values import Value

INTERVAL: Final = 10_000
"""Steps between two snapshots of a young run; it doubles as often as there are too many of them."""
MOST_SNAPSHOTS: Final = 128
LOOKS: Final = 4096
"""Steps between two checks for a request to stop the run."""

Predicate = Callable[[Machine, Frame], bool]
"""Breakpoint condition: True if the run is to stop before the instruction `frame.ip`."""
Places = Mapping[int, Container[int]]
"""Instructions by function, before which a predicate may hold; it is not asked anywhere else."""
_NONE: Final[Places] = {}


def _nowhere(machine: Machine, frame: Frame) -> bool:
    return False


class Reached(Enum):
    """Reason why a run has stopped."""

    PLACE = "place"
    START = "start"
    END = "end"
    ERROR = "error"
    INTERRUPTED = "interrupted"


class _Stop(BaseException):
    """Ends the interpreter's loop before an instruction; nothing in a program can catch it."""


_KeptFrame = tuple[int, int, int, tuple[Value, ...]]
"""Function, next instruction, base and cells."""


@dataclass(frozen=True, slots=True)
class _Snapshot:
    steps: int
    frames: tuple[_KeptFrame, ...]
    stack: tuple[Value, ...]
    globals: tuple[Value, ...]
    emitted: int
    spawned: int
    answered: tuple[int, int]


class Timeline:
    """A run of a module; `options` are those of any run, without an observer. It stands before its first instruction."""

    def __init__(self, module: Module, options: Options, interrupted: Callable[[], bool] = lambda: False) -> None:
        self._interrupted = interrupted
        self._rehearsal = Rehearsal(options)
        self._options = replace(self._rehearsal.options, observer=self._observe, translate=False)
        self.machine = Machine(Program.of(module), self._options)
        self.machine.start(module.entry if options.entry is None else options.entry, options.arguments)
        self.error: VmError | None = None
        self._predicate: Predicate = _nowhere
        self._places: list[Container[int]] = []
        self._from = self._next_look = self._due = 0
        self._until: int | None = None
        self._interval = INTERVAL
        self._snapshots: list[_Snapshot] = []
        self._take()

    @property
    def now(self) -> int:
        """Steps that were executed."""
        return self.machine.steps

    @property
    def is_over(self) -> bool:
        """True if the run has returned or failed."""
        return self.error is not None or not self.machine.frames

    def forward(self, predicate: Predicate = _nowhere, places: Places = _NONE) -> Reached:
        """Goes on to the next place that a predicate names, or to the end; at least one instruction."""
        return self._go(predicate, places, None)

    def _go(self, predicate: Predicate, places: Places, until: int | None) -> Reached:
        """The same, to a step at most."""
        if self.is_over:
            return Reached.ERROR if self.error is not None else Reached.END
        machine = self.machine
        self._predicate, self._until = predicate, until
        self._places = [places.get(number, ()) for number in range(len(machine.program.module.functions))]
        self._from = machine.steps
        self._next_look = machine.steps + LOOKS
        self._due = 0
        try:
            machine.run()
        except _Stop as stop:
            # The step was counted, and its instruction not executed.
            machine.steps -= 1
            return Reached.INTERRUPTED if stop.args else Reached.PLACE
        except VmError as failure:
            self.error = failure
            return Reached.ERROR
        return Reached.END

    def backward(self, predicate: Predicate, places: Places) -> Reached:
        """Goes back to the last place before this one that a predicate names, else to the start.

        The predicate sees the steps in the order in which they were executed, from the start of a stretch of them on.
        """
        end = self.now
        number = bisect_right(self._snapshots, end - 1, key=lambda one: one.steps) - 1
        here = end
        while number >= 0:
            if self._interrupted():
                self.seek(here)
                return Reached.INTERRUPTED
            last = self._last_place(self._snapshots[number], end, predicate, places)
            if last is not None:
                self.seek(last)
                return Reached.PLACE
            end = self._snapshots[number].steps
            number -= 1
        self.seek(0)
        return Reached.START

    def seek(self, step: int) -> None:
        """Stands where so many steps were executed; at the end if there are fewer."""
        if step == self.now and self.error is None:
            return
        if step < self.now or self.error is not None:
            number = bisect_right(self._snapshots, step, key=lambda one: one.steps) - 1
            self._restore(self._snapshots[number])
        while self.now < step and self._go(_nowhere, _NONE, step) is Reached.INTERRUPTED:
            continue

    def _last_place(self, snapshot: _Snapshot, end: int, predicate: Predicate, places: Places) -> int | None:
        """The last step of a stretch before which a predicate holds."""
        self._restore(snapshot)
        last: int | None = None

        def look(machine: Machine, frame: Frame) -> bool:
            nonlocal last
            if predicate(machine, frame):
                last = machine.steps - 1
            return False

        frame = self.machine.frames[-1]
        if frame.ip in places.get(frame.function, ()) and predicate(self.machine, frame):
            last = snapshot.steps
        while self.now < end and self._go(look, places, end) is Reached.INTERRUPTED:
            continue
        return last

    # ---- snapshots ----------------------------------------------------------------------------------------------

    def _observe(self, machine: Machine, frame: Frame, op: Op) -> None:
        """Before every instruction, so the common case does next to nothing."""
        if machine.steps > self._due:
            self._attend(machine, frame)
        elif frame.ip in self._places[frame.function] and self._predicate(machine, frame):
            raise _Stop

    def _attend(self, machine: Machine, frame: Frame) -> None:
        """The same where it is time to look up, to keep a snapshot or to end."""
        executed = machine.steps - 1
        if executed == self._until:
            raise _Stop
        if executed - self._snapshots[-1].steps >= self._interval:
            self._take()
        # The instruction before which the run stood is executed whatever the predicate says. So it is asked before a run is
        # interrupted: it will not be asked about this instruction again.
        if executed != self._from and frame.ip in self._places[frame.function] and self._predicate(machine, frame):
            raise _Stop
        if executed >= self._next_look:
            self._next_look = executed + LOOKS
            if self._interrupted():
                raise _Stop(True)
        due = min(self._next_look, self._snapshots[-1].steps + self._interval)
        self._due = due if self._until is None else min(due, self._until)

    def _take(self) -> None:
        """Keeps the present state."""
        machine = self.machine
        steps = max(machine.steps - 1, 0) if self._snapshots else 0
        self._snapshots.append(
            _Snapshot(
                steps,
                tuple([(frame.function, frame.ip, frame.base, tuple(frame.locals)) for frame in machine.frames]),
                tuple(machine.stack),
                tuple(machine.globals),
                len(machine.ui_output),
                machine.spawned,
                self._rehearsal.position,
            )
        )
        if len(self._snapshots) > MOST_SNAPSHOTS:
            # The first one stays: it is the start.
            del self._snapshots[1::2]
            self._interval *= 2

    def _restore(self, snapshot: _Snapshot) -> None:
        machine, functions = self.machine, self.machine.program.module.functions
        machine.frames[:] = [_frame(frame, functions[frame[0]]) for frame in snapshot.frames]
        machine.stack[:] = snapshot.stack
        machine.globals[:] = snapshot.globals
        del machine.ui_output[snapshot.emitted :]
        machine.spawned, machine.steps, machine.result = snapshot.spawned, snapshot.steps, None
        self._rehearsal.position = snapshot.answered
        self.error = None


def _frame(kept: _KeptFrame, code: FunctionCode) -> Frame:
    function, ip, base, cells = kept
    frame = Frame(function, code, base, [])
    frame.ip, frame.locals = ip, list(cells)
    return frame
