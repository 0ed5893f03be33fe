"""Files that a user names on a command line: of any kind, a pipe too (`<(…)` of a shell), but not without end.

The name may be that of a link in a clone, and lead to a device that never ends.
"""

from __future__ import annotations

import errno
import os
from typing import Final

LARGEST: Final = 256 << 20
"""Bytes of a file."""


def read(path: str | os.PathLike[str], limit: int = LARGEST) -> bytes:
    """The bytes of a file. Raises OSError, also for one that is larger than the limit."""
    parts, size = [], 0
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            parts.append(part)
            size += len(part)
            if size > limit:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), os.fspath(path))
    return b"".join(parts)
