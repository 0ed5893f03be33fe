"""Clients of the conformance suite, a few at a time: `python -m tests.upstream.conformance.turns FOLDER URL`.

The suite starts all scenarios at once. So many clients take so long that a server closes a connection as idle which its client is
about to use, and a busy machine fails what a free one passes. Each client waits for its turn before it imports anything.
"""

from __future__ import annotations

import fcntl
import os
import sys
import time
from pathlib import Path

AT_ONCE = 2
_PAUSE = 0.05


def taken(folder: Path) -> int:
    """A turn, which ends with this process."""
    while True:
        for number in range(AT_ONCE):
            descriptor = os.open(folder / f"turn-{number}", os.O_RDWR | os.O_CREAT)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
            else:
                return descriptor
        time.sleep(_PAUSE)


if __name__ == "__main__":
    taken(Path(sys.argv[1]))
    from tests.upstream.conformance import client

    sys.exit(client.run(sys.argv[2]))
