"""Watches the disk under the workspaces in use, so that changes are known before the next request.

An optimisation: requests re-check the disk anyway. Each root has a thread that waits for events of
its folders, those that are ignored left out; where the system gives none (its limits, disks of the network, a root that is
gone) the same thread looks from time to time. What is to be read is read by jobs of the worker, when nothing else is to do.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Final, TypeVar

from analysis.database import Cancelled
from analysis.documents.file_names import is_known
from boruna_ls import bounded, lock_order
from boruna_ls.workspace.ignored import IGNORE_FILE
from boruna_ls.workspace.programs import SUFFIX
from boruna_ls.workspace.roots import SETTINGS_FILE
from boruna_ls.workspace.tool_servers import CONFIGURATION
from boruna_ls.workspace.turns import Priority

if TYPE_CHECKING:
    from boruna_ls.workspace.host import Host

T = TypeVar("T")
INTERVAL: Final = 2.0
"""Seconds between two looks at what no event tells: roots without events, and what lies above the roots."""
FOLDERS_LIMIT: Final = 8192
"""Folders of one root that are watched; the system allows a number for each user."""
_CHECK_MS: Final = 500
_STEP_MS: Final = 50
_DEBOUNCE_MS: Final = 400
_STORM: Final = 500
"""Changes at once after which all is looked at, and once more when it is quiet: the system may have dropped some."""
_RULES: Final = frozenset({SETTINGS_FILE, IGNORE_FILE, CONFIGURATION, ".git"})
_log = logging.getLogger(__name__)


class Watching:
    """The watched roots of a host. Threads run while there are users."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._users = 0
        # Lock order: host first. Code that holds this lock never calls the host.
        self._lock = lock_order.lock("watching")
        self._news = threading.Event()
        self._thread: threading.Thread | None = None
        self._roots: dict[str, _Root] = {}

    def use(self) -> None:
        """Count a user of the host."""
        with self._lock:
            self._users += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="disk", daemon=True)
                self._thread.start()

    def release(self) -> None:
        """Remove a user of the host; the last one ends the watching."""
        with self._lock:
            self._users -= 1
        self._news.set()

    def look(self) -> None:
        """Wake the watching thread: there may be another root to watch."""
        self._news.set()

    def state(self, root: str) -> str:
        """Detection of changes below a root: "events", "polled", or "" while unwatched."""
        watched = self._roots.get(root)
        return watched.state if watched is not None else ""

    def states(self) -> dict[str, str]:
        """The same for all roots."""
        return {root: watched.state for root, watched in list(self._roots.items())}

    def _work(self) -> None:
        """Starts and ends the watchers of roots, and polls files outside all roots."""
        roots: dict[str, _Root] = {}
        self._roots = roots
        while True:
            self._news.clear()
            with self._lock:
                if self._users <= 0:
                    # From here on another thread may begin, with roots of its own.
                    self._thread = None
                    break
            try:
                job(self._host, self._host.upkeep.settle)
                if self._host.upkeep.forget_idle():
                    self._host.retention.sweep()
            except Ended:
                break
            except Exception:
                _log.exception("a check of the disk failed")
            roots_in_use = self._host.upkeep.roots_in_use()
            for root in [root for root in roots if root not in roots_in_use]:
                roots.pop(root).stop()
            for root in roots_in_use:
                if root not in roots:
                    roots[root] = _Root(self._host, root)
            self._news.wait(INTERVAL)
        for watched in roots.values():
            watched.stop()
        roots.clear()


class Ended(Exception):
    """The host computes no more."""


def job(host: Host, work: Callable[[], T]) -> T:
    """Run `work` when the worker is idle, and wait for its end. Raises Ended."""
    try:
        future = host.worker.submit(work, Priority.BACKGROUND)
    except RuntimeError as error:
        raise Ended from error
    try:
        return future.result()
    except (CancelledError, Cancelled) as error:
        raise Ended from error


