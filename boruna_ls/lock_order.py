"""The locks of a process that serves clients, and the one order in which a thread may take them.

`ORDER` lists them, outermost first: a thread that holds a lock takes only locks further down. With the environment variable
`BORUNA_LS_CHECK_LOCKS` (the tests set it) every lock records what its thread holds and raises `LockOrderError` where that
rule is broken, before anything can block; without it they are the locks of `threading`. Only the query database has a lock of its
own (`analysis/database/gate.py`): it is held for moments, and nothing is locked under it.

Who holds a lock of `WITHOUT_DISK` does not touch the disk, which may hang: that is checked likewise. If the variable is a path,
each broken rule is noted there, too: in a background thread an exception alone is easily overlooked.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    Lock = threading.RLock

VARIABLE: Final = "BORUNA_LS_CHECK_LOCKS"
LEAF: Final = "leaf"
ORDER: Final = (
    *("imports", "shared", "snapshot", "host", "watching", "worker", "budget", "executions", "workflows"),
    *("sandboxes", "zygote", "channel", "pools", "pool", "run", "effects", "store", LEAF, "classes"),
)
"""`imports`: the import of views. `shared`: a service of the process that is made at its first use. `snapshot`, `host`: texts and
what is known of the disk. `watching`: users of the watched roots. `worker`: the queue of the analysis thread. `budget`: what
clients use. `executions`, `workflows`: drives under way. `sandboxes`, `zygote`, `channel`: isolated environments and connections
to them. `pools`, `pool`, `run`: worker processes. `effects`: the effects of a run. `store`: a database. `leaf`: see `leaf`.
`classes`: message classes of a library that are completed at their first use.
"""


WITHOUT_DISK: Final = frozenset({"snapshot", "host", "watching", "worker"})
"""Locks that a keystroke may wait for."""
_READS: Final = frozenset({"open", "os.listdir", "os.scandir"})
"""Events of the interpreter (`sys.audit`) that touch the disk."""
_CODE: Final = (".py", ".pyc", ".so", ".pyd")
"""Ends of names of code: the disk that we are installed on is the one that must not hang."""


class LockOrderError(AssertionError):
    """A thread took a lock against the order, or waited for others or for the disk while it held one."""


class _Held(threading.local):
    """The names of the locks that a thread holds, in the order it took them."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.is_reporting = False


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
        _refuse(f"{action} while the lock {_held.names[-1]!r} is held")


def expect_no_wait_for_disk(path: str) -> None:
    """Raises LockOrderError if this thread holds a lock that a keystroke may wait for."""
    for name in _held.names:
        if name in WITHOUT_DISK and not _held.is_reporting:
            _refuse(f"{path!r} is read while the lock {name!r} is held: ask the look before (`workspace.jobs.locked`)")


def _refuse(message: str) -> NoReturn:
    if os.sep in (notes := os.environ.get(VARIABLE, "")):
        import traceback

        _held.is_reporting = True
        with suppress(OSError), open(notes, "a", encoding="utf-8") as file:
            file.write(f"{message}\n{''.join(traceback.format_stack(limit=12))}\n")
        _held.is_reporting = False
    raise LockOrderError(message)


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if event in _READS and _held.names and not _held.is_reporting:
        path = arguments[0]
        # A number is a file that is open already.
        if isinstance(path, str | bytes | os.PathLike) and not os.fsdecode(path).endswith(_CODE):
            expect_no_wait_for_disk(os.fsdecode(path))


@cache
def watch_reads() -> None:
    """Has reads of the disk under a lock refused from now on; done at the import where the variable is set by then."""
    sys.addaudithook(_audit)


if os.environ.get(VARIABLE):
    watch_reads()


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
                    _refuse(f"the lock {self._name!r} was taken while {name!r} is held: see lock_order.ORDER")
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
