"""Settings of a process that computes on one thread while its event loop moves messages."""

from __future__ import annotations

import gc
import logging
import os
import sys
from typing import Final

SWITCH_INTERVAL: Final = 0.0005
"""Seconds after which a computing thread lets the event loop run; the default of 5 ms is felt by clients."""


def prepare() -> None:
    """To be called once, after the imports of a server."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    sys.setswitchinterval(SWITCH_INTERVAL)
    # Trees and memos live long and are many: what is loaded now is never looked at again, the rest seldom.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def take_stdout() -> int:
    """The file descriptor for protocol output; from now on whatever else is printed goes to standard error."""
    sys.stdout.flush()
    output = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return output
