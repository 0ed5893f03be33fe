"""Settings of the C library's allocator (glibc): it keeps freed memory for the next message, and never tidies up for long.

It gives memory back to the system at once otherwise. The diagnostics of a long file are half a megabyte at each keystroke:
fresh pages for a copy of them take longer than the copy.
"""

from __future__ import annotations

import contextlib
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _FAST_BINS = -1, -3, 1
"""The parameters of `mallopt`."""
_KEPT = 8 << 20
"""Bytes of free memory that the process keeps."""
_LARGEST = 4 << 20
"""Bytes up to which a block comes out of the memory that is kept."""


def keep_freed_memory() -> None:
    """For a process that moves large messages; does nothing where the C library is another one. Takes 3 ms."""
    if sys.platform != "linux":
        return
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes

        set_parameter = ctypes.CDLL(None).mallopt
        set_parameter(_TRIM_THRESHOLD, _KEPT)
        set_parameter(_MMAP_THRESHOLD, _LARGEST)
        # Small freed pieces are joined as they are freed: else the C library does it for all of them at once some time later,
        # and after large sources all threads wait for that for 25 ms. Costs one percent of the speed.
        set_parameter(_FAST_BINS, 0)
