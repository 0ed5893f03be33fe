"""`boruna-ls dap`: the debugger on standard input and output. A program's own output never goes there."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from typing import Any

from boruna_ls.dap.adapter import Message, serve
from boruna_ls.runtime.worker import MEMORY_LIMIT, limit_memory
from boruna_ls.wire.frames import Frames, framed


def main(libs_dir: str | None) -> int:
    """The exit status of the session."""
    limit_memory(MEMORY_LIMIT * 5 // 4)
    sys.setrecursionlimit(20_000)
    # Whatever prints by mistake must not reach the protocol.
    out = os.dup(1)
    os.dup2(2, 1)
    messages: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(messages,), daemon=True).start()

    def send(message: Message) -> None:
        data = framed(json.dumps(message).encode())
        while data:
            data = data[os.write(out, data) :]

    try:
        serve(messages, send, libs_dir)
    except (BrokenPipeError, ConnectionResetError):
        return 0
    return 0


def _read(messages: queue.SimpleQueue[Message | None]) -> None:
    frames = Frames()
    while data := os.read(0, 1 << 16):
        for piece in frames.feed(data):
            message = _message(piece.body)
            if message is not None:
                messages.put(message)
    messages.put(None)


def _message(body: bytes | None) -> Message | None:
    """Parsed request; None for other messages, which need no answer."""
    try:
        message: Any = json.loads(body) if body is not None else None
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) and message.get("type") == "request" else None
