"""All sandboxes of this process: created, found by their principals, ended when idle and when the process ends.

A sandbox belongs to the principal that created it, and is invisible to others. `shared_sandboxes()` is the way in.
"""

from __future__ import annotations

import atexit
import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from boruna_ls import lock_order
from boruna_ls.sandbox.backend import MIB, Backend, Network, NotFound, SandboxError, Spec
from boruna_ls.sandbox.backends import chosen
from boruna_ls.sandbox.box import Box
from boruna_ls.sandbox.settings import LANGUAGES, ReadSettings, Settings, read

OVERALL: Final = 4
"""So many times the sandboxes of one principal may live at once."""
_LOOK: Final = 1.0
_REMEMBERED: Final = 256
"""Sandboxes that have ended whose reason is still known."""
_REST: Final = 60.0
"""Seconds without any sandbox after which nothing is kept ready for the next one."""
_EXCESS: Final = 2
"""So many times its limits a sandbox is seen to use from outside before it is ended as a whole: its own watch has failed then."""
_EXCESSES: Final = 10
"""Looks, one after the other, that must find that: what is only being ended is no excess; a busy machine takes long for it."""
_log = logging.getLogger(__name__)


class Sandboxes:
    """Living sandboxes, by id. May be used from any thread; `create` and `destroy` wait for processes."""

    def __init__(self, read_settings: ReadSettings | None = None, backend: Backend | None = None) -> None:
        self.read_settings = read_settings or read()
        self.backend = backend or chosen(self.read_settings.settings)
        self.threads: Final = ThreadPoolExecutor(16, "sandbox-calls")
        """Threads for calls that wait for a sandbox, so that they do not delay others."""
        self._boxes: dict[str, Box] = {}
        self._making: dict[str, int] = {}
        self._lock = lock_order.lock("sandboxes")
        self._ended: OrderedDict[str, tuple[str, str]] = OrderedDict()
        self._latest_made_at = 0.0
        """Time at which the latest sandbox was made."""
        self._closed = threading.Event()
        self._is_watched = False

    @property
    def settings(self) -> Settings:
        """Settings, read when the first sandbox was requested."""
        return self.read_settings.settings

    def spec(self, memory_mib: int | None = None, vcpu_count: int = 1, network: Network | None = None) -> Spec:
        """Specification of a sandbox; values that are not given come from the settings."""
        languages = {**LANGUAGES, **self.settings.languages}
        usable = {name: words for name, words in languages.items() if len(words) > 1}
        memory = memory_mib or self.settings.memory_mib
        return Spec(memory, vcpu_count, self.settings.disk_mib, network=network, languages=usable)

    def create(self, owner: str, spec: Spec, files: Mapping[str, str] | None = None, copy_of: Box | None = None) -> Box:
        """A new sandbox with these files, or those of another one. Raises SandboxError."""
        self._check_available()
        self._reserve(owner)
        try:
            name = f"sb-{secrets.token_hex(8)}"
            box = Box(name, owner, self.backend.start(spec), spec)
            try:
                box.begin()
                if copy_of is not None:
                    copy_of.copy_to(box)
                    box.before = dict(copy_of.before)
                for path, text in (files or {}).items():
                    box.write(path, text.encode("utf-8", "surrogatepass"))
                box.before |= files or {}
            except BaseException:
                box.destroy()
                raise
            with self._lock:
                if self._closed.is_set():
                    raise SandboxError("boruna-ls is stopping: call again in a moment")
                self._boxes[name] = box
        finally:
            with self._lock:
                self._making[owner] -= 1
        self._latest_made_at = time.monotonic()
        self._watch()
        return box

    def find(self, owner: str, name: str) -> Box:
        """A sandbox of this principal. Raises SandboxError, NotFound."""
        self._check_available()
        with self._lock:
            box = self._boxes.get(name)
            if box is not None and box.owner == owner and not box.ended:
                return box
            owned_by, reason = self._ended.get(name, ("", ""))
        if box is not None and box.owner == owner:
            owned_by, reason = owner, box.ended
        if owned_by == owner and reason:
            raise NotFound(name, f"{reason}. Make another one with create_sandbox")
        raise NotFound(name, "list_sandboxes shows yours, create_sandbox makes one")

    def of(self, owner: str) -> list[Box]:
        """Living sandboxes of a principal, the oldest first."""
        with self._lock:
            return [box for box in self._boxes.values() if box.owner == owner and not box.ended]

    def destroy(self, owner: str, name: str) -> None:
        """Ends one; when this returns its processes are dead and its files gone. Raises SandboxError."""
        self._remove(self.find(owner, name), "it was destroyed")

    @property
    def count(self) -> int:
        """Number of living sandboxes."""
        return len(self._boxes)

    def close(self) -> None:
        """Ends all."""
        self._closed.set()
        with self._lock:
            boxes, self._boxes = list(self._boxes.values()), {}
        for box in boxes:
            box.destroy()
        self.backend.close()
        self.threads.shutdown(wait=False, cancel_futures=True)

    def _check_available(self) -> None:
        if problem := self.backend.problem():
            raise SandboxError(f"Sandboxes are not available here: {problem}")

    # ---- making -------------------------------------------------------------------------------------------------

    def _reserve(self, owner: str) -> None:
        most = self.settings.max
        with self._lock:
            mine = sum(box.owner == owner for box in self._boxes.values()) + self._making.get(owner, 0)
            if mine >= most:
                raise SandboxError(f"{most} sandboxes already exist (BORUNA_SANDBOX_MAX): destroy one that you do not need")
            if len(self._boxes) + sum(self._making.values()) >= most * OVERALL:
                raise SandboxError(f"{most * OVERALL} sandboxes of all clients already exist: call again later")
            self._making[owner] = self._making.get(owner, 0) + 1

    # ---- watching -----------------------------------------------------------------------------------------------

    def _watch(self) -> None:
        with self._lock:
            if self._is_watched:
                return
            self._is_watched = True
        threading.Thread(target=self._look_after, name="sandboxes", daemon=True).start()

    def _look_after(self) -> None:
        while not self._closed.wait(_LOOK):
            try:
                self._look()
            except Exception:
                _log.exception("the supervision of sandboxes failed")

    def _look(self) -> None:
        now = time.monotonic()
        with self._lock:
            boxes = list(self._boxes.values())
        for box in boxes:
            if box.ended:
                self._remove(box, box.ended)
            elif not box.in_use and now - box.used > self.settings.idle_s:
                self._remove(box, f"it was idle for {self.settings.idle_s:g} s and was destroyed")
            elif (used := box.place.usage(most := (_EXCESS * box.spec.memory_mib + 128) * MIB)) is not None:
                memory = used[0] > most
                is_excess = memory or used[1] > _EXCESS * box.spec.processes
                box.excesses = box.excesses + 1 if is_excess else 0
                if box.excesses >= _EXCESSES:
                    self._remove(box, f"it used far more {'memory' if memory else 'processes'} than its limit and was destroyed")
        with self._lock:
            # No sandbox can be created meanwhile.
            if not self._boxes and not any(self._making.values()) and now - self._latest_made_at > _REST:
                self.backend.rest()

    def _remove(self, box: Box, reason: str) -> None:
        box.ended = box.ended or reason
        box.destroy()
        with self._lock:
            self._boxes.pop(box.name, None)
            self._ended[box.name] = (box.owner, reason)
            if len(self._ended) > _REMEMBERED:
                self._ended.popitem(last=False)


_shared: list[Sandboxes] = []
_shared_lock: Final = lock_order.lock("shared")


def shared_sandboxes() -> Sandboxes:
    """Sandboxes of this process; they end with it."""
    with _shared_lock:
        if not _shared:
            sandboxes = Sandboxes()
            _shared.append(sandboxes)
            atexit.register(sandboxes.close)
            try:
                sandboxes.backend.sweep()
            except OSError as error:
                _log.warning("the remains of earlier sandboxes could not be listed: %s", error)
        return _shared[0]


def close_sandboxes() -> None:
    """Ends the shared ones, if there are any."""
    with _shared_lock:
        if _shared:
            _shared.pop().close()


def living() -> int:
    """Number of living sandboxes of the shared manager; does not create one."""
    return _shared[0].count if _shared else 0
