"""Environment of a run, and its interfaces to parts that other modules implement: gateway, log, scheduler."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final, Protocol

from analysis.bytecode.module import FunctionCode, Op
from analysis.data_classes import dataclass, field
from boruna_ls.runtime.values import Value

DEFAULT_MAX_STEPS: Final = 10_000_000
PROGRESS_EVERY: Final = 100_000
"""Steps between two calls of `progress`."""


class Gateway(Protocol):
    """The way to the outside world."""

    def call(self, capability: int, args: list[Value], function: FunctionCode) -> Value:
        """Answer a capability call of a function that declares the capability, or raise `VmError`."""


class Log(Protocol):
    """Record of a run apart from capability calls, which the gateway records itself."""

    def ui_emit(self, value: Value) -> None:
        """An `emit`."""

    def contract_check(self, function: str, kind: str, index: int, passed: bool) -> None:
        """A clause ("requires" or "ensures") or a guard ("output") was evaluated."""


class Scheduler(Protocol):
    """Actors around a machine."""

    def spawn(self, function: int) -> int:
        """The number of a new actor."""

    def send(self, target: int, message: Value) -> None:
        """Hand over a message."""

    def receive(self) -> Value:
        """The oldest message; raises `Blocked` if the instruction is to be executed again later."""


Observer = Callable[[Any, Any, Op], None]
"""Called with machine, frame and operation before each instruction of the interpreter (`frame.ip` is its index)."""


def _to_standard_error(text: str) -> None:
    sys.stderr.write(text)


@dataclass(slots=True)
class Options:
    """`entry` and `arguments`: run this function instead of the module's entry. `observer` and `trace_lines` make a run be
    interpreted. `watch` is called every few milliseconds with the steps so far, and may raise `LimitExceeded` to end the run;
    `progress` at every multiple of `PROGRESS_EVERY`."""

    max_steps: int = DEFAULT_MAX_STEPS
    max_wall_ms: int | None = None
    trace_lines: int = 0
    gateway: Gateway | None = None
    log: Log | None = None
    scheduler: Scheduler | None = None
    entry: int | None = None
    arguments: tuple[Value, ...] = ()
    observer: Observer | None = None
    watch: Callable[[int], None] | None = None
    progress: Callable[[int], None] | None = None
    debug: Callable[[str], None] = field(default=_to_standard_error)
    translate: bool = True
    rehearsal_steps: int = 4000
    """Turns that a run is interpreted before it is translated, for every hundred instructions; 0: it is translated at once."""
