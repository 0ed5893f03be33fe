"""Questions of a tool to the client that called it: its user (elicitation), its model (sampling), its folders (roots).

A tool sees a `Peer` (`call.peer`) and awaits an answer; which generation of the protocol carries the question is decided
here. Clients of 2025 are sent a request while their call is open (`DirectPeer`). Clients of 2026-07-28 get the questions as
the result of the call, and call again with the answers: meanwhile the call stays suspended (`RoundTrip`, kept by
`ongoing.py`). What the client says is data: it is checked for its shape, never trusted.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager
from typing import Any, Final, Literal, TypeVar

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ValidationError

from analysis.data_classes import dataclass, field
from boruna_ls.deadline import Deadline

Question = Literal["elicit", "sample", "roots"]
LONGEST: Final = 600.0
"""Seconds that an answer is waited for."""
MOST_OPEN: Final = 8
"""Questions of one call that may be open at once."""
MOST_ROUNDS: Final = 8
"""Questions after which a call of a client of 2026-07-28 should end: the official clients give up after ten rounds."""
R = TypeVar("R", bound=BaseModel)
_LONGEST_TEXT: Final = 1_000_000
"""Characters that a model's answer may have."""


class CannotAsk(Exception):
    """There is no answer: the client does not offer this, refused, answered nonsense, or said nothing in time.

    A caller that needs an answer treats this as a refusal.
    """


@dataclass(frozen=True, slots=True)
class Elicited:
    """The user's response to a form; `content` is set if the form was accepted."""

    action: Literal["accept", "decline", "cancel"]
    content: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_accepted(self) -> bool:
        """True if the user filled in the form."""
        return self.action == "accept"


class Peer:
    """The client as a tool may ask it; this one can be asked nothing."""

    def __init__(self, capabilities: types.ClientCapabilities | None = None) -> None:
        self._capabilities = capabilities
        self._deadlines: list[Deadline] = []
        self._open = 0

    def can(self, question: Question) -> bool:
        """True if the client has declared that it answers questions of this kind."""
        able = self._capabilities
        if able is None:
            return False
        if question == "elicit":
            # A client that names no mode has forms; one that names modes may have links only.
            modes = able.elicitation
            return modes is not None and (modes.form is not None or modes.url is None)
        return (able.sampling if question == "sample" else able.roots) is not None

    @property
    def has_patience(self) -> bool:
        """True if the call may well ask another question; else it should end, so that the client calls again."""
        return True

    async def elicit(self, message: str, schema: Mapping[str, Any]) -> Elicited:
        """Asks the user to fill in a form: an object schema with plain properties. Raises CannotAsk."""
        self._require("elicit", "ask its user (elicitation)")
        params = types.ElicitRequestFormParams(message=message, requested_schema=dict(schema))
        result = await self._send(types.ElicitRequest(params=params), types.ElicitResult)
        return Elicited(result.action, result.content or {})

    async def sample(self, prompt: str, *, system: str = "", max_tokens: int = 4096) -> str:
        """The answer of the client's model to a text. Raises CannotAsk."""
        self._require("sample", "use its model (sampling)")
        message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=prompt))
        params = types.CreateMessageRequestParams(messages=[message], max_tokens=max_tokens, system_prompt=system or None)
        result = await self._send(types.CreateMessageRequest(params=params), types.CreateMessageResult)
        if not isinstance(result.content, types.TextContent):
            raise CannotAsk(f"the client's model answered with {result.content.type}, not with text")
        return result.content.text[:_LONGEST_TEXT]

    async def roots(self) -> list[types.Root]:
        """The folders that the client works in. Raises CannotAsk."""
        self._require("roots", "list its folders (roots)")
        return list((await self._send(types.ListRootsRequest(), types.ListRootsResult)).roots)

    @asynccontextmanager
    async def bounded(self, seconds: float) -> AsyncIterator[None]:
        """Bounds the time of the body; the time in which the client thinks about a question does not count."""
        deadline = Deadline.after(seconds)
        self.stops(deadline)
        async with deadline.bound():
            yield

    def stops(self, deadline: Deadline) -> None:
        """From now on the time of a deadline stands still while this client is asked."""
        self._deadlines.append(deadline)

    async def _send(self, request: Any, kind: type[R]) -> R:
        if self._open >= MOST_OPEN:
            raise CannotAsk(f"{MOST_OPEN} questions of this call are already open")
        self._open += 1
        try:
            with ExitStack() as stack:
                for deadline in self._deadlines:
                    stack.enter_context(deadline.paused())
                async with asyncio.timeout(LONGEST):
                    return kind.model_validate(await self._answer(request), by_name=False)
        except TimeoutError:
            raise CannotAsk(f"the client did not answer within {LONGEST:.0f} s") from None
        except ValidationError:
            raise CannotAsk("the client's answer does not have the shape that the protocol asks for") from None
        except MCPError as error:
            raise CannotAsk(f"the client refused the question: {error.error.message[:200]}") from None
        finally:
            self._open -= 1

    async def _answer(self, request: Any) -> Mapping[str, Any]:
        """The client's raw answer."""
        raise CannotAsk("this client does not support questions")

    def _require(self, question: Question, what: str) -> None:
        if not self.can(question):
            raise CannotAsk(f"this client cannot {what}")


class DirectPeer(Peer):
    """A client of 2025: it is sent requests on the stream of its call."""

    def __init__(self, context: ServerRequestContext[Any]) -> None:
        super().__init__(context.session.client_capabilities)
        self._context = context

    async def _answer(self, request: Any) -> Mapping[str, Any]:
        metadata = ServerMessageMetadata(related_request_id=self._context.request_id)
        raw: _Raw = await self._context.session.send_request(request, _Raw, metadata=metadata)
        return raw.model_extra or {}


class _Raw(BaseModel, extra="allow"):
    """An answer as it came."""


class RoundTrip(Peer):
    """A client of 2026-07-28: questions gather in `open` until they are handed out, answers come with a later request."""

    def __init__(self, capabilities: types.ClientCapabilities | None) -> None:
        super().__init__(capabilities)
        self.open: dict[str, dict[str, Any]] = {}
        self.asked = asyncio.Event()
        self.changed: Callable[[], None] = lambda: None
        """Called when a question was asked or answered."""
        self._answers: dict[str, asyncio.Future[Mapping[str, Any]]] = {}
        self._count = 0

    @property
    def has_patience(self) -> bool:
        return self._count < MOST_ROUNDS

    def deliver(self, answers: Mapping[str, Any]) -> None:
        """Passes answers to the waiting calls; other answers are ignored."""
        for name, answer in answers.items():
            future = self._answers.get(name)
            if future is not None and not future.done():
                self.open.pop(name, None)
                future.set_result(answer)
        if not self.open:
            # Before the callers resume: no question is open any more.
            self.asked.clear()
        self.changed()

    async def _answer(self, request: Any) -> Mapping[str, Any]:
        self._count += 1
        name = f"question-{self._count}"
        dumped = request.model_dump(by_alias=True, mode="json", exclude_none=True)
        self.open[name] = {"method": dumped["method"], "params": dumped.get("params", {})}
        future = self._answers[name] = asyncio.get_running_loop().create_future()
        self.asked.set()
        self.changed()
        try:
            answer: Mapping[str, Any] = await future
            return answer
        finally:
            self._answers.pop(name, None)
            self.open.pop(name, None)
            if not self.open:
                self.asked.clear()


def peer_of(context: ServerRequestContext[Any]) -> Peer:
    """The client of a request as its tool may ask it."""
    if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return RoundTrip(context.session.client_capabilities)
    return DirectPeer(context)
