"""Right to compute: one thread at a time for a database and all its branches, writers before readers.

With `checkpoints.py` the only place under `analysis/` that knows about threads.  A thread that wants to set an input makes the
running computation notice (every fast path fails from then on), waits for it to leave, and goes next.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING
from weakref import WeakSet

from analysis.database.debris import Debris
from analysis.database.memo import CANCELLED

if TYPE_CHECKING:
    from analysis.database.engine import Database

get_ident = threading.get_ident


class Gate:
    """A lock with an owner that is read without locking: only the owner itself can find its own identity there."""

    __slots__ = ("_cancelling", "_writers", "branches_made", "debris", "load", "lock", "members", "owner", "queue_sweep")

    def __init__(self) -> None:
        self.owner: int | None = None
        """`threading.get_ident()` of the thread that computes or writes."""
        self.members: WeakSet[Database] = WeakSet()
        """A root database and its living branches."""
        self.lock = threading.Condition(threading.Lock())
        """Guards this object itself, for moments; never held while a query runs."""
        self.branches_made = 0
        """Number of branches made so far."""
        self.debris = Debris()
        """Large answers that were evicted, and are still to be freed."""
        self.queue_sweep: Callable[[], None] | None = None
        self.load: Callable[[str], None] | None = None
        """Called when the root has something to evict, if that is done in turns of its own (`Database.defer_sweeps`)."""
        self._writers = 0
        self._cancelling = False

    def enter(self) -> None:
        """Wait for the turn to compute.  The caller must not be the owner already."""
        me = get_ident()
        with self.lock:
            while self.owner is not None or self._writers:
                self.lock.wait()
            self.owner = me

    def enter_to_write(self, database: Database) -> None:
        """Wait for the turn to write to `database`, cancelling what runs.

        A write to the root cancels everything, so that a keystroke never waits for a branch; a write to a
        branch cancels only that branch and otherwise waits for its turn.
        """
        me = get_ident()
        with self.lock:
            self._writers += 1
            try:
                for member in [database] if database.is_branch else list(self.members):
                    member._now = CANCELLED
                while self.owner is not None:
                    self.lock.wait()
                self.owner = me
            finally:
                self._writers -= 1
                if self.owner != me:
                    self._reopen()

    def leave(self) -> None:
        with self.lock:
            self.owner = None
            self._cancelling = False
            self._reopen()
            self.lock.notify_all()

    def cancel(self) -> None:
        """Make the computation that runs now, if any, stop at its next query call.

        A yielding database may be signalled between two computations: then it yields in the next one.
        """
        with self.lock:
            if self.owner is not None:
                self._cancelling = True
            for member in list(self.members):
                if self.owner is not None or member._give_way is not None:
                    member._now = CANCELLED

    def make_way(self) -> None:
        """Make computations with `give_way` yield at their next query call; no other one stops."""
        with self.lock:
            for member in list(self.members):
                if member._give_way is not None:
                    member._now = CANCELLED

    def reopen(self, database: Database) -> None:
        """Let the fast path see the revision of `database` again, unless it has to stop or yield."""
        with self.lock:
            if database._give_way is not None and database._now == CANCELLED:
                return
            if not self._writers and not self._cancelling:
                database._now = database._visible_revision()

    def _reopen(self) -> None:
        if not self._writers and not self._cancelling:
            for member in list(self.members):
                member._now = member._visible_revision()
