"""The daemon from its lock to its end. It listens before it imports what takes time: clients may come and wait from then on."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import time
from collections.abc import Sequence

from boruna_ls import __version__
from boruna_ls.rendezvous import listening, locks, places, wire

_HIGHEST_DESCRIPTOR = 1 << 16
_MOST_FILES = 16_384
_SECONDS_TO_END = 10.0
_TRIES = 10
_PAUSE = 0.01
"""Seconds between two tries to have the lock."""


class _Ended(Exception):
    """A signal has asked for the end before the event loop runs."""


def main(arguments: Sequence[str]) -> int:
    """Serves until no client is left; returns the exit status. `--folder DIR [--first lsp|mcp] [--lock DESCRIPTOR]`"""
    options = dict(zip(arguments[::2], arguments[1::2], strict=False))
    folder, inherited = options.get("--folder") or places.folder(), int(options.get("--lock", -1))
    _close_inherited(inherited)
    try:
        places.claim(folder)
        path = places.lock_path(folder)
        lock = locks.Lock(path, inherited) if inherited >= 0 else _acquired(path)
    except OSError as error:
        print(f"boruna-ls: {error}", file=sys.stderr)
        return 1
    if lock is None:
        return 0
    try:
        return _serve(folder, lock, options.get("--first", ""))
    finally:
        lock.release()


def _acquired(path: str) -> locks.Lock | None:
    """The lock, or None if another daemon holds it. A process that only tests the lock holds it for an instant, so we retry."""
    for _ in range(_TRIES):
        lock = locks.acquire(path)
        if lock is not None:
            return lock
        time.sleep(_PAUSE)
    return None


def _serve(folder: str, lock: locks.Lock, first: str) -> int:
    _settle_signals()
    about = {
        "pid": os.getpid(),
        "version": __version__,
        "wire": wire.WIRE,
        "since": time.time(),
    }
    try:
        listener = listening.listen(folder, about)
    except OSError as error:
        print(f"boruna-ls: cannot listen in {folder}: {error}", file=sys.stderr)
        return 1
    life = None
    try:
        # What is imported stays; `process.prepare` switches the collector on again.
        gc.disable()
        from boruna_ls.daemon import logs
        from boruna_ls.daemon.life import Life
        from boruna_ls.loop import run

        logs.begin(folder)
        _allow_many_clients()
        life = Life(folder, lock, listener, about)
        run(life.run(first))
    except _Ended:
        return 0
    finally:
        if life is None:
            listener.remove()
        else:
            life.leave()
        _end_for_certain()
    return 0


def _settle_signals() -> None:
    """Set signal handlers and the signal mask: the process that started the daemon may have had other settings."""
    signal.signal(signal.SIGTERM, _end_at_once)
    signal.signal(signal.SIGINT, _end_at_once)
    if sys.platform != "win32":
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        # The daemon outlives the terminal of the client that started it.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)


def _end_at_once(*_: object) -> None:
    raise _Ended


def _end_for_certain() -> None:
    """A thread that cannot be stopped must not keep the process."""
    import threading

    timer = threading.Timer(_SECONDS_TO_END, os._exit, (0,))
    timer.daemon = True
    timer.start()


def _allow_many_clients() -> None:
    """Raises the number of files that may be open, as far as we are allowed to."""
    if sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(OSError, ValueError):
        allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        most = _MOST_FILES if allowed == resource.RLIM_INFINITY else min(allowed, _MOST_FILES)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, allowed))


def _close_inherited(lock: int) -> None:
    """Closes accidentally inherited descriptors, because their opener waits for their end."""
    if os.name == "nt":
        return
    os.closerange(3, lock if lock >= 0 else _HIGHEST_DESCRIPTOR)
    if lock >= 0:
        os.set_inheritable(lock, False)
        os.closerange(max(lock + 1, 3), _HIGHEST_DESCRIPTOR)
