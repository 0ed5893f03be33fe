"""One capability call on its way to the outside world: its request, its program, its bounds, and its cancellation."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from analysis.data_classes import dataclass, field
from boruna_ls import lock_order
from boruna_ls.deadline import Deadline
from boruna_ls.effects.ceiling import Ceiling, Section
from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.runtime.policy import Policy


class Target(NamedTuple):
    """Target of an effect: a section of the ceiling and the entry that would allow it; `note` is for the person who is asked."""

    section: Section
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of a run: its policy, and the owner's ceiling for its workspace.

    `ceiling` None: the owner wrote the policy and started the run at a terminal. `folder`: base of relative paths.
    `workspace`: the root of the program's workspace, "" for none.
    """

    policy: Policy
    ceiling: Ceiling | None
    folder: str = field(default_factory=os.getcwd)
    workspace: str = ""


class Stop:
    """Signal to an effect on another thread that its result is no longer needed."""

    def __init__(self) -> None:
        self._lock = lock_order.lock("effects")
        self._closers: list[Callable[[], object]] = []
        self.is_set = False

    def on(self, closer: Callable[[], object]) -> None:
        """`closer` interrupts what is under way; it is called on another thread, at once if the effect is stopped already."""
        with self._lock:
            if not self.is_set:
                self._closers.append(closer)
                return
        closer()

    def set(self) -> None:
        """Stops the effect."""
        with self._lock:
            self.is_set = True
            closers, self._closers = self._closers, []
        for closer in closers:
            closer()


@dataclass(frozen=True, slots=True)
class Effect:
    """One call of a capability."""

    capability: str
    arguments: Sequence[Any]
    bounds: Bounds
    deadline: Deadline
    stop: Stop = field(default_factory=Stop)
    notes: dict[str, Any] = field(default_factory=dict)
    """The value that a handler's `target` leaves for its `perform`."""

    def text(self, index: int, default: str | None = None) -> str:
        """An argument that must be a String. Raises HandlerFailure."""
        if index >= len(self.arguments) and default is not None:
            return default
        if index >= len(self.arguments) or not isinstance(self.arguments[index], str):
            raise HandlerFailure(f"argument {index + 1} must be a String")
        argument: str = self.arguments[index]
        return argument

    def seconds_left(self, most: float) -> float:
        """Seconds that the effect may take. Raises HandlerFailure if there are none."""
        left = min(self.deadline.left(), most)
        if left <= 0 or self.stop.is_set:
            raise HandlerFailure(f"{self.capability} was stopped: no time is left")
        return left
