"""Disks that may hang: whether the mount that holds a path answers now.

A system call to a network disk whose server does not respond does not return and cannot be interrupted. So a separate thread
first asks such a disk for its state, and each call is made on such a thread (`bounded.py`); a disk that has not
answered within a second is not used until it does.
Local disks (by the type in the mount table of Linux; elsewhere all disks) are never asked.
"""

from __future__ import annotations

import errno
import os
import select
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final, Generic, TypeVar

from boruna_ls.lock_order import expect_no_wait_for_disk

T = TypeVar("T")

SILENT: Final = "its disk does not answer"
"""Reason given for a file that is not read because its disk does not respond."""
LONGEST: Final = 1.0
"""Seconds that a disk has to answer."""
_GLANCE: Final = 0.005
"""Seconds after which a thread that waits for a disk checks whether it must yield."""
_FRESH: Final = 1.0
"""Seconds for which an answer is valid."""
_TABLE: Final = "/proc/self/mountinfo"
_TABLE_FRESH: Final = 2.0
"""Seconds for which a table is valid if the system does not report changes of it."""
_UNASKED: Final = 0.01
"""Seconds for which it is valid if the system does: asking lets other threads run first."""
_LOCAL: Final = frozenset(
    """
    bcachefs binfmt_misc bpf btrfs cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs erofs exfat ext2 ext3 ext4
    f2fs fusectl hfs hfsplus hugetlbfs iso9660 jfs mqueue msdos nsfs ntfs ntfs3 overlay proc pstore ramfs reiserfs
    rootfs rpc_pipefs securityfs squashfs sysfs tmpfs tracefs udf ufs vfat xfs zfs
    """.split()
)


class _Question(Generic[T]):
    """A question to a disk, and the thread that waits for the answer."""

    def __init__(self, mount: str, ask: Callable[[], T]) -> None:
        self.since = time.monotonic()
        self.answered = threading.Event()
        self.is_reported = False
        self._ask = ask
        self._result: T | None = None
        self._error: BaseException | None = None
        threading.Thread(target=self._wait, name=f"disk {mount}", daemon=True).start()

    def _wait(self) -> None:
        try:
            self._result = self._ask()
        except BaseException as error:
            self._error = error
        self.since = time.monotonic()
        self.answered.set()

    def result(self) -> T:
        """The answer. Raises the exception that the question raised."""
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]


def _state_of(mount: str) -> None:
    """Asks a disk whether it responds."""
    # A refusal is also an answer.
    with suppress(OSError):
        if sys.platform != "win32":
            os.statvfs(mount)
    # The state may be cached locally; only the server knows whether a file of an unused name exists.
    with suppress(OSError):
        os.lstat(os.path.join(mount, f".boruna-ls-{os.urandom(8).hex()}"))


class _Waiting(threading.local):
    """How this thread waits; `pause` is called meanwhile, and may raise to give up."""

    pause: Callable[[], None] | None = None


_waiting: Final = _Waiting()


@contextmanager
def giving_way(pause: Callable[[], None]) -> Iterator[None]:
    """While the block runs, this thread calls `pause` while it waits for a disk. No lock may be held."""
    before, _waiting.pause = _waiting.pause, pause
    try:
        yield
    finally:
        _waiting.pause = before


def give_way_by_default(pause: Callable[[], None]) -> None:
    """The same from now on, for a thread that runs only jobs, where no other rule is set."""
    if _waiting.pause is None:
        _waiting.pause = pause


