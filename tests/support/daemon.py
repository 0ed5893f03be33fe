"""Daemons of the tests: a folder each, asked and ended as the command line does it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from boruna_ls.rendezvous import locks, places
from boruna_ls.rendezvous.ask import ask

PATIENCE = 60.0


def stopped(folder: str | Path) -> None:
    """Ends the daemon of a folder, if one runs, and waits until it is gone."""
    folder = str(folder)
    try:
        ask(folder, "stop")
    except OSError:
        return
    until(lambda: not locks.is_held(places.lock_path(folder)))


def status(folder: str | Path) -> dict[str, Any]:
    """What the daemon of a folder says about itself."""
    found = ask(str(folder), "status", PATIENCE)
    assert found is not None, "no daemon runs"
    return found


def until(condition: Any, patience: float = PATIENCE) -> None:
    """Waits for something to become true."""
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, "it does not happen"
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    """Whether a process lives; one that nobody has waited for yet is dead all the same."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] != b"Z"
    except FileNotFoundError:
        return False
    except OSError:
        os.kill(pid, 0)
        return True
