"""The process beside ours that holds the connections to servers (`service.py`): started at the first call, again after its end.

Whatever servers send is read, parsed and validated there, at a lower priority, and so are their tools listed and stored. Our
process, where a user types, gets one line for each call, and one when the tools of a server have changed.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import queue
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any, Final

from analysis.bytecode.axbc import constant_from_json
from analysis.bytecode.module import Constant
from analysis.semantics.tools.modules import CAPABILITY
from boruna_ls.runtime.errors import CapabilityDenied
from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.upstream.request import Refused, Request
from boruna_ls.wire.lines import lined

IDLE: Final = 900.0
"""Seconds without a call after which the process is ended; its connections were closed before."""
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 60.0
_TOGETHER: Final = 0.1
"""Seconds for which changes of tools are gathered."""
_FLAGS: Final[int] = getattr(subprocess, "CREATE_NO_WINDOW", 0)
_ENDED: Final = "the process that calls servers has ended"
_log = logging.getLogger(__name__)


class Keeper:
    """All of it runs on the loop of the effect broker, but for `tell`, `close` and the threads at the pipes."""

    def __init__(self) -> None:
        self._starting = asyncio.Lock()
        self._process: _Process | None = None
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._numbers = itertools.count(1)
        self._listeners: list[weakref.WeakMethod[Callable[[str], None]]] = []
        self._changed: set[str] = set()
        """The workspaces in which the tools of a server have changed, which was not told yet."""
        self._telling: asyncio.Task[None] | None = None
        self._pause = 0.0
        self._not_before = 0.0
        self._idle: asyncio.TimerHandle | None = None
        self.let_pass: Callable[[], None] = lambda: None
        """Called on the thread that reads answers, before each."""

    def tell(self, listener: Callable[[str], None]) -> None:
        """From now on a method is called, on any thread, with each workspace in which the tools of a server have changed."""
        if all(reference() != listener for reference in self._listeners):
            self._listeners.append(weakref.WeakMethod(listener))

    @property
    def pid(self) -> int | None:
        """The number of the process, None if there is none."""
        return self._process.pid if self._process is not None else None

    async def answered(self, request: Request) -> Constant:
        """A server's answer. Raises Refused, CapabilityDenied, HandlerFailure."""
        process = await self._running()
        number = next(self._numbers)
        waiting = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            process.send({"id": number, "call": request.as_json()})
            answer = await waiting
        except asyncio.CancelledError:
            process.send({"id": number})
            raise
        finally:
            del self._waiting[number]
            self._rest()
        if "refused" in answer:
            raise Refused(answer["refused"])
        if "denied" in answer:
            raise CapabilityDenied(CAPABILITY, answer["denied"])
        if "failure" in answer:
            raise HandlerFailure(answer["failure"])
        return constant_from_json(answer["value"])

    def close(self) -> None:
        """Ends the process, from any thread."""
        if (process := self._process) is not None:
            process.end()

    async def _running(self) -> _Process:
        async with self._starting:
            if self._idle is not None:
                self._idle.cancel()
            if self._process is None:
                if (wait := self._not_before - time.monotonic()) > 0:
                    raise Refused(f"{_ENDED}; it is started again in {wait:.0f} s")
                loop = asyncio.get_running_loop()
                try:
                    self._process = await asyncio.to_thread(_Process, loop, self._took, self._died, lambda: self.let_pass())
                except OSError as error:
                    self._wait_longer()
                    raise Refused(f"the process that calls servers cannot be started: {error.strerror or error}") from None
            return self._process

    def _took(self, message: dict[str, Any]) -> None:
        if "listed" in message:
            self._changed.add(message["listed"])
            if self._telling is None or self._telling.done():
                self._telling = asyncio.create_task(self._tell())
            return
        self._pause = 0.0
        waiting = self._waiting.get(message["id"])
        if waiting is not None and not waiting.done():
            waiting.set_result(message)

    async def _tell(self) -> None:
        """Tells of changes, one after the other: threads that read tools at the same time keep the interpreter from a key."""
        while self._changed:
            # Several servers of a workspace are often listed at once, and what has changed of all is read together.
            await asyncio.sleep(_TOGETHER)
            changed, self._changed = self._changed, set()
            for reference, workspace in itertools.product(list(self._listeners), sorted(changed)):
                if (listener := reference()) is not None:
                    try:
                        await asyncio.to_thread(listener, workspace)
                    except Exception:
                        _log.exception("the tools of servers could not be read")
                elif reference in self._listeners:
                    self._listeners.remove(reference)

    def _died(self, process: _Process) -> None:
        if self._process is not process:
            return
        self._process = None
        self._wait_longer()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(Refused(_ENDED))

    def _wait_longer(self) -> None:
        """Restart at once after the first end; a process that answers nothing is started less and less often."""
        self._not_before = time.monotonic() + self._pause
        self._pause = min(_LONGEST_PAUSE, 2 * self._pause or _FIRST_PAUSE)

    def _rest(self) -> None:
        if not self._waiting:
            if self._idle is not None:
                self._idle.cancel()
            self._idle = asyncio.get_running_loop().call_later(IDLE, self._end_idle)

    def _end_idle(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.end()


class _Process:
    """The process and the threads at its pipes: the loop waits for neither."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        took: Callable[[dict[str, Any]], None],
        died: Callable[[_Process], None],
        let_pass: Callable[[], None],
    ) -> None:
        self._loop = loop
        self._let_pass = let_pass
        self._took = took
        self._died = died
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "boruna_ls.upstream.service"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # A signal from the terminal is for us.
            start_new_session=True,
            creationflags=_FLAGS,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self.pid = process.pid
        threading.Thread(target=self._write, args=(process.stdin,), name="servers-out", daemon=True).start()
        threading.Thread(target=self._read, args=(process.stdout,), name="servers-in", daemon=True).start()

    def send(self, message: dict[str, Any]) -> None:
        """Send a message without waiting until it is read."""
        self._lines.put(lined(json.dumps(message).encode()))

    def end(self) -> None:
        """Ask the process to close its connections and end."""
        self._lines.put(None)

    def _write(self, stdin: IO[bytes]) -> None:
        with suppress(OSError, ValueError):
            while (line := self._lines.get()) is not None:
                stdin.write(line)
                stdin.flush()
        with suppress(OSError):
            stdin.close()

    def _read(self, stdout: IO[bytes]) -> None:
        with suppress(RuntimeError):  # the loop has ended
            for line in stdout:
                self._let_pass()
                self._loop.call_soon_threadsafe(self._took, json.loads(line))
            self._loop.call_soon_threadsafe(self._died, self)
        stdout.close()
        self.end()
        self._process.wait()


_shared: Final = Keeper()


def shared_keeper() -> Keeper:
    """The keeper of this process."""
    return _shared
