"""Tasks of worker processes for applications; pickled by the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from analysis.bytecode.module import Module
from analysis.data_classes import dataclass
from boruna_ls.framework.app import prepared
from boruna_ls.framework.session import Plan, Session
from boruna_ls.runtime.job import Task, packed, unpacked


@dataclass(frozen=True, slots=True)
class SessionTask(Task):
    """Runs an application over messages; the outcome is that of `session.Session`."""

    module: bytes
    plan: Plan
    deadline: float = 60.0

    def perform(self, progress: Callable[[bytes], None]) -> dict[str, Any]:
        """Called in the worker process."""
        return Session(unpacked(self.module), self.plan).run()


def packed_app(module: Module) -> bytes:
    """The module of an application as tasks carry it."""
    return packed(prepared(module))
