"""The locks of a process that serves clients, and the one order in which a thread may take them.

`ORDER` lists them, outermost first: a thread that holds a lock takes only locks further down. With the environment variable
`BORUNA_LS_CHECK_LOCKS` (the tests set it) every lock records what its thread holds and raises `LockOrderError` where that
rule is broken, before anything can block; without it they are the locks of `threading`. Only the query database has a lock of its
own (`analysis/database/gate.py`): it is held for moments, and nothing is locked under it.
"""

from __future__ import annotations

import os
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    Lock = threading.RLock

VARIABLE: Final = "BORUNA_LS_CHECK_LOCKS"
LEAF: Final = "leaf"
ORDER: Final = (
    *("imports", "shared", "snapshot", "host", "watching", "worker", "budget", "executions", "workflows"),
    *("sandboxes", "zygote", "channel", "pools", "pool", "run", "effects", "store", LEAF),
)
"""`imports`: the import of views. `shared`: a service of the process that is made at its first use. `snapshot`, `host`: texts and
what is known of the disk. `watching`: users of the watched roots. `worker`: the queue of the analysis thread. `budget`: what
clients use. `executions`, `workflows`: drives under way. `sandboxes`, `zygote`, `channel`: isolated environments and connections
to them. `pools`, `pool`, `run`: worker processes. `effects`: the effects of a run. `store`: a database. `leaf`: see `leaf`.
"""


class LockOrderError(AssertionError):
    """A thread took a lock against the order, or waited for others while it held one."""


class _Held(threading.local):
    """The names of the locks that a thread holds, in the order it took them."""

    def __init__(self) -> None:
        self.names: list[str] = []


_held: Final = _Held()


def lock(name: str) -> Lock:
    """A new re-entrant lock with a place in `ORDER`."""
    plain = threading.RLock()
    return CheckedLock(name, plain) if os.environ.get(VARIABLE) else plain  # type: ignore[return-value]


def leaf() -> Lock:
    """A new re-entrant lock that guards some data for a moment: who holds it takes no other lock."""
    return lock(LEAF)


def expect_none_held(action: str) -> None:
    """Raises LockOrderError if this thread holds a lock; for actions during which others must be able to go on."""
    if _held.names:
        raise LockOrderError(f"{action} while the lock {_held.names[-1]!r} is held")


class CheckedLock:
    """A lock of `threading` that keeps to `ORDER`. Two locks of one name (two hosts) may not be held at once."""

    def __init__(self, name: str, inner: Lock) -> None:
        self._name = name
        self._rank = ORDER.index(name)
        self._inner = inner
        self._depth = 0
        """Number of times that the holding thread has acquired the lock."""

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        if not self._is_owned():
            for name in _held.names:
                if ORDER.index(name) >= self._rank:
                    raise LockOrderError(f"the lock {self._name!r} was taken while {name!r} is held: see lock_order.ORDER")
        if not self._inner.acquire(blocking, timeout):
            return False
        self._depth += 1
        if self._depth == 1:
            _held.names.append(self._name)
        return True

    def release(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            _held.names.remove(self._name)
        self._inner.release()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.release()

    # `threading.Condition` uses these where a lock has them.

    def _is_owned(self) -> bool:
        return self._inner._is_owned()  # type: ignore[attr-defined, no-any-return]

    def _release_save(self) -> tuple[int, object]:
        depth, self._depth = self._depth, 0
        _held.names.remove(self._name)
        return depth, self._inner._release_save()  # type: ignore[attr-defined]

    def _acquire_restore(self, state: tuple[int, object]) -> None:
        depth, inner = state
        self._inner._acquire_restore(inner)  # type: ignore[attr-defined]
        self._depth = depth
        _held.names.append(self._name)
