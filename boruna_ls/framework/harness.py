"""Drives an application in a test: messages, answers to effects, assertions, replay (spec chapter 13 section 10)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from analysis.bytecode.module import Module
from boruna_ls.framework.app import App, AppError, prepared
from boruna_ls.framework.executors import Callback, Executor
from boruna_ls.framework.machine import Cycle, Machine
from boruna_ls.framework.messages import Message
from boruna_ls.runtime.forms import display, from_tagged
from boruna_ls.runtime.inputs import tagged_json
from boruna_ls.runtime.values import Value, equal, is_record, type_name


class Harness:
    """A running application, and the cycles that it went through."""

    def __init__(self, module: Module, message_type: int | None) -> None:
        """Raises AppError if the application does not start."""
        self._module = prepared(module)
        self._message_type = message_type
        self.machine: Final = Machine(App(self._module, message_type))
        self.cycles: Final[list[Cycle]] = []
        self._sent: list[Callback] = []

    def send(self, tag: str, payload: Value = 0) -> Cycle:
        """Takes one message. Raises AppError."""
        cycle = self.machine.send(tag, payload)
        self.cycles.append(cycle)
        self._sent.append((tag, payload))
        return cycle

    def send_with_effects(self, executor: Executor, tag: str, payload: Value = 0) -> list[Callback]:
        """Takes one message and answers its effects; the callback messages, which are not sent. Raises AppError."""
        return executor.run(self.send(tag, payload).effects)

    def simulate(self, messages: Iterable[Message]) -> Value:
        """Takes messages; the final state. Raises AppError."""
        for message in messages:
            self.send(message.tag, from_tagged(tagged_json(message.payload)))
        return self.machine.current

    def replay_verify(self) -> bool:
        """True if a fresh run of the same messages has the same state after each."""
        again = Machine(App(self._module, self._message_type))
        cycles = [again.send(tag, payload) for tag, payload in self._sent]
        return all(equal(cycle.after, before.after) for cycle, before in zip(cycles, self.cycles, strict=True))

    # ---- assertions -------------------------------------------------------------------------------------------------

    def assert_state(self, expected: Value) -> None:
        """Raises AppError if the state is another one."""
        if not equal(self.machine.current, expected):
            raise _unlike(f"expected {display(expected)}, got {display(self.machine.current)}")

    def assert_state_field(self, index: int, expected: Value) -> None:
        """Raises AppError if a field of the state has another value."""
        state = self.machine.current
        if not is_record(state):
            raise _unlike(f"expected Record state, got {type_name(state)}")
        if not 0 <= index < len(state) - 1:
            raise _unlike(f"field index {index} out of bounds")
        if not equal(state[index + 1], expected):
            raise _unlike(f"field[{index}]: expected {display(expected)}, got {display(state[index + 1])}")

    def assert_effects(self, kinds: Sequence[str]) -> None:
        """Raises AppError if the last cycle has other effects."""
        if not self.cycles:
            raise _unlike("no cycles recorded")
        got = [effect.kind.kind for effect in self.cycles[-1].effects]
        if len(got) != len(kinds):
            raise _unlike(f"effect count mismatch: expected {len(kinds)}, got {len(got)}")
        for index, (expected, kind) in enumerate(zip(kinds, got, strict=True)):
            if expected != kind:
                raise _unlike(f"effect[{index}]: expected '{expected}', got '{kind}'")


def _unlike(message: str) -> AppError:
    return AppError("state_error", f"state error: {message}")
