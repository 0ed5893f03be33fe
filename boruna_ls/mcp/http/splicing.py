"""Completes tools' answers on their way out: structured content is written into the bytes, not built, checked and encoded again.

The SDK passes an answer through its models several times, all of them on the event loop: for one of a megabyte that takes as long
as fifty keys. So its structured content is a mark there (SAME_AS_TEXT); what it stands for is the text beside it.
"""

from __future__ import annotations

import json
import re
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from boruna_ls.mcp.transport import SAME_AS_TEXT

_MARK: Final = json.dumps(SAME_AS_TEXT, separators=(",", ":")).encode()
_MARKED: Final = b'"structuredContent":' + _MARK
"""Inside JSON strings quotes are escaped, so no text of a program can be taken for it."""
_TEXT: Final = re.compile(rb'"content":\[\{[^"]*+"(?:type":"text",")?+text":("[^"\\]*+(?:\\.[^"\\]*+)*+")', re.DOTALL)
_LENGTH: Final = b"content-length"


def spliced(body: bytes) -> bytes:
    """A response, or an event of one, with the mark replaced by the JSON that the answer's text holds."""
    place = body.find(_MARKED)
    if place < 0 or (text := _TEXT.search(body)) is None:
        return body
    structured = json.loads(text[1]).encode("utf-8", "backslashreplace")
    start = place + len(_MARKED) - len(_MARK)
    return b"".join((body[:start], structured, body[start + len(_MARK) :]))


class Splicing:
    """An ASGI application that completes the answers of another one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start: Message | None = None

        async def complete(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and any(name.lower() == _LENGTH for name, _ in message["headers"]):
                # A response of one piece: its length is known when that is complete.
                start = message
                return
            if message["type"] == "http.response.body":
                body = message.get("body", b"")
                message = {**message, "body": spliced(body)}
                if start is not None:
                    grown = len(message["body"]) - len(body)
                    await send({**start, "headers": [_longer(name, value, grown) for name, value in start["headers"]]})
                    start = None
            await send(message)

        await self._app(scope, receive, complete)


def _longer(name: bytes, value: bytes, grown: int) -> tuple[bytes, bytes]:
    return (name, str(int(value) + grown).encode()) if grown and name.lower() == _LENGTH else (name, value)
