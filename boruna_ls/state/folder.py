"""The state folder, `$XDG_STATE_HOME/boruna-ls`: made private, marked with the version of its layout, migrated under a lock.

A part of it (`workflows/`, `executions/`) belongs to one package, which versions its own files. Nothing here is a protocol.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from boruna_ls.rendezvous import atomic, locks, places

VARIABLE: Final = "BORUNA_LS_STATE"
"""The environment variable that names another folder."""
LAYOUT: Final = 1
"""Version of the layout; a newer one is refused, older ones are migrated."""
_PATIENCE: Final = 10.0
_MARK: Final = "layout"


class StateError(OSError):
    """The state folder cannot be used; the message says why and what to do."""


def state_folder() -> Path:
    """The path of the folder; it need not exist."""
    if chosen := os.environ.get(VARIABLE):
        return Path(chosen).expanduser().absolute()
    return default_folder()


def default_folder() -> Path:
    """Its path where the environment names no other one."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~\\AppData\\Local")
        return Path(base) / "boruna-ls" / "state"
    base = os.environ.get("XDG_STATE_HOME", "")
    return Path(base if os.path.isabs(base) else os.path.expanduser("~/.local/state")) / "boruna-ls"


def opened(part: str) -> Path:
    """The folder of a part, made if it is missing. Raises StateError if the state folder cannot be ours alone."""
    folder = state_folder()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        places.check(str(folder))
    except places.BadFolder as error:
        raise StateError(str(error).replace(places.VARIABLE, VARIABLE)) from None
    except OSError as error:
        raise StateError(f"{folder} cannot be created ({error.strerror}): name another folder with {VARIABLE}") from None
    _check_layout(folder)
    inside = folder / part
    inside.mkdir(mode=0o700, exist_ok=True)
    return inside


def _check_layout(folder: Path) -> None:
    mark = folder / _MARK
    try:
        layout = int(mark.read_text(encoding="ascii"))
    except (OSError, ValueError):
        layout = 0
    if layout > LAYOUT:
        message = f"{folder} has layout {layout}, this version knows {LAYOUT}: upgrade, or name another folder with {VARIABLE}"
        raise StateError(message)
    if layout < LAYOUT:
        with locked(folder / "layout.lock"):
            # Layout 0 is an empty folder: nothing to migrate.
            atomic.write(mark, str(LAYOUT).encode())


@contextlib.contextmanager
def locked(path: Path, patience: float = _PATIENCE) -> Iterator[None]:
    """Holds the lock of a file; waits for another process at most `patience` seconds. Raises StateError."""
    ends = time.monotonic() + patience
    while (lock := locks.acquire(str(path))) is None:
        if time.monotonic() > ends:
            raise StateError(f"{path} is held by another process: wait until it ends")
        time.sleep(0.02)
    try:
        yield
    finally:
        lock.release()
