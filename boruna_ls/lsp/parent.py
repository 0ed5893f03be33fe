"""Ends a server whose editor has died without saying so: servers left behind are what users complain about most."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from typing import Final

INTERVAL: Final = 2.0
"""Seconds between two looks."""


async def watch_parent(process: int, gone: Callable[[], None]) -> None:
    """Calls `gone` once the process does not exist any more.

    A process that cannot be seen from the start (the editor runs outside of our container) is not watched.
    """
    if not is_alive(process):
        return
    while is_alive(process):
        await asyncio.sleep(INTERVAL)
    gone()


def is_alive(process: int) -> bool:
    """Whether a process exists."""
    if process <= 0:
        return False
    if sys.platform == "win32":
        import ctypes

        synchronize, timeout = 0x00100000, 0x102
        handle = ctypes.windll.kernel32.OpenProcess(synchronize, False, process)
        if not handle:
            return False
        waiting = ctypes.windll.kernel32.WaitForSingleObject(handle, 0) == timeout
        ctypes.windll.kernel32.CloseHandle(handle)
        return waiting
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True
