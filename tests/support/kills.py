"""Daemons that die: who is killed, and when."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import struct
import subprocess
import termios
from collections.abc import Iterator
from pathlib import Path

from boruna_ls.rendezvous import places
from tests.support.daemon import is_running, until


def process_of(folder: str | Path) -> int | None:
    """The process of a folder's daemon as it has written it down, dead or alive; None if it has not."""
    try:
        found = json.loads(Path(places.endpoint_path(str(folder))).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return int(found["pid"])


def kill(folder: str | Path, *dead: int) -> int:
    """Kills the daemon of a folder as soon as there is one that is not one of the dead; its process."""
    found: list[int] = []

    def is_there() -> bool:
        process = process_of(folder)
        if process is not None and process not in dead and is_running(process):
            found.append(process)
        return bool(found)

    until(is_there)
    with contextlib.suppress(ProcessLookupError):
        os.kill(found[0], signal.SIGKILL)
    until(lambda: not is_running(found[0]))
    return found[0]


@contextlib.contextmanager
def suspended(folder: Path) -> Iterator[None]:
    """The daemon stands still, until it is killed or the block ends."""
    process = process_of(folder)
    assert process is not None
    os.kill(process, signal.SIGSTOP)
    yield
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGCONT)


def read(forwarder: subprocess.Popen[bytes]) -> None:
    """Waits until a forwarder has read what was sent to it; it counts as handed on to the daemon that it has."""
    assert forwarder.stdin is not None
    pipe = forwarder.stdin.fileno()
    until(lambda: struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"    "))[0] == 0)
