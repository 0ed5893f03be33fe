"""Messages between the daemon and the process inside a sandbox: a JSON object and bytes, each with its length before it.

Both sides use this module, so it imports next to nothing. Readers treat the other side as hostile: lengths are bounded
before anything is kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

MOST_HEADER: Final = 262_144
MOST_BODY: Final = 4 << 20
CHUNK: Final = 65_536
"""Bytes of output in one message."""
_LENGTHS: Final = 8

Message = tuple[dict[str, Any], bytes]


class Malformed(ValueError):
    """The received bytes are no message; nothing that follows them can be understood."""


def packed(header: dict[str, Any], body: bytes = b"") -> bytes:
    """A message as bytes."""
    text = json.dumps(header, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return len(text).to_bytes(4, "big") + len(body).to_bytes(4, "big") + text + body


class Messages:
    """Puts what arrives together; `feed` gives the messages that are complete. Raises Malformed."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> Iterator[Message]:
        """The messages that end in `data`."""
        self._data += data
        start = 0
        while len(self._data) - start >= _LENGTHS:
            header = int.from_bytes(self._data[start : start + 4], "big")
            body = int.from_bytes(self._data[start + 4 : start + 8], "big")
            if header > MOST_HEADER or body > MOST_BODY:
                raise Malformed(f"a message of {header} and {body} bytes")
            ends = start + _LENGTHS + header + body
            if len(self._data) < ends:
                break
            text = bytes(self._data[start + _LENGTHS : start + _LENGTHS + header])
            yield _object(text), bytes(self._data[ends - body : ends])
            start = ends
        del self._data[:start]


def _object(text: bytes) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"no JSON: {type(error).__name__}") from None
    if not isinstance(data, dict):
        raise Malformed("no JSON object")
    return data
