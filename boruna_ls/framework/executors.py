"""Executors answer declared effects with callback messages (spec chapter 13 section 5). They are for tests: nothing is performed.

`emit_ui` never has an answer. The mocked values of the capabilities are those that programs get, see `runtime/mock.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from boruna_ls.framework.records import Effect
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.runtime.mock import Mock
from boruna_ls.runtime.values import Value, from_constant

Callback = tuple[str, Value]
"""Tag and payload of the message that brings the outcome of an effect."""
_WITHOUT_ARGUMENT: Final = frozenset(("timer", "random"))


class Executor(Protocol):
    """Turns effects, in order, into callback messages."""

    def run(self, effects: Iterable[Effect]) -> list[Callback]:
        """The callback messages of effects."""


class TableExecutor:
    """Answers by callback tag; other effects get `default`, actors a number or `delivered`."""

    def __init__(self, answers: Mapping[str, Value] | None = None, default: Value = "mock_result") -> None:
        self._answers = dict(answers or {})
        self._default = default
        self._spawned = 0

    def run(self, effects: Iterable[Effect]) -> list[Callback]:
        return [(effect.callback_tag, self._answer(effect)) for effect in effects if effect.kind.callback]

    def _answer(self, effect: Effect) -> Value:
        if effect.callback_tag in self._answers:
            return self._answers[effect.callback_tag]
        if effect.kind.kind == "spawn_actor":
            self._spawned += 1
            return self._spawned
        return "delivered" if effect.kind.kind == "send_to_actor" else self._default


class MockExecutor:
    """Answers with what the mocked capability of an effect gives."""

    def __init__(self) -> None:
        self._mock = Mock(display)

    def run(self, effects: Iterable[Effect]) -> list[Callback]:
        return [(effect.callback_tag, self._answer(effect)) for effect in effects if effect.kind.callback]

    def _answer(self, effect: Effect) -> Value:
        arguments = [] if effect.kind.kind in _WITHOUT_ARGUMENT else [effect.payload]
        try:
            return from_constant(self._mock(effect.kind.capability, arguments, False))
        except HandlerFailure as failure:
            return f"effect error: {failure}"
