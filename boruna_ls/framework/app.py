"""Calls the functions of an application: each in a fresh machine, the pure ones without capabilities (chapter 13 section 3.2).

`prepared` adds a wrapper for `update` and `view` to a module, so that a call has the frames and steps that the reference counts.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Final

from analysis.bytecode.module import FunctionCode, Module
from analysis.data_classes import dataclass, replace
from analysis.semantics.app_shapes import FUNCTIONS, MESSAGE, REQUIRED
from boruna_ls.framework.records import PolicySet, Reader, Update
from boruna_ls.runtime.errors import CapabilityDenied, LimitExceeded, wall_clock
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.gateway import Gateway
from boruna_ls.runtime.mock import Mock
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.policy import ALLOW_ALL, DENY_ALL
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.run import SIZE, RunError, run_module
from boruna_ls.runtime.values import AnonymousType, Value, record

NO_RESULT: Final = "effect error: update() must return a Record with [state, effects] fields"
_COUNTEREXAMPLE: Final = " [counterexample: ("
_TURNS: Final = Options().rehearsal_steps
_LONGEST: Final = 20_000
"""Characters of an error."""


class AppError(Exception):
    """An application could not start or take a message; the message is the one of chapter 13 section 7.

    `stack` holds function and instruction of each frame, the outermost first. `limit` is set if a limit of the host ended it.
    """

    def __init__(self, kind: str, message: str, error: RunError | None = None, skipped: int = 0) -> None:
        super().__init__(message[:_LONGEST])
        self.kind = kind
        self.stack = error.call_stack[skipped:] if error is not None else ()
        cause = error.cause if error is not None else None
        self.limit = cause if isinstance(cause, LimitExceeded) else None

    @property
    def signature(self) -> str:
        """The error without the values that happened to cause it: two runs with the same one fail for the same reason."""
        return f"{self.kind}: {re.split(re.escape(_COUNTEREXAMPLE), str(self))[0]}"


@dataclass(frozen=True, slots=True)
class Called:
    """The value of a call, and the steps it took."""

    value: Value
    steps: int


def prepared(module: Module) -> Module:
    """The module with wrappers behind its own functions: the first calls `update`, the second one `view`."""
    indexes = function_indexes(module)
    wrappers = tuple(_wrapper(indexes[name], name) for name in ("update", "view") if name in indexes)
    return replace(module, functions=module.functions + wrappers) if len(wrappers) == 2 else module


def function_indexes(module: Module) -> dict[str, int]:
    """The protocol functions that a module defines; the last definition of a name counts."""
    return {code.name: index for index, code in enumerate(module.functions) if code.name in FUNCTIONS}


def _wrapper(function: int, name: str) -> FunctionCode:
    count = FUNCTIONS[name].arity
    loads = tuple(("LoadLocal", cell) for cell in range(count))
    return FunctionCode(f"<{name}>", count, count, (*loads, ("Call", function, count), ("Ret",)), compiled=True)


class App:
    """The functions of a prepared module. `ends` is the time (of `time.monotonic`) at which a call is stopped."""

    def __init__(self, module: Module, message_type: int | None, ends: float | None = None) -> None:
        """`message_type` is the record type of messages, None for an anonymous one. Raises AppError for a missing function."""
        indexes = function_indexes(module)
        for name in REQUIRED:
            if name not in indexes:
                raise AppError("missing_function", f"missing required function: {name}")
        count = len(module.functions)
        self._entries: Mapping[str, int] = indexes | {"update": count - 2, "view": count - 1}
        self.program: Final = Program.of(module)
        self.reader: Final = Reader(self.program)
        self._ends = ends
        self._limit = 0 if ends is None else int((ends - time.monotonic()) * 1000)
        self._turns: dict[str, int] = {}
        self._warm: set[str] = set()
        self._head, self._fields = self._message_shape(message_type)

    def _message_shape(self, message_type: int | None) -> tuple[int, tuple[str, ...]]:
        if message_type is None:
            return AnonymousType(MESSAGE.names), MESSAGE.names
        return message_type, tuple(name for name, _ in self.program.module.types[message_type].members)

    @property
    def payload_type(self) -> str | None:
        """The declared type of a message's payload; None if messages have no declared type."""
        types = self.program.module.types
        return None if type(self._head) is AnonymousType else dict(types[self._head].members)["payload"]

    @property
    def misfit(self) -> str | None:
        """The first protocol function with another number of parameters than the protocol's; it runs all the same."""
        functions = self.program.module.functions
        for name, index in function_indexes(self.program.module).items():
            if functions[index].arity != FUNCTIONS[name].arity:
                return f"{name}() must take {FUNCTIONS[name].arity_text}"
        return None

    def init(self) -> Called:
        """The first state."""
        return self._call("init", ())

    def policies(self) -> PolicySet:
        """The policy set; the permissive one if the application has none."""
        if "policies" not in self._entries:
            return PolicySet()
        return self.reader.policies(self._call("policies", ()).value)

    def message(self, tag: str, payload: Value) -> Value:
        """A message as `update` gets it."""
        given = {"tag": tag, "payload": payload}
        return record(self._head, [given.get(name) for name in self._fields])

    def parts_of(self, message: Value) -> tuple[str, Value]:
        """Tag and payload of a message that `message` made."""
        at = [1 + self._fields.index(name) for name in MESSAGE.names]
        return message[at[0]], message[at[1]]

    def update(self, state: Value, message: Value) -> tuple[Update, int]:
        """Result of `update`, and its steps."""
        called = self._call("update", (state, message))
        result = self.reader.update(called.value)
        if result is None:
            raise AppError("effect_error", NO_RESULT)
        return result, called.steps

    def view(self, state: Value) -> Called:
        """Result of `view`."""
        return self._call("view", (state,))

    def _call(self, name: str, arguments: tuple[Value, ...]) -> Called:
        entry = self._entries[name]
        policy = DENY_ALL if FUNCTIONS[name].pure else ALLOW_ALL
        options = Options(
            entry=entry,
            arguments=arguments,
            gateway=Gateway(policy, Mock(display)),
            debug=_silent,
            max_wall_ms=self._left(),
            rehearsal_steps=0 if self._is_warm(name, entry) else _TURNS,
        )
        outcome = run_module(self.program.module, options)
        self._turns[name] = self._turns.get(name, 0) + outcome.steps
        if outcome.error is not None:
            raise self._failure(name, outcome.error, skipped=1 if arguments else 0)
        return Called(outcome.value, outcome.steps)

    def _is_warm(self, name: str, entry: int) -> bool:
        """True if a function has run for so long, over all messages, that translating it pays."""
        if name not in self._warm:
            turns = self._turns.get(name, 0)
            if turns <= _TURNS or turns <= _TURNS * (self.program.size(entry) // SIZE):
                return False
            self._warm.add(name)
        return True

    def _left(self) -> int | None:
        """Milliseconds that a call may take. Raises AppError if there are none."""
        if self._ends is None:
            return None
        left = int((self._ends - time.monotonic()) * 1000)
        if left <= 0:
            raise self._out_of_time()
        return left

    def _failure(self, name: str, error: RunError, skipped: int) -> AppError:
        if isinstance(error.cause, CapabilityDenied) and FUNCTIONS[name].pure:
            message = f"function `{name}` must not have capability annotations"
            return AppError("purity_violation", message, error, skipped)
        if isinstance(error.cause, LimitExceeded) and error.cause.limit_kind == "wall_ms":
            return self._out_of_time()
        return AppError("runtime_error", f"runtime error: {error.message}", error, skipped)

    def _out_of_time(self) -> AppError:
        late = wall_clock(self._limit)
        return AppError("runtime_error", f"runtime error: {late.message}", RunError(late.kind, late.message, (), late))


def _silent(text: str) -> None:
    """Debug output of an application is not shown."""
