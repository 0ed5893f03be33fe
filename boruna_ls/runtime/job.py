"""Tasks of worker processes; pickled by the server, so plain values only."""

from __future__ import annotations

import pickle
import weakref
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Mapping
from enum import Enum
from hashlib import sha256
from typing import Any, Final, Protocol

from analysis.bytecode.module import Module
from analysis.data_classes import dataclass, field
from boruna_ls.runtime.options import DEFAULT_MAX_STEPS
from boruna_ls.runtime.policy import ALLOW_ALL, Policy

TRACE_LINES: Final = 500
_KEPT: Final = 16
_modules: OrderedDict[bytes, Module] = OrderedDict()
_packed: dict[int, tuple[weakref.ref[Module], bytes]] = {}


class Task(Protocol):
    """A job that knows itself how it is done: what other packages run in worker processes."""

    @property
    def deadline(self) -> float:
        """Seconds that it may take."""

    def perform(self, progress: Callable[[bytes], None]) -> dict[str, Any]:
        """Does it, in the worker process. The outcome becomes JSON; `error.limit_kind` "memory" replaces the process."""


class LiveTask(ABC):
    """A task that asks its parent in the middle, as live runs do: from the content of a CALL to that of its RESULT."""

    deadline: float

    @abstractmethod
    def perform_live(self, progress: Callable[[bytes], None], ask: Callable[[bytes], bytes]) -> dict[str, Any]:
        """Does it, in the worker process; the outcome is that of a `Task`."""


class Mode(Enum):
    """Use that is made of the program."""

    RUN = "run"
    SEALED = "sealed"
    REPLAY = "replay"
    TESTS = "tests"


@dataclass(frozen=True, slots=True)
class Job:
    """`module` is a pickled `Module`. `output_schema` is JSON text, "" for none; `inputs` are what `step_input` answers.

    `offset` is how much of the UI output, or of the text of a long result, the caller has already. `log` is for replays,
    `tests` (indexes of functions without parameters) for tests: `max_steps` bounds each, `max_wall_ms` all of them together.
    """

    module: bytes
    mode: Mode = Mode.RUN
    deadline: float = 60.0
    policy: Policy = ALLOW_ALL
    max_steps: int = DEFAULT_MAX_STEPS
    trace_lines: int = 0
    max_wall_ms: int | None = None
    max_output_bytes: int | None = None
    output_schema: str = ""
    inputs: Mapping[str, str] | None = None
    live: bool = False
    """True if capability calls are sent to the parent process; else they get fixed answers."""
    wants_progress: bool = False
    offset: int = 0
    trace_offset: int | None = None
    """With a number, the trace begins after so many lines and has the places of its lines beside it."""
    trace_values: bool = False
    """True if such a trace also has, for each line, the value that its instruction finds on the top of the stack."""
    canonical: bool = False
    """True if the outcome includes the canonical text of the event log."""
    log: str = field(default="", repr=False)
    tests: tuple[int, ...] = ()


def packed(module: Module) -> bytes:
    """A module as a job carries it; packed once, however often it is run."""
    # By identity: comparing large modules would take as long as packing one.
    number = id(module)
    entry = _packed.get(number)
    if entry is None or entry[0]() is not module:
        entry = weakref.ref(module, lambda _: _packed.pop(number, None)), pickle.dumps(module, pickle.HIGHEST_PROTOCOL)
        _packed[number] = entry
    return entry[1]


def unpacked(data: bytes) -> Module:
    """The module of a job; the same object for the same data, so that what was made of it can be used again."""
    key = sha256(data).digest()
    module = _modules.get(key)
    if module is None:
        module = _modules[key] = pickle.loads(data)
        if len(_modules) > _KEPT:
            _modules.popitem(last=False)
    else:
        _modules.move_to_end(key)
    return module
