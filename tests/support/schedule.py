"""Which process of a run gets which tests: some compute while the others wait for processes of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
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
            file = test.split("::", 1)[0]
            unit = f"{file}::{self._tests[file] // PIECE}" if self._computes(file) else file
            self._tests[file] += 1
            self._units[test] = unit
        return unit


def computing(processes: int) -> int:
    """How many of the processes of a run take files that compute, as long as there are any: the first ones."""
    return max(1, processes // _SHARE)


class Schedule(LoadFileScheduling):  # type: ignore[misc]
    """Files that compute go to the first processes, the others to the rest, as long as there are such files.

    A test that waits leaves a core to others: with processes that always compute beside them, none is idle. Those that compute
    let the others go first (`conftest.py`). Files go out in the order in which they were collected. One whose tests wait stays in
    one process; of one that computes, each piece does.
    """

    def __init__(self, config: pytest.Config, log: Any, computes: Callable[[str], bool]) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)
        self._computes = computes
        self._units = Units(computes)

    def _split_scope(self, nodeid: str) -> str:
        return self._units.of(nodeid)

    def _assign_work_unit(self, node: Any) -> None:
        wanted = self.nodes.index(node) < computing(self.numnodes)
        fitting = next((unit for unit in self.workqueue if self._computes(unit.split("::")[0]) == wanted), None)
        if fitting is not None:
            self.workqueue.move_to_end(fitting, last=False)
        super()._assign_work_unit(node)
