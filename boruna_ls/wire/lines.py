"""Cuts the stream of an agent or its server into messages: one a line, in time proportional to their size."""

from __future__ import annotations

from collections.abc import Iterator

from boruna_ls.wire.frames import Piece


class Lines:
    """The messages of an agent or its server."""

    def __init__(self, limit: int = 0) -> None:
        """Of a line longer than `limit` bytes only the beginning is kept; 0 means any length."""
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0

    @property
    def size(self) -> int:
        """Bytes kept of the line that has not ended."""
        return self._size

    def feed(self, data: bytes) -> Iterator[Piece]:
        """The lines that `data` completes; their bodies have no line feed."""
        for line in self.bodies(data):
            yield Piece(line + b"\n", line)

    def bodies(self, data: bytes) -> Iterator[bytes]:
        """The same without the raw bytes: a line may be long, and is not copied."""
        head, *rest = data.split(b"\n")
        self._keep(head)
        for piece in rest:
            line = self.rest()
            self._keep(piece)
            yield line

    def give_back(self, raw: bytes, body: bytes) -> bytes:
        """A line that is not JSON still ends at its line end."""
        return raw

    def rest(self) -> bytes:
        """Bytes after the last line feed; the buffer is empty then."""
        line = b"".join(self._pieces)
        self._pieces.clear()
        self._size = 0
        return line

    def _keep(self, piece: bytes) -> None:
        if piece and (not self._limit or self._size <= self._limit):
            self._pieces.append(piece)
            self._size += len(piece)


def lined(body: bytes) -> bytes:
    """A message for an agent or its server."""
    return body + b"\n"
