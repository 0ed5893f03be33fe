"""The daemon's place in its folder: lock, socket and endpoint, restored if a process of the user deletes their files."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from typing import Any

from boruna_ls import __version__
from boruna_ls.daemon import logs
from boruna_ls.rendezvous import installations, listening, locks, places

_LOOKS_MISSING = 4
"""Consecutive looks that miss our files after which they count as deleted."""
_GRAIN = 2_000_000_000
"""Nanoseconds in which two changes of a folder may leave the same time."""
_log = logging.getLogger(__name__)


class Place:
    """The daemon's entry in its folder: socket, lock and record, by which clients find this daemon and no other."""

    def __init__(self, folder: str, lock: locks.Lock, listener: listening.Listener, about: dict[str, Any]) -> None:
        self.folder = folder
        self.listener = listener
        self.is_lost = False
        """True if another daemon serves in this folder now: new clients do not find this one."""
        self._lock = lock
        self._about = about
        self._package = installations.own(__version__, installations.GOOD)
        self.is_on_probation = installations.has_another(folder, self._package)
        """True if a daemon of another installation takes over should this one end before it has been recorded."""
        self._successor: installations.Installation | None = None
        self._looked_at = 0
        self._missing = 0
        self._is_recorded = False
        self._was_taken = False
        self._complaint = ""

    def mend(self) -> bool:
        """Puts back what is missing; True if the listener is another one now, or the place is lost."""
        has_lock = self._lock.is_at_its_place()
        if has_lock and self.listener.is_at_its_place():
            return False
        try:
            if not has_lock and not self._lock_again():
                return self.is_lost
            self.listener.remove()
            self.listener = listening.listen(self.folder, self._about)
        except OSError as error:
            # The folder is inaccessible now: connected clients are served all the same.
            if self._complaint != str(error):
                self._complaint = str(error)
                _log.warning("clients cannot find this daemon: %s", error)
            return False
        self._complaint = ""
        _log.warning("the files by which clients find this daemon were deleted; they are restored")
        return True

    def _lock_again(self) -> bool:
        places.claim(self.folder)
        lock = locks.acquire(places.lock_path(self.folder))
        if lock is None:
            # A process that only tests for a daemon holds the lock for a moment; a daemon still holds it at the next look.
            self.is_lost, self._was_taken = self._was_taken, True
            if self.is_lost:
                _log.warning("another daemon is in this one's place")
            return False
        self._was_taken = False
        self._lock.leave()
        self._lock = lock
        return True

    def record_us(self) -> None:
        """Writes down, once, that the daemon of our installation works."""
        if self._is_recorded or self.is_lost:
            return
        self._is_recorded, self.is_on_probation = True, False
        with contextlib.suppress(OSError):
            installations.record(self.folder, self._package)

    def successor(self) -> installations.Installation | None:
        """A newer installation whose daemon has passed its trial; None if there is none."""
        try:
            changed = os.stat(self.folder).st_mtime_ns
        except OSError:
            return self._successor
        if changed != self._looked_at:
            # A record that is written within the grain of the clock is seen the next time.
            self._looked_at = changed if time.time_ns() - changed > _GRAIN else 0
            self._successor = installations.successor(self.folder, __version__)
        return self._successor

    def is_uninstalled(self) -> bool:
        """True if the files this daemon was started from are replaced or deleted: further imports would not match the loaded
        modules.

        While a package is installed anew there is a moment without it.
        """
        identity = installations.identity_of(self._package.package)
        self._missing = 0 if identity and os.path.exists(self._package.interpreter) else self._missing + 1
        return self._missing > _LOOKS_MISSING or bool(identity and identity != self._package.identity)

    def leave(self) -> None:
        """Removes what is ours and frees the lock."""
        self.listener.remove()
        with contextlib.suppress(OSError):
            self.listener.socket.close()
        if not self.is_lost:
            logs.tidy(self.folder)
        self._lock.release()
