"""Profile of a run's steps and time: an observer that counts by instruction and by path of calls.

Observed runs are interpreted, so times compare parts of a run with each other; steps are exact.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import NamedTuple

from analysis.bytecode.module import Op
from analysis.data_classes import dataclass, field
from boruna_ls.runtime.interpreter import Frame, Machine


@dataclass(slots=True, eq=False)
class Node:
    """A function at the end of one path of calls; its own steps and nanoseconds, without those of `children`."""

    function: int
    steps: int = 0
    nanoseconds: int = 0
    calls: int = 0
    children: dict[int, Node] = field(default_factory=dict)

    def child(self, function: int) -> Node:
        """The function called from here, made when it is called first."""
        node = self.children.get(function)
        if node is None:
            node = self.children[function] = Node(function)
        return node


class Usage(NamedTuple):
    """Steps and time used by one function or one line."""

    steps: int
    nanoseconds: int


class Profiler:
    """The observer. `root` is above the entry; `finish` must be called at the end of the run."""

    def __init__(self) -> None:
        self.root = Node(-1)
        self.steps: Counter[tuple[int, int]] = Counter()
        self.nanoseconds: Counter[tuple[int, int]] = Counter()
        self._path: list[tuple[Frame, Node]] = []
        self._last: tuple[int, int] | None = None
        self._since = time.perf_counter_ns()

    def __call__(self, machine: Machine, frame: Frame, op: Op) -> None:
        self._settle()
        path, frames = self._path, machine.frames
        if not path or path[-1][0] is not frame:
            self._follow(frames)
        path[-1][1].steps += 1
        self._last = (frame.function, frame.ip)
        self.steps[self._last] += 1
        self._since = time.perf_counter_ns()

    def finish(self) -> None:
        """The last instruction is over."""
        self._settle()
        self._last = None

    def _settle(self) -> None:
        if self._last is not None:
            spent = time.perf_counter_ns() - self._since
            self.nanoseconds[self._last] += spent
            self._path[-1][1].nanoseconds += spent

    def _follow(self, frames: list[Frame]) -> None:
        """Makes the path that of the frames: what they have in common stays."""
        path = self._path
        while path and (len(path) > len(frames) or path[-1][0] is not frames[len(path) - 1]):
            path.pop()
        while len(path) < len(frames):
            frame = frames[len(path)]
            node = (path[-1][1] if path else self.root).child(frame.function)
            node.calls += 1
            path.append((frame, node))

    def by_function(self) -> dict[int, Usage]:
        """Usage of each function itself, without its callees."""
        steps: Counter[int] = Counter()
        nanoseconds: Counter[int] = Counter()
        for (function, _), count in self.steps.items():
            steps[function] += count
        for (function, _), spent in self.nanoseconds.items():
            nanoseconds[function] += spent
        return {function: Usage(steps[function], nanoseconds[function]) for function in steps}

    def calls(self) -> Counter[int]:
        """Number of calls of each function."""
        counted: Counter[int] = Counter()
        todo = [self.root]
        while todo:
            node = todo.pop()
            counted[node.function] += node.calls
            todo += node.children.values()
        return counted
