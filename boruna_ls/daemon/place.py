"""The daemon's place in its folder: lock, socket and endpoint, looked after while it serves. Files may be deleted by anybody."""

from __future__ import annotations

import contextlib
import logging
import os
from typing import Any

import boruna_ls
from boruna_ls.daemon import logs
from boruna_ls.rendezvous import listening, locks, places, upgrade

_log = logging.getLogger(__name__)


class Place:
    """What makes clients find this daemon and no other one."""

    def __init__(self, folder: str, lock: locks.Lock, listener: listening.Listener, about: dict[str, Any]) -> None:
        self.folder = folder
        self.listener = listener
        self.is_lost = False
        """Whether another daemon serves here now: nobody new finds us."""
        self._lock = lock
        self._about = about
        self._is_remembered = False
        self._was_taken = False
        self._complaint = ""
        self._package = _stamp()

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
            # The folder cannot be had now: those who are connected are served all the same.
            if self._complaint != str(error):
                self._complaint = str(error)
                _log.warning("clients cannot find this daemon: %s", error)
            return False
        self._complaint = ""
        _log.warning("the files by which clients find this daemon were gone; they are there again")
        return True

    def _lock_again(self) -> bool:
        places.claim(self.folder)
        lock = locks.acquire(places.lock_path(self.folder))
        if lock is None:
            # Who only looks whether there is a daemon holds the lock for a moment: a daemon still does at the next look.
            self.is_lost, self._was_taken = self._was_taken, True
            if self.is_lost:
                _log.warning("another daemon is in this one's place")
            return False
        self._was_taken = False
        self._lock.leave()
        self._lock = lock
        return True

    def remember_us(self) -> None:
        """Writes down, once, that our package is the newest that was seen here, if it is."""
        if self._is_remembered or self.is_lost:
            return
        self._is_remembered = True
        us = upgrade.Package(self._about["version"], self._about["command"])
        known = upgrade.newest(self.folder)
        if known == us:
            return
        # The same command line with another version is a package that was replaced, by an older one perhaps: it is us.
        if known is None or known.command == us.command or not known.exists() or upgrade.is_newer(us.version, known.version):
            with contextlib.suppress(OSError):
                upgrade.remember(self.folder, us)

    def has_other_package(self) -> bool:
        """Whether the files that we were started from have been replaced: what we import from now on would not fit to us."""
        return _stamp() not in (None, self._package)

    def leave(self) -> None:
        """Removes what is ours and frees the lock."""
        self.listener.remove()
        with contextlib.suppress(OSError):
            self.listener.socket.close()
        if not self.is_lost:
            logs.tidy(self.folder)
        self._lock.release()


def _stamp() -> tuple[int, ...] | None:
    """Another one once the package was installed anew; None while it is not there."""
    try:
        status = os.stat(boruna_ls.__file__)
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
