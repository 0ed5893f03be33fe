"""Cuts a stream of bytes into message bodies, and finds its way again after bytes that are no frame.

A frame is a header block with `Content-Length`, an empty line, and a body of that many bytes. What is wrong is
told as a `BadFrame` in the place where the frame would have been, so that the reader can answer and go on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

BODY_LIMIT: Final = 32 * 1024 * 1024
"""Bytes of one message that are still taken."""
_HEADER_LIMIT: Final = 64 * 1024
_LENGTH: Final = re.compile(rb"^content-length[ \t]*:[ \t]*([0-9]{1,18})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_END_OF_HEADER: Final = re.compile(rb"\r?\n\r?\n")
_NEXT_FRAME: Final = re.compile(rb"content-length[ \t]*:[ \t]*[0-9]{1,18}[ \t]*\r?\n", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BadFrame:
    """Bytes that are no frame; `reason` says why."""

    reason: str


class FrameParser:
    """Feed it what arrives; it gives back the bodies that are complete."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length: int | None = None

    def feed(self, data: bytes) -> Iterator[bytes | BadFrame]:
        """The bodies (and the gaps between them) that `data` completes."""
        self._buffer += data
        while True:
            if self._length is None:
                bad = self._read_header()
                if bad is not None:
                    yield bad
                    continue
                if self._length is None:
                    return
            if len(self._buffer) < self._length:
                return
            body = bytes(memoryview(self._buffer)[: self._length])
            del self._buffer[: self._length]
            self._length = None
            yield body

    def give_back(self, body: bytes) -> None:
        """A body was no JSON: if it swallowed the start of a next frame (its length was too large), that is read
        again.
        """
        found = _NEXT_FRAME.search(body)
        if found is not None:
            self._buffer[:0] = body[found.start() :]

    def _read_header(self) -> BadFrame | None:
        end = _END_OF_HEADER.search(self._buffer)
        if end is None:
            if len(self._buffer) <= _HEADER_LIMIT:
                return None
            # From its second byte on: what stands first may look like a header, and is none.
            self._skip(1)
            return BadFrame("no header of a message was found")
        header = bytes(self._buffer[: end.start()])
        length = _LENGTH.search(header)
        if length is None:
            if not header.strip():
                del self._buffer[: end.end()]
                return None if not self._buffer else self._read_header()
            if _NEXT_FRAME.search(self._buffer, 0, end.end()) is None:
                del self._buffer[: end.end()]
            self._skip()
            return BadFrame("a header has no valid Content-Length")
        size = int(length[1])
        del self._buffer[: end.end()]
        if size > BODY_LIMIT:
            self._skip()
            return BadFrame(f"Content-Length {size} is more than {BODY_LIMIT}")
        self._length = size
        return None

    def _skip(self, start: int = 0) -> None:
        """Drops what is there up to the next thing (from `start` on) that looks like a header."""
        found = _NEXT_FRAME.search(self._buffer, start)
        if found is not None:
            del self._buffer[: found.start()]
            return
        # A header may have begun to arrive at the end.
        begun = self._buffer.lower().rfind(b"\ncontent-")
        del self._buffer[: begun + 1 if begun >= 0 else len(self._buffer)]
