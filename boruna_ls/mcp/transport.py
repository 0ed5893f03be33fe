"""One client's connection to the SDK's server: lines to messages, the order of the handshake, the end of input.

Nothing that arrives ends the connection but the end of input, and that only after everything that was read is answered.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict, deque
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Any, Final

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import (
    PROTOCOL_VERSION_META_KEY,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from boruna_ls.mcp.channels import Channel
from boruna_ls.mcp.messages import Message, Refused, read_message
from boruna_ls.pace import OF_AGENTS, Pace
from boruna_ls.threads import for_agent
from boruna_ls.wire.lines import lined

NOT_INITIALIZED: Final = -32002
SAME_AS_TEXT: Final = {"boruna:same": "text"}
"""Structured content that is the value of the answer's text, which is long: it is written twice, not encoded twice."""
HELD_LIMIT: Final = 32 << 20
"""Bytes of a client's requests that may wait for their answers before the next message is taken."""
GRACE: Final = 30.0
"""Seconds that calls in flight have at the end of input before they are stopped and answered so."""
_LONG: Final = 1 << 16
"""Bytes of a line that is read beside the event loop, and characters of an answer that are written at once."""
_LOOK: Final = 0.1
"""Seconds between two looks whether a client whose input has ended still reads."""
_Messages = MemoryObjectSendStream[SessionMessage | Exception]
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


async def serve(server: Server[Any], channel: Channel, input_ended: Callable[[], object] = lambda: None) -> None:
    """Serves one client until its input ends; then `input_ended` is called, and calls in flight have GRACE."""
    send, receive = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    output = _Output(channel)
    async with anyio.create_task_group() as group:
        group.start_soon(_Input(channel, output, send, input_ended).run)
        await server.run(receive, output, server.create_initialization_options())
    await channel.finish()


