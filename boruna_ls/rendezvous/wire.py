"""The first line of each direction between a client and the daemon. Everything behind them belongs to the protocol.

A change that an older partner would misunderstand gets another WIRE: sockets, locks and daemons of two wire versions do not meet.
"""

from __future__ import annotations

import json
import os

from boruna_ls import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WIRE = 1
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
"""Folder of this package: only compared with the one that another process reports."""
SERVES = "$/boruna/serves"
"""A notification to the forwarder of an editor: the daemon whose welcome said `greets` is loaded, and works from now on."""

TOUCHED = "borunaTouched"
"""In the params of a `didOpen` by which a forwarder opens a document again: when it was edited last (`time.monotonic_ns`)."""


class BadLine(ValueError):
    """A first line that is none; the message is a sentence."""


def hello(protocol: str, secret: str = "", options: dict[str, Any] | None = None, resumed: bool = False, **more: Any) -> bytes:
    """A client's first line; `more` are the arguments of a control command."""
    line = {
        "wire": WIRE,
        "version": __version__,
        "protocol": protocol,
        "cwd": working_directory(),
        "secret": secret,
        "pid": os.getpid(),
        "options": options or {},
        "resumed": resumed,
    }
    return encoded(line | more)


def encoded(line: dict[str, Any]) -> bytes:
    """One line of JSON; file names that are no Unicode come back as they were."""
    return json.dumps(line).encode("ascii") + b"\n"


def first_line(received: bytes) -> tuple[bytes, bytes] | None:
    """The first line, and the bytes behind it, which belong to the protocol; None before its end has arrived."""
    line, end, rest = received.partition(b"\n")
    return (line, rest) if end else None


def decoded(line: bytes) -> dict[str, Any]:
    """The object of a line. Raises BadLine."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadLine(f"its first line is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise BadLine("its first line is not an object")
    return data


def working_directory() -> str:
    """Base of relative paths; "" if it was deleted."""
    try:
        return os.getcwd()
    except OSError:
        return ""
