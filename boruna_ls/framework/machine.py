"""The state machine of an application: the current state, its history, messages one by one (chapter 13 sections 3 and 10)."""

from __future__ import annotations

import json
from collections import deque
from typing import Any, Final

from analysis.data_classes import dataclass
from boruna_ls.framework.app import App, AppError, Called
from boruna_ls.framework.difference import Difference, differences
from boruna_ls.framework.records import Effect, PolicySet, Update
from boruna_ls.framework.rendering import Renderer
from boruna_ls.runtime.forms import from_tagged, tagged
from boruna_ls.runtime.values import Value

MAX_CYCLES: Final = 100_000
HISTORY: Final = 1000
"""Snapshots that are kept; the oldest goes first."""
_DIFFERENCES: Final = 1000


@dataclass(frozen=True, slots=True)
class Cycle:
    """One message and its outcome. `steps` are those of `update` and `view` together."""

    number: int
    message: Value
    before: Value
    update: Update
    view: Value
    steps: int

    @property
    def after(self) -> Value:
        """The new state."""
        return self.update.state

    @property
    def effects(self) -> list[Effect]:
        """Effects that `update` declared, as far as the host knows them."""
        return self.update.effects


class Machine:
    """A running application."""

    def __init__(self, app: App) -> None:
        """Calls `init` and `policies`. Raises AppError."""
        self.app: Final = app
        started: Called = app.init()
        self.initial: Final = started.value
        self.start_steps: Final = started.steps
        self.policy: Final[PolicySet] = app.policies()
        self.current: Value = self.initial
        self.cycle = 0
        self._history: deque[tuple[int, Value]] = deque([(0, self.initial)], maxlen=HISTORY)
        self._renderer = Renderer(app.program)

    def send(self, tag: str, payload: Value) -> Cycle:
        """Takes one message. Raises AppError; if `view` fails, the state has changed all the same."""
        if self.cycle >= MAX_CYCLES:
            raise AppError("max_cycles_exceeded", f"max cycles exceeded: {MAX_CYCLES}")
        message, before = self.app.message(tag, payload), self.current
        update, steps = self.app.update(before, message)
        if violation := self.policy.violation(update.effects):
            raise AppError("policy_violation", f"policy violation: {violation}")
        self.transition(update.state)
        drawn = self.app.view(update.state)
        return Cycle(self.cycle, message, before, update, drawn.value, steps + drawn.steps)

    def transition(self, state: Value) -> None:
        """Makes a state the current one."""
        self.cycle += 1
        self.current = state
        self._history.append((self.cycle, state))

    def view(self) -> Called:
        """View of the current state."""
        return self.app.view(self.current)

    def snapshot(self) -> str:
        """The current state as indented tagged JSON."""
        return json.dumps(tagged(self.current), indent=2, ensure_ascii=False)

    def restore(self, text: str) -> None:
        """Goes on with the state of a snapshot. Raises AppError."""
        try:
            data: Any = json.loads(text)
            state = from_tagged(data)
        except (ValueError, RecursionError) as error:
            raise AppError("state_error", f"state error: invalid state JSON: {error}") from None
        self.transition(state)

    def rewind(self, cycle: int) -> None:
        """Goes back to the state after a cycle; later cycles count on from there. Raises AppError."""
        state = self._at(cycle)
        if state is None:
            raise AppError("state_error", f"state error: cycle {cycle} not in history")
        self.current, self.cycle = state[0], cycle

    def diff_from_cycle(self, cycle: int) -> list[Difference]:
        """Differences to the state after a cycle; empty if that state is no longer stored."""
        state = self._at(cycle)
        return [] if state is None else differences(state[0], self.current, self._renderer, _DIFFERENCES)[0]

    def _at(self, cycle: int) -> tuple[Value] | None:
        """The latest state that was reached with this number."""
        return next(((state,) for number, state in reversed(self._history) if number == cycle), None)
