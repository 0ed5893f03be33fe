"""A limit on this process's memory that the processes it starts do not inherit."""

from __future__ import annotations

import sys
from contextlib import suppress


def limit_memory(size: int) -> None:
    """Limits the data of this process (heap, private mappings, stacks of threads), in bytes. Only on Linux: elsewhere its
    children would keep the limit."""
    if sys.platform == "linux":
        import resource

        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_DATA, (size, resource.getrlimit(resource.RLIMIT_DATA)[1]))


def lift_memory_limit(pid: int) -> None:
    """Lifts `limit_memory` from a child process."""
    if sys.platform == "linux":
        import resource

        with suppress(OSError, ValueError):
            hard = resource.prlimit(pid, resource.RLIMIT_DATA)[1]
            resource.prlimit(pid, resource.RLIMIT_DATA, (hard, hard))
