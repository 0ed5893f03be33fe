"""Which process of a run gets which tests: some compute while the others wait for processes of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final

import pytest
from xdist.scheduler import LoadFileScheduling

_SHARE: Final = 3
"""One of so many processes takes files that compute."""
PIECE: Final = 25
"""So many tests of a file that computes go to a process together: at the end of a run no process is left with a long file."""


class Units:
    """What goes to a process as a whole: a file whose tests wait for other processes, a piece of one that computes."""

    def __init__(self, computes: Callable[[str], bool]) -> None:
        self._computes = computes
        self._tests: Counter[str] = Counter()
        self._units: dict[str, str] = {}

    def of(self, test: str) -> str:
        """The unit of a test: its file, or its file and the number of the piece."""
        unit = self._units.get(test)
        if unit is None:
            file = _file(test)
            unit = f"{file}::{self._tests[file] // PIECE}" if self._computes(file) else file
            self._tests[file] += 1
            self._units[test] = unit
        return unit


def computing(processes: int) -> int:
    """How many of the processes of a run take files that compute, and nothing else, if there are such files: the first ones."""
    return max(1, processes // _SHARE) if processes > 1 else 0


class Schedule(LoadFileScheduling):  # type: ignore[misc]
    """Files that compute go to the first processes, the others to the rest; these take what computes when nothing else is left.

    A test that waits leaves a core to others: with processes that always compute beside them, none is idle. Those that compute
    let the others go first (`conftest.py`), and so would whatever their tests start: a test that waits would take minutes there.
    Files go out in the order in which they were collected. One whose tests wait stays in one process; of one that computes, each
    piece does.
    """

    def __init__(self, config: pytest.Config, log: Any, computes: Callable[[str], bool]) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)
        self._computes = computes
        self._units = Units(computes)

    def _split_scope(self, nodeid: str) -> str:
        return self._units.of(nodeid)

    def _reschedule(self, node: Any) -> None:
        if self.workqueue and self._next_unit(node) is None:
            node.shutdown()
        else:
            super()._reschedule(node)

    def _assign_work_unit(self, node: Any) -> None:
        unit = self._next_unit(node)
        if unit is not None:
            self.workqueue.move_to_end(unit, last=False)
            super()._assign_work_unit(node)

    def _next_unit(self, node: Any) -> str | None:
        """What a process gets next; None if there is nothing for it."""
        only_computes = comes_last(node.gateway.id, self.numnodes, self.collection, self._computes)
        fitting = (unit for unit in self.workqueue if self._computes(_file(unit)) == only_computes)
        return next(fitting, None if only_computes else next(iter(self.workqueue), None))


def comes_last(process: str, processes: int, tests: Iterable[str], computes: Callable[[str], bool]) -> bool:
    """True if a process ("gw0", "gw1", …) takes files that compute, and nothing else, and lets the others go first."""
    return int(process.removeprefix("gw")) < computing(processes) and any(computes(_file(test)) for test in tests)


def _file(test: str) -> str:
    return test.split("::", 1)[0]
