"""The process that holds the connections to servers for a process in which a user types: `python -m boruna_ls.upstream.service`.

Requests are lines of JSON on standard input (`id` with `call`, or alone to cancel it). Answers are lines on standard output, so
are the workspaces in which the tools of a server have changed (`listed`). `keeper.py` starts it. It ends with its parent.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import queue
import sys
import threading
from typing import IO, Any, Final

from analysis.bytecode.axbc import constant_to_json
from boruna_ls.isolation.memory import limit_memory
from boruna_ls.isolation.priority import SESSION, give_way, lower_session
from boruna_ls.library_models import late_pydantic
from boruna_ls.runtime.errors import CapabilityDenied
from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.upstream.request import Refused, Request
from boruna_ls.wire.lines import lined

with late_pydantic():
    # The first call of a tool waits for the start of this process.
    from boruna_ls.upstream.calling import answered
    from boruna_ls.upstream.servers import shared_servers

_PRIORITY: Final = 5
"""Steps (`nice`) by which this process comes after the one where a user types."""
MEMORY: Final = 2 << 30
"""Bytes of data, for all connections. Without them a call fails, or the process ends and is started again."""
_STACK: Final = 1 << 20
"""Bytes of a thread's stack: each server has three threads."""
_PATIENCE: Final = 10.0
"""Seconds in which the connections are closed at the end."""
_log = logging.getLogger(__name__)


class Service:
    """Answers calls until standard input ends."""

    def __init__(self) -> None:
        self._out = os.fdopen(os.dup(1), "wb")
        # What else is printed is no message.
        os.dup2(2, 1)
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._calls: dict[int, asyncio.Task[None]] = {}
        threading.Thread(target=self._write, daemon=True).start()

    async def serve(self) -> None:
        """Until the end of standard input."""
        requests: asyncio.Queue[bytes] = asyncio.Queue()
        source = os.fdopen(os.dup(0), "rb")
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        threading.Thread(target=_read, args=(source, asyncio.get_running_loop(), requests), daemon=True).start()
        shared_servers().tell(self.listed)
        while line := await requests.get():
            self._take(json.loads(line))
        for task in list(self._calls.values()):
            task.cancel()
        with contextlib.suppress(Exception):
            async with asyncio.timeout(_PATIENCE):
                await shared_servers().close()

    def listed(self, workspace: str) -> None:
        """Report that the tools of a server of a workspace have changed."""
        self._send({"listed": workspace})

    def _take(self, message: dict[str, Any]) -> None:
        number = int(message["id"])
        if "call" not in message:
            if (task := self._calls.get(number)) is not None:
                task.cancel()
            return
        task = self._calls[number] = asyncio.create_task(self._answer(number, message["call"]))
        task.add_done_callback(lambda _: self._calls.pop(number, None))

    async def _answer(self, number: int, call: dict[str, Any]) -> None:
        answer: dict[str, Any]
        try:
            answer = {"value": constant_to_json(await answered(Request.of_json(call)))}
        except Refused as error:
            answer = {"refused": str(error)}
        except CapabilityDenied as denied:
            answer = {"denied": denied.message}
        except HandlerFailure as failure:
            answer = {"failure": str(failure)}
        except Exception as error:
            # An internal error is an answer, not the end of all connections.
            _log.exception("a call of a server failed")
            answer = {"failure": f"internal error: {type(error).__name__}"}
        self._send({"id": number, **answer})

    def _send(self, message: dict[str, Any]) -> None:
        self._lines.put(lined(json.dumps(message).encode()))

    def _write(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self._out.write(self._lines.get())
                self._out.flush()


def _read(source: IO[bytes], loop: asyncio.AbstractEventLoop, requests: asyncio.Queue[bytes]) -> None:
    with contextlib.suppress(RuntimeError):
        for line in source:
            loop.call_soon_threadsafe(requests.put_nowait, line)
        loop.call_soon_threadsafe(requests.put_nowait, b"")


def main() -> int:
    """Serves the process that started this one."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    give_way(0, _PRIORITY)
    lower_session(0, SESSION)
    threading.stack_size(_STACK)
    limit_memory(MEMORY)
    asyncio.run(Service().serve())
    # Threads at the pipes of servers that do not end block no other thread.
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
