"""The daemon's end of the socket to a sandbox: requests go out, a thread reads what comes back.

Once code of others has run inside, whatever arrives may be made by it: each message must belong to a request, has bounded parts,
and a request can bring only so much. What breaks that ends the sandbox.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final

from analysis.data_classes import dataclass, field
from boruna_ls import lock_order
from boruna_ls.sandbox.backend import SandboxError
from boruna_ls.sandbox.messages import MOST_BODY, Malformed, Messages, packed

MOST_OPEN: Final = 64
"""Requests that wait for an answer at once."""
MOST_DESCRIPTORS: Final = 3
_SEND_PATIENCE: Final = 10
_MOST_ENTRIES: Final = 200_000
Part = Callable[[dict[str, Any], bytes], None]


class Gone(SandboxError):
    """The sandbox has ended, or what it sent cannot be believed."""


class Reply:
    """An answer of the first process; its fields are checked as they are read. Raises Malformed."""

    def __init__(self, header: dict[str, Any], body: bytes) -> None:
        self._header = header
        self.body = body

    def integer(self, name: str, most: int = 1 << 50, least: int = 0) -> int:
        """A whole number."""
        value = self._header.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise Malformed(f"{name} is no number")
        return value

    def number(self, name: str) -> float:
        """A number that is not negative."""
        value = self._header.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 1e15:
            raise Malformed(f"{name} is no number")
        return float(value)

    def text(self, name: str, most: int = 4096) -> str:
        """A text."""
        value = self._header.get(name)
        if not isinstance(value, str):
            raise Malformed(f"{name} is no text")
        return value[:most]

    def flag(self, name: str) -> bool:
        """True or false."""
        return self._header.get(name) is True

    def items(self, name: str, most: int) -> list[Any]:
        """A list."""
        value = self._header.get(name)
        if not isinstance(value, list) or len(value) > most:
            raise Malformed(f"{name} is no list")
        return value

    def sizes(self, name: str) -> tuple[int, int]:
        """Two whole numbers."""
        pairs = self.items(name, 2)
        if len(pairs) != 2 or not all(type(number) is int and 0 <= number < 1 << 60 for number in pairs):
            raise Malformed(f"{name} are no two numbers")
        return pairs[0], pairs[1]


@dataclass(slots=True)
class _Open:
    part: Part | None
    left: int
    parts: int = 0
    future: Future[Reply] = field(default_factory=Future)


class Channel:
    """`ended` is called once, on the thread that reads, with the reason."""

    def __init__(self, end: socket.socket, ended: Callable[[str], None]) -> None:
        self._socket = end
        self._ended = ended
        self._lock = lock_order.lock("channel")
        self._sending = lock_order.leaf()
        self._open: dict[int, _Open] = {}
        self._number = 0
        self._reason = ""
        self.received: list[int] = []
        """Descriptors that came with the first answer; later ones are refused."""
        self._has_received = False
        # A peer that does not read must not block a thread of ours.
        patience = struct.pack("ll", _SEND_PATIENCE, 0)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, patience)
        self._thread = threading.Thread(target=self._read, name="sandbox", daemon=True)
        self._thread.start()

    def request(
        self, header: dict[str, Any], body: bytes = b"", part: Part | None = None, most: int = 0, descriptor: int = -1
    ) -> Future[Reply]:
        """Asks; `part` gets what comes before the answer, `most` bytes at most, on another thread. Raises Gone.

        `descriptor` goes with the request: a copy of it is the first process's.

        The future fails with Gone, or with SandboxError if the answer is a refusal. Its number is in `header` afterwards.
        """
        with self._lock:
            if self._reason:
                raise Gone(self._reason)
            if len(self._open) >= MOST_OPEN:
                raise SandboxError(f"{MOST_OPEN} requests to this sandbox are already open: wait for answers before sending more")
            self._number += 1
            number = header["id"] = self._number
            opened = self._open[number] = _Open(part, most)
        try:
            with self._sending:
                data = packed(header, body)
                if sys.platform != "win32" and descriptor >= 0:
                    # Short, so it goes whole.
                    socket.send_fds(self._socket, [data], [descriptor])
                else:
                    self._socket.sendall(data)
        except OSError:
            self.end("the sandbox no longer listens")
            raise Gone(self._reason) from None
        return opened.future

    def end(self, reason: str) -> None:
        """Fails whatever waits, and everything from now on."""
        with self._lock:
            self._reason = self._reason or reason
            waiting, self._open = list(self._open.values()), {}
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        for request in waiting:
            if request.future.set_running_or_notify_cancel():
                request.future.set_exception(Gone(self._reason))

    def close(self) -> None:
        """Ends it and frees the socket."""
        self.end("the sandbox was destroyed")
        if threading.current_thread() is not self._thread:
            self._thread.join(5)
        self._socket.close()
        for descriptor in self.received:
            os.close(descriptor)

    def _read(self) -> None:
        messages, reason = Messages(), "the sandbox has ended"
        try:
            while data := self._received():
                for header, body in messages.feed(data):
                    self._take(header, body)
        except Malformed as error:
            reason = f"the sandbox was ended: it sent an invalid message ({error})"
        except OSError:
            pass
        self.end(reason)
        self._ended(self._reason)

    def _received(self) -> bytes:
        if sys.platform == "win32":
            return self._socket.recv(1 << 18)
        data, descriptors, _, _ = socket.recv_fds(self._socket, 1 << 18, MOST_DESCRIPTORS)
        if descriptors and self._has_received:
            for descriptor in descriptors:
                os.close(descriptor)
            raise Malformed("descriptors")
        self.received += descriptors
        self._has_received = True
        return data

    def _take(self, header: dict[str, Any], body: bytes) -> None:
        number = header.get("id")
        if not isinstance(number, int):
            raise Malformed("no number")
        is_part = "stream" in header or "entry" in header
        with self._lock:
            request = self._open.get(number) if is_part else self._open.pop(number, None)
        if request is None:
            if self._reason:
                return
            raise Malformed("an answer that nobody waits for")
        if is_part:
            request.left -= len(body)
            request.parts += 1
            if request.part is None or request.left < 0 or request.parts > _MOST_ENTRIES:
                raise Malformed("more than was asked for")
            request.part(header, body)
            return
        if request.future.set_running_or_notify_cancel():
            problem = header.get("error")
            if isinstance(problem, str):
                request.future.set_exception(SandboxError(problem[:4096]))
            elif len(body) > MOST_BODY:
                request.future.set_exception(Gone("too much"))
            else:
                request.future.set_result(Reply(header, body))
