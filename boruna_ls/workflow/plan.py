"""Next steps of a run: pure functions of the definition and of the steps done, so that a drive that is repeated after a crash
makes the same choices (spec chapter 16, section 9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.data_classes import dataclass
from analysis.workflow.graph import Graph, graph_of
from analysis.workflow.reader import SOURCE, TRIGGER, Definition
from boruna_ls.workflow.records import AWAITING_APPROVAL, AWAITING_EVENT, COMPLETED, FAILED

SEQUENTIAL: Final = "sequential"
"""One step after another; the first gate stops all."""
LEVELS: Final = "levels"
"""Level by level in parallel; the gates of a level come before its programs."""
OPEN: Final = "open"
"""Whatever is not behind an open gate, in parallel; what a step reads comes before it."""


@dataclass(frozen=True, slots=True)
class Wave:
    """Steps to run at the same time, in order, and gates or triggers that the run waits for from now on."""

    run: tuple[str, ...] = ()
    awaits: tuple[str, ...] = ()


class Plan:
    """The way of one drive through a definition."""

    def __init__(self, definition: Definition, mode: str, concurrency: int) -> None:
        self.definition = definition
        self.mode = mode
        self.graph: Graph = graph_of(definition, inputs_too=mode == OPEN)
        self._size = max(concurrency, 1)
        self._before: dict[str, list[str]] = {name: [] for name in definition.steps}
        for start, end in self.graph.edges:
            if end in self._before:
                self._before[end].append(start)

    def next(self, done: Mapping[str, str]) -> Wave | None:
        """The next wave, given the state of the steps that were reached; None if the run ends or waits."""
        if FAILED in done.values():
            return None
        if self.mode == SEQUENTIAL:
            return self._next_step(done)
        return self._next_level(done) if self.mode == LEVELS else self._next_open(done)

    def _next_step(self, done: Mapping[str, str]) -> Wave | None:
        for name in self.graph.order:
            state = done.get(name)
            if state == COMPLETED:
                continue
            if self._is_program(name):
                return Wave(run=(name,))
            return None if _waits(state) else Wave(awaits=(name,))
        return None

    def _next_level(self, done: Mapping[str, str]) -> Wave | None:
        for level in self.graph.levels:
            left = [name for name in level if done.get(name) != COMPLETED]
            gates = tuple(name for name in left if not self._is_program(name))
            if gates:
                fresh = tuple(name for name in gates if not _waits(done.get(name)))
                return Wave(awaits=fresh) if fresh else None
            if left:
                return Wave(run=tuple(left[: self._size]))
        return None

    def _next_open(self, done: Mapping[str, str]) -> Wave | None:
        ready = [
            name
            for name in self.graph.order
            if done.get(name) != COMPLETED and all(done.get(before) == COMPLETED for before in self._before[name])
        ]
        programs = tuple(name for name in ready if self._is_program(name))[: self._size]
        gates = tuple(name for name in ready if not self._is_program(name) and not _waits(done.get(name)))
        return Wave(programs, gates) if programs or gates else None

    def _is_program(self, name: str) -> bool:
        return self.definition.steps[name].kind == SOURCE

    def awaiting_status(self, name: str) -> str:
        """The state of a gate or trigger that was reached."""
        return AWAITING_EVENT if self.definition.steps[name].kind == TRIGGER else AWAITING_APPROVAL


def _waits(state: str | None) -> bool:
    return state in (AWAITING_APPROVAL, AWAITING_EVENT)