class _Output:
    """The SDK's write stream: encodes messages and counts the answers that are still owed."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._owed = 0
        self._held = 0
        """Bytes of the requests that are owed an answer, by their ids in `_sizes`."""
        self._sizes: defaultdict[Any, deque[int]] = defaultdict(deque)
        self._settled = anyio.Event()

    async def send(self, item: SessionMessage) -> None:
        message = item.message
        if self._channel.is_full and isinstance(message, JSONRPCNotification):
            # The client does not read: notifications may be outdated when it does, and must not pile up.
            return
        if isinstance(message, JSONRPCResponse) and message.result.get("structuredContent") == SAME_AS_TEXT:
            self._channel.write(await _spliced(message))
        else:
            self._channel.write(_encoded(message))
        if isinstance(message, (JSONRPCResponse, JSONRPCError)):
            await self.settle(message.id)

    def owe(self, id_: Any, size: int) -> None:
        """Record a request of `size` bytes that awaits its answer."""
        self._owed += 1
        self._held += size
        self._sizes[id_].append(size)

    async def settle(self, id_: Any) -> None:
        """A request was answered, or will never be, since its client cancelled it."""
        self._owed -= 1
        # An id may be in use twice: any of the two.
        if sizes := self._sizes.get(id_):
            self._held -= sizes.popleft()
            if not sizes:
                del self._sizes[id_]
        self._settled.set()

    async def room(self) -> None:
        """Waits until the client has read enough and is owed less; at most GRACE: a call may wait for an answer of the client."""
        await self._channel.room()
        if self._held > HELD_LIMIT:
            await self._wait_while(lambda: self._held > HELD_LIMIT)

    async def wait_until_settled(self) -> None:
        """Returns when no answer is pending, when the client no longer reads, or after GRACE."""
        await self._wait_while(lambda: self._owed > 0)

    async def _wait_while(self, is_pending: Callable[[], bool]) -> None:
        with anyio.move_on_after(GRACE):
            while is_pending() and not self._channel.is_gone():
                self._settled = anyio.Event()
                with anyio.move_on_after(_LOOK):
                    await self._settled.wait()

    async def aclose(self) -> None:
        """Nothing to close: the channel outlives the stream until `finish`."""

    async def __aenter__(self) -> _Output:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return None


class _Input:
    """Reads the client's lines, answers what is malformed or too early, and hands the rest to the SDK."""

    def __init__(self, channel: Channel, output: _Output, send: _Messages, ended: Callable[[], object]) -> None:
        self._channel = channel
        self._ended = ended
        self._output = output
        self._send = send
        self._is_first = True
        self._is_open = False
        self._pace = Pace(OF_AGENTS)
        self._reading = object()
        """Whose threads read long messages: they may outlive the connection, and would keep all that this object holds."""
        self._spent = 0.0
        """Seconds of the interpreter that reading the last message took."""

    async def run(self) -> None:
        async with self._send:
            while lines := await self._channel.lines():
                for line in lines:
                    await self._output.room()
                    self._spent = 0.0
                    await self._take(line)
                    await self._pace.wait_turn(len(line), self._spent)
            self._ended()
            await self._output.wait_until_settled()

    async def _take(self, line: bytes) -> None:
        if self._is_first:
            line, self._is_first = line.removeprefix(_BYTE_ORDER_MARK), False
        if not line.strip():
            return
        message, self._spent = await for_agent(self._reading, _read, line) if len(line) > _LONG else _read(line)
        if isinstance(message, JSONRPCRequest) and not self._is_open:
            try:
                self._open_with(message)
            except Refused as refused:
                message = refused
        if isinstance(message, Refused):
            self._channel.write(message.line())
            return
        if message is None or not self._is_open:
            return
        metadata = None
        if isinstance(message, JSONRPCRequest):
            self._output.owe(message.id, len(line))
            metadata = ServerMessageMetadata(on_request_unanswered=partial(self._output.settle, message.id))
        await self._send.send(SessionMessage(message, metadata))

    def _open_with(self, request: JSONRPCRequest) -> None:
        """The first request decides the protocol of the connection; only a ping may precede it."""
        meta = (request.params or {}).get("_meta") or {}
        if request.method == "initialize" or PROTOCOL_VERSION_META_KEY in meta:
            self._is_open = True
        elif request.method == "ping":
            self._channel.write(_encoded(JSONRPCResponse(jsonrpc="2.0", id=request.id, result={})))
        else:
            reason = f"not initialized: send `initialize` before `{request.method[:100]}`"
            raise Refused(request.id, NOT_INITIALIZED, reason)


def _read(line: bytes) -> tuple[Message | Refused | None, float]:
    """The message of a line, or why it is none, and how many seconds of the interpreter it took to read."""
    began = time.thread_time()
    try:
        message: Message | Refused | None = read_message(line)
    except Refused as refused:
        message = refused
    return message, time.thread_time() - began


def _encoded(message: JSONRPCMessage) -> bytes:
    try:
        return lined(message.model_dump_json(by_alias=True, exclude_unset=True).encode())
    except ValueError:
        # A text that is no Unicode (a lone surrogate in a path, say) still reaches the client, escaped.
        plain = message.model_dump(by_alias=True, exclude_unset=True)
        return lined(json.dumps(plain, separators=(",", ":")).encode())


async def _spliced(message: JSONRPCResponse) -> bytes:
    """A tool's answer whose structured content is the JSON that its text holds.

    A long text is escaped piece by piece, and the loop moves other messages in between: a megabyte takes 5 ms.
    """
    first, *others = message.result["content"]
    text: str = first["text"]
    head = _json({name: value for name, value in first.items() if name != "text"})[:-1]
    rest = {name: value for name, value in message.result.items() if name not in ("content", "structuredContent")}
    parts = [f'{{"jsonrpc":"2.0","id":{_json(message.id)},"result":{{"content":[{head},"text":"']
    with anyio.CancelScope(shield=True):
        for start in range(0, len(text), _LONG):
            if start:
                await asyncio.sleep(0)
            parts.append(_json(text[start : start + _LONG])[1:-1])
    tail = "".join(f",{_json(other)}" for other in others)
    parts.append(f'"}}{tail}],{_json({**rest, "structuredContent": None})[1:-5]}{text}}}}}\n')
    return "".join(parts).encode("utf-8", "backslashreplace")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