class _Root:
    """One root and its thread."""

    def __init__(self, host: Host, root: str) -> None:
        self.state = ""
        self._host = host
        self._root = root
        self._stopped = threading.Event()
        threading.Thread(target=self._work, name=f"disk {os.path.basename(root)}", daemon=True).start()

    def stop(self) -> None:
        """Ends the thread soon."""
        self._stopped.set()

    def _work(self) -> None:
        pause = INTERVAL
        while not self._stopped.is_set():
            try:
                folders = job(self._host, self._folders)
                if 0 < len(folders) <= FOLDERS_LIMIT and self._wait_for_events(folders):
                    continue
                self.state = "polled"
                self._stopped.wait(pause)
                begun = time.monotonic()
                self._look_over()
                # A large workspace is looked at less often: at most a tenth of the time.
                pause = max(INTERVAL, 10 * (time.monotonic() - begun))
            except Ended:
                return
            except Exception:
                _log.exception("a check of %s failed", self._root)
                self._stopped.wait(INTERVAL)

    def _wait_for_events(self, folders: tuple[str, ...]) -> bool:
        """Reads what changes in some folders until there are others; False if the system gives no events."""
        try:
            from watchfiles import watch
        except ImportError:
            return False
        identity = _identity(self._root)
        watched = set(folders)
        events = watch(
            *folders,
            watch_filter=None,
            recursive=False,
            stop_event=self._stopped,
            rust_timeout=_CHECK_MS,
            yield_on_timeout=True,
            step=_STEP_MS,
            debounce=_DEBOUNCE_MS,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )
        # At first everything is looked at: what happened while the watch was set up, no event tells.
        is_uncertain = True
        while True:
            try:
                changes = next(events, None)
            except Exception as error:
                # The library has exceptions of its own beside those of the system, whose limits it meets.
                _log.info("no events for %s: %s", self._root, error)
                return False
            if changes is None:
                return True
            if _identity(self._root) != identity:
                return False
            if is_uncertain or len(changes) > _STORM:
                is_uncertain = len(changes) > _STORM
                job(self._host, self._host.upkeep.settle)
                self._look_over()
            elif changes:
                self._take([path for _, path in changes], watched)
            else:
                continue
            if set(job(self._host, self._folders)) != watched:
                return True
            self.state = "events"

    def _folders(self) -> tuple[str, ...]:
        return self._host.upkeep.programs(self._root).folders

    def _take(self, paths: list[str], watched: set[str]) -> None:
        """Reads what events name; folders and rules that come and go concern everything."""
        if any(path in watched or os.path.basename(path) in _RULES or bounded.is_folder(path) for path in paths):
            job(self._host, self._host.upkeep.settle)
            self._look_over()
        elif programs := [path for path in paths if path.endswith(SUFFIX) or is_known(path)]:
            self._read(programs)
            job(self._host, self._folders)

    def _look_over(self) -> None:
        """Looks at everything that is known of the root."""
        job(self._host, self._folders)
        self._read(self._host.upkeep.read_paths(self._root))

    def _read(self, paths: list[str]) -> None:
        ahead, todo = set(filter(self._host.upkeep.read_ahead, paths)), deque(paths)

        def read() -> None:
            # A job that had to let others go first goes on where it was.
            while todo:
                self._host.checkpoint()
                path = todo[0]
                if path not in ahead and self._host.upkeep.is_known(self._host.canonical(path)):
                    return
                self._host.upkeep.look_again(path)
                todo.popleft()

        job(self._host, read)
        while todo:
            # Somebody has asked for it meanwhile: it is read ahead, too.
            ahead.add(todo[0])
            self._host.upkeep.read_ahead(todo[0])
            job(self._host, read)


def _identity(root: str) -> tuple[int, int] | None:
    try:
        status = bounded.status(root)
    except OSError:
        return None
    return status.st_dev, status.st_ino
