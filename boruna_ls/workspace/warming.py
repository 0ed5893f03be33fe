"""Checks the files of a workspace that nobody has asked about yet, while nothing else is to be done.

Each file is a job of the lowest priority, so that whoever types or asks goes first; what was computed stays. Afterwards
questions about the whole workspace are answered at once. One walk through a workspace serves all who work in it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final
from weakref import WeakKeyDictionary

from analysis.check import check_file
from boruna_ls.workspace.buffers import Client
from boruna_ls.workspace.disk import FileUnavailable
from boruna_ls.workspace.host import Host
from boruna_ls.workspace.worker import Priority

MOST_FILES: Final = 2_000
"""Files of a workspace that are checked without being asked about: the database remembers about as many."""
Report = Callable[[int, int], bool]
"""Called with the files that are checked and their number; answers whether to go on."""


class Warming:
    """The walks of a host."""

    def __init__(self) -> None:
        self._busy: set[str] = set()
        self._coverage: dict[str, tuple[int, int]] = {}

    @staticmethod
    def of(host: Host) -> Warming:
        """The one object of a host."""
        return _WARMING.setdefault(host, Warming())

    def coverage(self, root: str) -> tuple[int, int]:
        """How many files of a workspace the last walk has checked, and how many there were."""
        return self._coverage.get(root, (0, 0))

    def is_busy(self, root: str) -> bool:
        """Whether a walk through a workspace is under way."""
        return root in self._busy

    async def walk(self, host: Host, client: Client, root: str, report: Report) -> bool:
        """Checks all files of a workspace as a client sees them; False if somebody does so already, or it was stopped."""
        if root in self._busy:
            return False
        self._busy.add(root)
        try:
            paths = await host.worker.run(lambda: host.files(root), Priority.BACKGROUND)
            for number, path in enumerate(paths[:MOST_FILES]):
                if not report(number, len(paths)):
                    return False
                await host.worker.run(partial(_check, host, client, path), Priority.BACKGROUND)
                self._coverage[root] = (number + 1, len(paths))
            return True
        finally:
            self._busy.discard(root)


_WARMING: Final[WeakKeyDictionary[Host, Warming]] = WeakKeyDictionary()


def _check(host: Host, client: Client, path: str) -> None:
    try:
        file = host.file_for_agent(path, client.folders, client.libs)
    except FileUnavailable:
        return
    check_file(host.db, file)