class Mounts:
    """The mounts of this system. May be asked from any thread."""

    def __init__(self) -> None:
        self._table: dict[str, bool] = {}
        """True for mount points that may hang."""
        self._may_hang = False
        self._watch = _TableWatch()
        self._questions: dict[str, _Question[Any]] = {}
        """The last question to each disk, or the one that timed out."""

    def answers(self, path: str) -> bool:
        """True if the disk that holds an absolute path without links responds; waits at most LONGEST for it."""
        mount = self._doubtful(path)
        return mount is None or self._answers(mount)

    def silent(self) -> list[str]:
        """The mounts that did not answer when they were asked last."""
        now = time.monotonic()
        return sorted(
            mount
            for mount, asked in list(self._questions.items())
            if not asked.answered.is_set() and now - asked.since >= LONGEST
        )

    def call(self, path: str, operation: Callable[[str], T]) -> T:
        """Returns or raises what an operation on an absolute path without links does; TimeoutError if its disk does not respond.

        A call that may hang runs on its own thread: a disk can stop responding just after it has responded.
        """
        mount = self._doubtful(path)
        if mount is None:
            return operation(path)
        if not self._answers(mount):
            raise TimeoutError(errno.ETIMEDOUT, SILENT)
        asked = _Question(mount, partial(operation, path))
        if not self._is_answered(mount, asked, LONGEST):
            self._questions[mount] = asked
            self._report(mount, asked)
            raise TimeoutError(errno.ETIMEDOUT, SILENT)
        return asked.result()

    def _answers(self, mount: str) -> bool:
        now, asked = time.monotonic(), self._questions.get(mount)
        if asked is None or (asked.answered.is_set() and now - asked.since > _FRESH):
            asked = self._questions[mount] = _Question(mount, partial(_state_of, mount))
        if self._is_answered(mount, asked, max(LONGEST - (now - asked.since), 0.0)):
            return True
        self._report(mount, asked)
        return False

    def _is_answered(self, mount: str, asked: _Question[Any], seconds: float) -> bool:
        """Waits `seconds` for an answer."""
        if _waiting.pause is None:
            return asked.answered.wait(seconds)
        ends = time.monotonic() + seconds
        while not asked.answered.wait(min(max(ends - time.monotonic(), 0.0), _GLANCE)):
            if time.monotonic() >= ends:
                return False
            # A caller that returns waits only for the rest of the second.
            self._questions[mount] = asked
            _waiting.pause()
        return True

    def _report(self, mount: str, asked: _Question[Any]) -> None:
        if not asked.is_reported:
            asked.is_reported = True
            import logging  # now: a check on the command line does not wait for it

            logging.getLogger(__name__).warning("the disk at %s does not answer: files on it are not read until it does", mount)

    def _doubtful(self, path: str) -> str | None:
        """The mount that holds a path, if it may hang."""
        expect_no_wait_for_disk(path)
        if self._watch.has_changed():
            self._table = _read_table()
            self._may_hang = any(self._table.values())
        if not self._may_hang:
            return None
        while path not in self._table:
            above = os.path.dirname(path)
            if above == path:
                return None
            path = above
        return path if self._table[path] else None


class _TableWatch:
    """Whether the mount table may have changed since the last call. Linux reports changes; elsewhere a time limit decides."""

    def __init__(self) -> None:
        self._events: Any = None
        self._asked_at: float | None = None

    def has_changed(self) -> bool:
        now, before = time.monotonic(), self._asked_at
        if before is not None and now - before <= (_TABLE_FRESH if self._events is None else _UNASKED):
            return False
        self._asked_at = now
        if before is None:
            self._watch()
            return True
        if self._events is None:
            return True
        try:
            return bool(self._events.poll(0))
        except OSError:
            # The descriptor was closed elsewhere.
            self._events = None
            return True

    def _watch(self) -> None:
        """Called at the first question, not earlier: a process that becomes a daemon closes its open files."""
        # Without descriptors or such a table, the time limit decides.
        with suppress(OSError, AttributeError):
            events = select.epoll()  # type: ignore[attr-defined, unused-ignore]
            table = os.open(_TABLE, os.O_RDONLY)
            events.register(table, select.EPOLLPRI | select.EPOLLERR)  # type: ignore[attr-defined, unused-ignore]
            self._events = events


def _read_table() -> dict[str, bool]:
    """Mount points and whether their type may hang; empty if there is no such table."""
    mounts = {}
    try:
        with open(_TABLE, encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                fields, _, source = line.partition(" - ")
                # Spaces and similar characters are written as octal numbers there.
                point = fields.split()[4].encode("utf-8", "surrogateescape").decode("unicode_escape")
                mounts[point.encode("latin-1").decode("utf-8", "surrogateescape")] = source.split()[0] not in _LOCAL
    except (OSError, IndexError, UnicodeError):
        return mounts
    return mounts


MOUNTS: Final = Mounts()
