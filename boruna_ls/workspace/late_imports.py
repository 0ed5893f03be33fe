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
        self._loaded: set[str] = set()
        self._loading: dict[str, threading.Thread] = {}

    def load(self, name: str) -> None:
        """Returns once a module is imported, or cannot be: then the import that follows says why."""
        if name in self._loaded:
            return
        with self._lock:
            thread = self._loading.get(name)
            if thread is None:
                thread = self._loading[name] = threading.Thread(target=self._import, args=(name,), name="import", daemon=True)
                thread.start()
        while thread.is_alive():
            thread.join(_PAUSE)
            checkpoint()

    def _import(self, name: str) -> None:
        with suppress(Exception):
            importlib.import_module(name)
        self._loaded.add(name)
