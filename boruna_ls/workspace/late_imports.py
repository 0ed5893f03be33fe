"""Imports of modules that only some requests need, while others use the analysis thread.

A module that translates other languages takes a quarter of a second to import, and an import cannot give way. So it runs on a
thread of its own; the job that needs it waits, and lets more urgent jobs go first meanwhile.
"""

from __future__ import annotations

import importlib
import threading
from contextlib import suppress
from typing import Final

from analysis.database import checkpoint
from boruna_ls.lock_order import leaf

_PAUSE: Final = 0.001
"""Seconds between two checkpoints of a job that waits."""


class LateImports:
    """The modules that were imported for jobs."""

    def __init__(self) -> None:
        self._lock = leaf()
        self._threads: dict[str, threading.Thread] = {}

    def load(self, name: str) -> None:
        """Returns once a module is imported, or cannot be: then the import that follows says why."""
        thread = self._threads.get(name) or self._begun(name)
        while thread.is_alive():
            thread.join(_PAUSE)
            checkpoint()

    def _begun(self, name: str) -> threading.Thread:
        with self._lock:
            if name not in self._threads:
                thread = threading.Thread(target=_import, args=(name,), name="import", daemon=True)
                thread.start()
                self._threads[name] = thread
            return self._threads[name]


def _import(name: str) -> None:
    with suppress(Exception):
        importlib.import_module(name)
