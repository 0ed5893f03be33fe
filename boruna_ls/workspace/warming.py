"""Checks the remaining files of a workspace in idle time.

It is done in short jobs of the lowest priority, so that keystrokes and requests go first; computed results stay. Afterwards
questions about the whole workspace are answered at once. One walk through a workspace serves all who work in it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final
from weakref import WeakKeyDictionary

from analysis import inputs
from analysis.documents.file_diagnostics import file_diagnostics
from boruna_ls.workspace.buffers import Client
from boruna_ls.workspace.disk import FileUnavailable
from boruna_ls.workspace.host import Host
from boruna_ls.workspace.turns import Priority

MOST_TEXT: Final = 8_000_000
"""Characters of a workspace that are checked without being asked about: some 250,000 lines, which take 200 to 400 MB."""
_TURN: Final = 0.002
_MOST: Final = 100
"""Seconds, and files, of one job, which does one file at least."""
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
        """Number of files of a workspace that the last walk has checked, and the number it had to check."""
        return self._coverage.get(root, (0, 0))

    def is_busy(self, root: str) -> bool:
        """True if a walk through a workspace is under way."""
        return root in self._busy

    async def walk(self, host: Host, client: Client, root: str, report: Report) -> bool:
        """Checks all files of a workspace as a client sees them; False if that is under way already, or was stopped."""
        if root in self._busy:
            return False
        self._busy.add(root)
        try:
            await host.shared.precedence.rest()
            paths = await host.worker.run(lambda: host.files(root), Priority.BACKGROUND)
            done = text = 0
            while done < len(paths) and text < MOST_TEXT:
                if not report(done, len(paths)):
                    return False
                await host.shared.precedence.rest()
                files, read = await host.worker.run(
                    partial(_check, host, client, paths[done : done + _MOST]), Priority.BACKGROUND
                )
                done, text = done + files, text + read
                self._coverage[root] = (done, len(paths))
            return True
        finally:
            self._busy.discard(root)


_WARMING: Final[WeakKeyDictionary[Host, Warming]] = WeakKeyDictionary()


def _check(host: Host, client: Client, paths: Sequence[str]) -> tuple[int, int]:
    """Checks some files; how many, and how long they are together."""
    end = time.perf_counter() + _TURN
    checked = text = 0
    for path in paths:
        checked += 1
        try:
            file = host.file_for_agent(path, client.folders, client.libs)
        except FileUnavailable:
            pass
        else:
            file_diagnostics(host.db, file)
            text += len(inputs.source(host.db, file).text)
        if time.perf_counter() > end:
            break
    return checked, text
