"""Which process of a run gets which file: one computes while the others wait for processes of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from xdist.scheduler import LoadFileScheduling

_SHARE: Final = 5
"""One of so many processes takes files that compute."""


class Schedule(LoadFileScheduling):  # type: ignore[misc]
    """Files that compute go to the first processes, the others to the rest, as long as there are such files.

    A test that waits leaves a core to others: with a process that always computes beside them, none is idle. Files go out in the
    order in which they were collected, and stay in one process.
    """

    def __init__(self, config: pytest.Config, log: Any, computes: Callable[[str], bool]) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)
        self._computes = computes

    def _assign_work_unit(self, node: Any) -> None:
        wanted = self.nodes.index(node) < max(1, self.numnodes // _SHARE)
        fitting = next((file for file in self.workqueue if self._computes(file) == wanted), None)
        if fitting is not None:
            self.workqueue.move_to_end(fitting, last=False)
        super()._assign_work_unit(node)
