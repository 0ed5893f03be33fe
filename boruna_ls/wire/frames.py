"""Cuts the stream of a language client or server into messages, without changing a byte: all pieces together are what came in.

A message is a header block with `Content-Length`, an empty line, and a body of that many bytes. Bytes that are no message come as
a piece without a body, and the reader finds its way again at the next header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

BODY_LIMIT = 32 * 1024 * 1024
"""Bytes of one message; what claims to be longer is no message."""
_HEADER_LIMIT = 64 * 1024
_PART = 4 * 1024
"""Bytes from which a part of an incomplete message is kept by itself."""
_LENGTH = re.compile(rb"^content-length[ \t]*:[ \t]*([0-9]{1,18})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_USUAL = re.compile(rb"Content-Length: ([0-9]{1,18})\r\n\r\n")
"""The header as nearly everybody writes it."""
_END_OF_HEADER = re.compile(rb"\r?\n\r?\n")
_NEXT_FRAME = re.compile(rb"content-length[ \t]*:[ \t]*[0-9]{1,18}[ \t]*\r?\n", re.IGNORECASE)


class Piece:
    """Bytes as they came in, and the message's body in them: None where they are no message, with the reason why.

    A body that begins at `start` is cut out when it is asked for: a long message is often forwarded as it is.
    """

    __slots__ = ("_body", "raw", "reason", "start")

    def __init__(self, raw: bytes, body: bytes | None, reason: str = "", start: int = 0) -> None:
        self.raw = raw
        self.reason = reason
        self.start = start
        self._body = body

    @property
    def is_message(self) -> bool:
        """False for bytes that lie between messages."""
        return self.start > 0 or self._body is not None

    @property
    def body(self) -> bytes | None:
        """The message without its header."""
        if self._body is None and self.start:
            self._body = self.raw[self.start :]
        return self._body


class Frames:
    """The messages of a language client or server."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._start = 0
        self._length = -1
        self._reason = ""
        self._parts: list[bytes | bytearray] = []
        """The beginning of a message that has not arrived as a whole; nothing is in the buffer meanwhile."""
        self._missing = 0

    def feed(self, data: bytes) -> Iterator[Piece]:
        """The messages (and what lies between them) that `data` completes."""
        if self._parts:
            if len(data) < self._missing:
                self._missing -= len(data)
                self._keep(data)
                return
            self._parts.append(data[: self._missing])
            data = data[self._missing :]
            raw, start, self._length = b"".join(self._parts), self._start, -1
            self._parts.clear()
            yield Piece(raw, None, start=start)
        elif not self._buffer and (start := _start_of_whole(data)):
            # Most messages come so: half a megabyte of diagnostics is not copied.
            yield Piece(data, None, start=start)
            data = b""
        self._buffer += data
        while self._buffer:
            if self._length < 0:
                junk = self._read_header()
                if junk:
                    yield Piece(self._consume(junk), None, self._reason)
                    continue
                if self._length < 0:
                    return
            end = self._start + self._length
            if len(self._buffer) < end:
                self._missing = end - len(self._buffer)
                self._parts.append(self._consume(len(self._buffer)))
                return
            start, self._length = self._start, -1
            yield Piece(self._consume(end), None, start=start)

    def give_back(self, raw: bytes, body: bytes) -> bytes:
        """A body was not JSON: if it swallowed the start of a next message (its length was too large), that is read again.

        Returns what was before it.
        """
        match = _NEXT_FRAME.search(body)
        if match is None:
            return raw
        kept = len(raw) - len(body) + match.start()
        self._buffer[:0] = raw[kept:]
        return raw[:kept]

    def rest(self) -> bytes:
        """Bytes of an incomplete message; the buffer is empty then."""
        self._length = -1
        begun = b"".join(self._parts)
        self._parts.clear()
        return begun + self._consume(len(self._buffer))

    def _keep(self, data: bytes) -> None:
        """Adds to an incomplete message; small parts are put together, or a message that trickles in would take much more memory
        than its length."""
        last = self._parts[-1]
        if isinstance(last, bytearray) and len(last) < _PART:
            last += data
        else:
            self._parts.append(data if len(data) >= _PART else bytearray(data))

    def _consume(self, count: int) -> bytes:
        taken = bytes(memoryview(self._buffer)[:count])
        del self._buffer[:count]
        return taken

    def _read_header(self) -> int:
        """Number of bytes that are no message, for `_reason`; 0 if a header was read or has not arrived yet."""
        self._reason = "no header of a message was found"
        end = _END_OF_HEADER.search(self._buffer)
        if end is None:
            # From its second byte on: what stands first may look like a header, and is none.
            return self._junk(1) if len(self._buffer) > _HEADER_LIMIT else 0
        header = bytes(memoryview(self._buffer)[: end.start()])
        length = _LENGTH.search(header)
        if length is None:
            if not header.strip():
                self._reason = ""
                return end.end()
            self._reason = "a header has no valid Content-Length"
            return self._junk(0 if _NEXT_FRAME.search(self._buffer, 0, end.end()) else end.end())
        if int(length[1]) > BODY_LIMIT:
            self._reason = f"Content-Length {int(length[1])} is more than {BODY_LIMIT}"
            return self._junk(end.end())
        self._start, self._length = end.end(), int(length[1])
        return 0

    def _junk(self, position: int) -> int:
        """Position of the next text that looks like a header, from a position on."""
        if (match := _NEXT_FRAME.search(self._buffer, position)) is not None:
            return match.start()
        # A header may have begun to arrive at the end.
        begun = self._buffer.lower().rfind(b"\ncontent-", position)
        return begun + 1 if begun >= 0 else len(self._buffer)


def _start_of_whole(data: bytes) -> int:
    """Where the body begins in bytes that are one message with the usual header; 0 if they are not."""
    usual = _USUAL.match(data)
    is_whole = usual is not None and usual.end() + int(usual[1]) == len(data) and int(usual[1]) <= BODY_LIMIT
    return usual.end() if usual is not None and is_whole else 0


def framed(body: bytes) -> bytes:
    """A message for a language client or server."""
    return b"%b%b" % (header(len(body)), body)


def header(size: int) -> bytes:
    """Header of a message of this size."""
    return b"Content-Length: %d\r\n\r\n" % size
