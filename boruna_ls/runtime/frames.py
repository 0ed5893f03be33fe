"""Messages between the server and its worker processes: a kind, a length, bytes.

Requests are pickled, since a worker trusts its parent. Answers are JSON and never unpickled: a worker runs programs of others.
A worker that runs a program with live effects asks for each of them (CALL) and waits for what came of it (RESULT).
"""

from __future__ import annotations

import struct
from typing import Final, Protocol

REQUEST: Final = b"R"
READY: Final = b"S"
"""Once, before anything else: a worker is set up and takes requests."""
PROGRESS: Final = b"P"
ANSWER: Final = b"A"
LAST_ANSWER: Final = b"L"
"""After it the process ends."""
FAULT: Final = b"F"
"""A traceback: the worker ends because of an internal error."""
CALL: Final = b"C"
"""A worker asks for an effect: JSON `capability`, `arguments` (tagged values), `by_function`. One at a time."""
RESULT: Final = b"E"
"""Result of a call: JSON `value` (a tagged constant), `failure`, or `denied`."""
CALL_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of the longest CALL."""
LIMIT: Final = 256 * 1024 * 1024
"""Bytes of the longest message."""
_KINDS: Final = frozenset((READY, REQUEST, PROGRESS, ANSWER, LAST_ANSWER, FAULT, CALL, RESULT))
_HEAD: Final = struct.Struct(">cI")


class Readable(Protocol):
    """The end of a pipe that is read."""

    def read(self, size: int, /) -> bytes | None: ...


class Writable(Protocol):
    """The end of a pipe that is written."""

    def write(self, data: bytes, /) -> int | None: ...

    def flush(self) -> None: ...


class Broken(Exception):
    """The other side has closed the connection, or violates the protocol."""


class Misused(Broken):
    """The other side is there, and sends what it must not."""


def read_frame(stream: Readable) -> tuple[bytes, bytes]:
    """Kind and content of the next message. Raises Broken at the end."""
    kind, size = _HEAD.unpack(_exactly(stream, _HEAD.size))
    if size > (CALL_LIMIT if kind == CALL else LIMIT) or kind not in _KINDS:
        raise Misused("a message that nobody sends")
    return kind, _exactly(stream, size)


def write_frame(stream: Writable, kind: bytes, content: bytes) -> None:
    """Send a message. Raises Broken if the other side has closed the connection."""
    try:
        stream.write(_HEAD.pack(kind, len(content)) + content)
        stream.flush()
    except (OSError, ValueError) as error:
        raise Broken(str(error)) from None


def _exactly(stream: Readable, size: int) -> bytes:
    parts = []
    while size:
        try:
            part = stream.read(size)
        except (OSError, ValueError) as error:
            raise Broken(str(error)) from None
        if not part:
            raise Broken("the pipe has ended")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
