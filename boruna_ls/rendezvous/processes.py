"""Test whether other processes live, without side effects: on Windows `os.kill(pid, 0)` would end them."""

from __future__ import annotations

import os
import sys

_SYNCHRONIZE = 0x00100000
_TIMEOUT = 0x102
_ACCESS_DENIED = 5


def is_alive(process: int) -> bool:
    """True if a process exists, whoever owns it."""
    if process <= 0:
        return False
    if sys.platform == "win32":
        import ctypes

        system = ctypes.WinDLL("kernel32", use_last_error=True)
        handle = system.OpenProcess(_SYNCHRONIZE, False, process & 0xFFFFFFFF)
        if not handle:
            return ctypes.get_last_error() == _ACCESS_DENIED
        # A process that has ended can still be opened as long as another process has a handle of it.
        waits = bool(system.WaitForSingleObject(handle, 0) == _TIMEOUT)
        system.CloseHandle(handle)
        return waits
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True
