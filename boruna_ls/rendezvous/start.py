"""Starts the user's daemon where none is there. Of many who try at once one does, and the others wait for it.

The one is who gets the daemon's lock; it hands the lock to the process that it starts, so there is no moment without a holder.
"""

from __future__ import annotations

import os
import socket
import sys
import time

from boruna_ls.rendezvous import endpoint, locks, places

PATIENCE = 20.0
"""Seconds that a daemon has to come up."""
_PAUSE = 0.005


class NoDaemon(OSError):
    """There is no daemon and none could be started; the message is a sentence."""


def connect(folder: str, protocol: str, patience: float = PATIENCE) -> tuple[socket.socket, str]:
    """A connection to the daemon of a folder, which is started if there is none. Raises NoDaemon."""
    deadline = time.monotonic() + patience
    tries = 3
    while True:
        try:
            return endpoint.connect(folder)
        except places.BadFolder as error:
            raise NoDaemon(str(error)) from None
        except OSError:
            pass
        try:
            places.claim(folder)
            lock = locks.acquire(places.lock_path(folder))
        except OSError as error:
            raise NoDaemon(str(error)) from None
        if lock is not None:
            if tries == 0:
                lock.release()
                raise NoDaemon(f"the daemon does not start: {places.errors_path(folder)} may say why")
            tries -= 1
            try:
                start(command(), folder, protocol, lock)
            except OSError as error:
                raise NoDaemon(f"the daemon cannot be started: {error}") from None
        if time.monotonic() > deadline:
            raise NoDaemon(f"the daemon does not answer within {patience:g} seconds")
        time.sleep(_PAUSE)


def command() -> list[str]:
    """The command line that starts a daemon of this package."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return [sys.executable, "-P", "-X", "utf8", os.path.join(package, "daemon", "__main__.py")]


def start(line: list[str], folder: str, protocol: str, lock: locks.Lock) -> None:
    """Starts a daemon that holds the lock from its first moment; `protocol` is what its first client will speak."""
    line = [*line, "--folder", folder, "--first", protocol]
    if sys.platform == "win32":
        _start_on_windows(line, lock)
        return
    line += ["--lock", str(lock.descriptor)]
    os.set_inheritable(lock.descriptor, True)
    child = os.fork()
    if child == 0:
        _become(line, folder)
    os.waitpid(child, 0)
    lock.leave()


def _become(line: list[str], folder: str) -> None:
    """The child: becomes the daemon, whose parent is nobody of ours, in a session of its own and without a folder."""
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.chdir("/")
        nothing = os.open(os.devnull, os.O_RDWR)
        try:
            errors = os.open(places.errors_path(folder), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError:
            errors = nothing
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        os.dup2(errors, 2)
        os.execv(line[0], line)
    finally:
        os._exit(127)


def _start_on_windows(line: list[str], lock: locks.Lock) -> None:
    import subprocess

    # Locks are not handed on there: the daemon takes it itself, and whoever comes in between waits for the daemon, too.
    lock.release()
    flags = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    null, home = subprocess.DEVNULL, os.path.dirname(line[0])
    subprocess.Popen(line, stdin=null, stdout=null, stderr=null, close_fds=True, creationflags=flags, cwd=home)
