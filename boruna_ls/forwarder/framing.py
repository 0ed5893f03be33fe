"""Cuts the two protocols' streams into messages without changing a byte: what comes out, put together, is what went in.

Language clients frame each message with a header, agents end each with a line feed. What is neither goes through as it
is, and the reader finds its way again where the daemon's own (`lsp/frames.py`) does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

BODY_LIMIT = 32 * 1024 * 1024
"""Bytes of one message; what claims to be longer is no message."""
_HEADER_LIMIT = 64 * 1024
_LENGTH = re.compile(rb"^content-length[ \t]*:[ \t]*([0-9]{1,18})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_END_OF_HEADER = re.compile(rb"\r?\n\r?\n")
_NEXT_FRAME = re.compile(rb"content-length[ \t]*:[ \t]*[0-9]{1,18}[ \t]*\r?\n", re.IGNORECASE)

Piece = tuple[bytes, bytes | None]
"""Bytes as they came, and the message's body in them; None where they are no message."""


class Frames:
    """The messages of a language client or server."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._start = 0
        self._length = -1

    def feed(self, data: bytes) -> Iterator[Piece]:
        """The messages (and what lies between them) that `data` completes."""
        self._buffer += data
        while self._buffer:
            if self._length < 0:
                junk = self._read_header()
                if junk:
                    yield self._taken(junk), None
                    continue
                if self._length < 0:
                    return
            end = self._start + self._length
            if len(self._buffer) < end:
                return
            start, self._length = self._start, -1
            raw = self._taken(end)
            yield raw, raw[start:]

    def give_back(self, raw: bytes, body: bytes) -> bytes:
        """A body was no JSON: if it swallowed the start of a next message (its length was too large), that is read again.

        Returns what was before it.
        """
        found = _NEXT_FRAME.search(body)
        if found is None:
            return raw
        kept = len(raw) - len(body) + found.start()
        self._buffer[:0] = raw[kept:]
        return raw[:kept]

    def rest(self) -> bytes:
        """What has begun and is not complete; nothing is left here."""
        self._length = -1
        return self._taken(len(self._buffer))

    def _taken(self, count: int) -> bytes:
        taken = bytes(memoryview(self._buffer)[:count])
        del self._buffer[:count]
        return taken

    def _read_header(self) -> int:
        """How many bytes are no message; 0 if a header was read or has not arrived yet."""
        end = _END_OF_HEADER.search(self._buffer)
        if end is None:
            # From its second byte on: what stands first may look like a header, and is none.
            return self._junk(1) if len(self._buffer) > _HEADER_LIMIT else 0
        header = bytes(memoryview(self._buffer)[: end.start()])
        length = _LENGTH.search(header)
        if length is None:
            if not header.strip():
                return end.end()
            return self._junk(0 if _NEXT_FRAME.search(self._buffer, 0, end.end()) else end.end())
        if int(length[1]) > BODY_LIMIT:
            return self._junk(end.end())
        self._start, self._length = end.end(), int(length[1])
        return 0

    def _junk(self, position: int) -> int:
        """Where the next thing that looks like a header starts, from a position on."""
        if (found := _NEXT_FRAME.search(self._buffer, position)) is not None:
            return found.start()
        # A header may have begun to arrive at the end.
        begun = self._buffer.lower().rfind(b"\ncontent-", position)
        return begun + 1 if begun >= 0 else len(self._buffer)


class Lines:
    """The messages of an agent or its server: one a line."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def feed(self, data: bytes) -> Iterator[Piece]:
        """The lines that `data` completes."""
        head, *rest = data.split(b"\n")
        self._pieces.append(head)
        for piece in rest:
            line = b"".join(self._pieces) + b"\n"
            self._pieces = [piece]
            yield line, line

    def give_back(self, raw: bytes, body: bytes) -> bytes:
        """A line that is no JSON ends where it ends."""
        return raw

    def rest(self) -> bytes:
        """What no line feed has ended; nothing is left here."""
        line = b"".join(self._pieces)
        self._pieces = []
        return line


def framed(body: bytes) -> bytes:
    """A message for a language client or server."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def lined(body: bytes) -> bytes:
    """A message for an agent or its server."""
    return body + b"\n"
