"""Which process of a run gets which file: some compute while the others wait for processes of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from xdist.scheduler import LoadFileScheduling

_SHARE: Final = 3
"""One of so many processes takes files that compute."""


def computing(processes: int) -> int:
    """How many of the processes of a run take files that compute, as long as there are any: the first ones."""
    return max(1, processes // _SHARE)


class Schedule(LoadFileScheduling):  # type: ignore[misc]
    """Files that compute go to the first processes, the others to the rest, as long as there are such files.

    A test that waits leaves a core to others: with processes that always compute beside them, none is idle. Those that compute
    let the others go first (`conftest.py`). Files go out in the order in which they were collected, and stay in one process.
    """

    def __init__(self, config: pytest.Config, log: Any, computes: Callable[[str], bool]) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)
        self._computes = computes

    def _assign_work_unit(self, node: Any) -> None:
        wanted = self.nodes.index(node) < computing(self.numnodes)
        fitting = next((file for file in self.workqueue if self._computes(file) == wanted), None)
        if fitting is not None:
            self.workqueue.move_to_end(fitting, last=False)
        super()._assign_work_unit(node)
