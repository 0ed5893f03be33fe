"""Moves messages of one connection: life cycle, errors, documents, everything else to the library's dispatcher.

The library's own document store is switched off (it costs milliseconds a keystroke in a long file); opening,
changing and closing go from the JSON straight to the session. Nothing a client sends may end the server, so each
message is checked here.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any, Final

import cattrs
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, lsp_method

from boruna_ls.lsp.greeting import Begun
from boruna_ls.lsp.raw import RawJson
from boruna_ls.pace import MOST_OF_EDITORS, has_too_many_values, too_many_values
from boruna_ls.wire.frames import framed

log = logging.getLogger(__name__)

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
NOT_INITIALIZED: Final = -32002
OUTPUT_LIMIT: Final = 256 * 1024 * 1024
"""Bytes that may wait for a client that does not read; then the connection is given up."""

DocumentHandler = Callable[[dict[str, Any]], Coroutine[Any, Any, None] | None]
"""Handler of a document's notification; returns a coroutine if something must be awaited before the next message."""
Answer = Callable[[Any], Coroutine[Any, Any, Any]]
"""Called with a request's params as soon as the request was read, awaited later."""


class Protocol(LanguageServerProtocol):
    """One connection's messages. `exit_status` is set once the client has sent `exit`."""

    def __init__(self, server: Any, converter: cattrs.Converter) -> None:
        super().__init__(server, converter)
        self.exit_status: int | None = None
        self._unfinished: Coroutine[Any, Any, None] | None = None
        self._documents: dict[str, DocumentHandler] = {}
        self._answers: dict[str, Answer] = {}
        self._own: dict[str, Answer] = {}
        self._initialized = False
        self._begun = Begun()
        self._first: dict[str, Any] | None = None
        """The client's `initialize`, until it is answered."""

    def handle(self, documents: Mapping[str, DocumentHandler], answers: Mapping[str, Answer], own: Mapping[str, Answer]) -> None:
        """Sets the handlers by method; requests of our `own` get their params as they come."""
        self._documents |= documents
        self._answers |= answers
        self._own |= own

    def connect(self, writer: Any, begun: Begun) -> None:
        """Messages go to this writer from now on."""
        self.set_writer(writer)
        self._begun = begun

    # ---- receiving ----------------------------------------------------------------------------------------------

    def receive(self, body: bytes) -> bool:
        """Handles one message body; False if it is not JSON."""
        if has_too_many_values(body, MOST_OF_EDITORS):
            self.send_error(None, INVALID_REQUEST, f"Invalid request: {too_many_values(MOST_OF_EDITORS)}")
            return True
        try:
            message = json.loads(body.decode("utf-8"))
        except (UnicodeDecodeError, ValueError, RecursionError) as error:
            self.send_error(None, PARSE_ERROR, f"Parse error: {error}")
            return False
        if not isinstance(message, dict):
            kind = "batches are not part of the protocol" if isinstance(message, list) else "a message is an object"
            self.send_error(None, INVALID_REQUEST, f"Invalid request: {kind}")
            return True
        try:
            self._dispatch(message)
        except Exception:
            log.exception("a message could not be handled")
            if "id" in message and "method" in message:
                self.send_error(message["id"], INTERNAL_ERROR, "Internal error")
        return True

    def _dispatch(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if "id" not in message:
            if isinstance(method, str):
                self._take_notification(method, message)
            else:
                self.send_error(None, INVALID_REQUEST, "Invalid request: a message has a method, or is a response")
            return
        id_ = message["id"]
        if method is None and ("result" in message or "error" in message):
            self._take_response(id_, message)
        elif isinstance(id_, bool) or not isinstance(id_, int | str):
            self.send_error(None, INVALID_REQUEST, "Invalid request: an id is a number or a string")
        elif not isinstance(method, str):
            self.send_error(id_, INVALID_REQUEST, "Invalid request: a method is a string")
        else:
            self._take_request(id_, method, message)

    def _take_request(self, id_: int | str, method: str, message: dict[str, Any]) -> None:
        if self._shutdown:
            return self.send_error(id_, INVALID_REQUEST, "Invalid request: the server was shut down")
        if method == types.INITIALIZE:
            if self._initialized:
                return self.send_error(id_, INVALID_REQUEST, "Invalid request: the server is initialized already")
        elif not self._initialized:
            return self.send_error(id_, NOT_INITIALIZED, "Server not initialized")
        if (start := self._own.get(method)) is not None:
            return self._start(id_, start(message.get("params")))
        if not self._knows(method):
            return self.send_error(id_, METHOD_NOT_FOUND, f"Method not found: {method}", method)
        request = self._structured(method, {**message, "jsonrpc": "2.0"})
        if isinstance(request, str):
            return self.send_error(id_, INVALID_PARAMS, f"Invalid params: {request}")
        if method == types.INITIALIZE:
            self._initialized, self._first = True, message
        if (start := self._answers.get(method)) is None:
            self.handle_message(request)
            return None
        return self._start(id_, start(request.params))

    def _start(self, id_: int | str, answer: Coroutine[Any, Any, Any]) -> None:
        """Begins an answer: here and not by the library, which would do it after the messages that were read in one go."""
        task = asyncio.ensure_future(answer)
        self._request_futures[id_] = task  # type: ignore[assignment]
        task.add_done_callback(partial(self._send_handler_result, msg_id=id_))

    def finish_first(self, rest: Coroutine[Any, Any, None]) -> None:
        """The rest of the message that was received last, which looks at the disk, is awaited before the next message."""
        self._unfinished = rest

    async def finished(self) -> None:
        """Awaits the rest of the last message; an error there affects that message only."""
        rest, self._unfinished = self._unfinished, None
        try:
            if rest is not None:
                await rest
        except Exception:
            log.exception("a message could not be handled")

    def cancel_requests(self) -> None:
        """The connection has ended: pending answers are no longer needed."""
        for future in list(self._request_futures.values()):
            future.cancel()

    def _take_notification(self, method: str, message: dict[str, Any]) -> None:
        if method == types.EXIT:
            self.exit_status = 0 if self._shutdown else 1
        elif not self._initialized or self._shutdown:
            log.info("dropped %s outside of the session", method)
        elif (handler := self._documents.get(method)) is not None:
            self._unfinished = handler(message.get("params") or {})
        elif method == types.CANCEL_REQUEST:
            params = message.get("params")
            id_ = params.get("id") if isinstance(params, dict) else None
            future = self._request_futures.get(id_) if isinstance(id_, int | str) else None
            if isinstance(future, asyncio.Future):
                future.cancel()
        elif self._knows(method):
            notification = self._structured(method, {**message, "jsonrpc": "2.0"})
            if isinstance(notification, str):
                self.log_to_client(f"{method} was ignored: {notification}")
            else:
                self.handle_message(notification)

    def _take_response(self, id_: Any, message: dict[str, Any]) -> None:
        future = self._request_futures.pop(id_, None) if isinstance(id_, int | str) else None
        if future is None or future.done():
            return
        self._result_types.pop(id_, None)
        if message.get("error") is not None:
            future.set_exception(JsonRpcException(str(message["error"])))
        else:
            future.set_result(message.get("result"))

    def _knows(self, method: str) -> bool:
        return method in self.fm.features or method in self.fm.builtin_features

    def _structured(self, method: str, message: dict[str, Any]) -> Any:
        """The typed message, or a sentence that says what is wrong with it."""
        kind = self.get_message_type(method)
        if kind is None:
            return f"{method} has no type"
        try:
            return self._converter.structure(message, kind)
        except Exception as error:
            try:
                reasons = cattrs.transform_error(error)
            except Exception:
                reasons = [str(error)]
            return "; ".join(reasons[:3])[:500]

    # ---- sending ------------------------------------------------------------------------------------------------

    def send_error(self, id_: Any, code: int, message: str, data: Any = None) -> None:
        """Answers a request with an error; `id_` is None where the request's is not known."""
        error = {"code": code, "message": message} | ({} if data is None else {"data": data})
        self.send_bytes(json.dumps({"jsonrpc": "2.0", "id": id_, "error": error}).encode())

    def send_bytes(self, body: bytes) -> None:
        """Sends one message that is JSON already."""
        self.send_framed(framed(body))

    def send_framed(self, message: bytes) -> None:
        """Sends one message with its header."""
        if self.writer is None or (self.transport is not None and self.transport.is_closing()):
            return
        self.writer.write(message)
        if self.transport is not None and self.transport.get_write_buffer_size() > OUTPUT_LIMIT:
            log.error("the client does not read; the connection is closed")
            self.transport.abort()

    @property
    def transport(self) -> asyncio.WriteTransport | None:
        """Transport that the writer writes to, if the writer exposes one."""
        return getattr(self.writer, "transport", None)

    def log_to_client(self, text: str) -> None:
        """A line in the editor's log of this server."""
        params = {"type": types.MessageType.Warning.value, "message": text}
        body = {"jsonrpc": "2.0", "method": types.WINDOW_LOG_MESSAGE, "params": params}
        self.send_bytes(json.dumps(body).encode())

    def _send_data(self, data: Any) -> None:
        self.send_bytes(json.dumps(data, default=self._serialize_message).encode())

    def _send_response(self, msg_id: Any, result: Any = None, error: types.ResponseError | None = None) -> None:
        if self._first is not None and msg_id == self._first["id"] and self._was_greeted(self._first, result, error):
            self._result_types.pop(msg_id, None)
            return
        if error is None and isinstance(result, RawJson):
            self._result_types.pop(msg_id, None)
            self.send_bytes(b'{"jsonrpc": "2.0", "id": %b, "result": %b}' % (json.dumps(msg_id).encode(), result.data))
        elif error is not None:
            # The traceback is for our log, not for the client.
            data = None if error.code == INTERNAL_ERROR else error.data
            self.send_error(msg_id, error.code, error.message, data)
        else:
            super()._send_response(msg_id, result, error)

    def _was_greeted(self, message: dict[str, Any], result: Any, error: types.ResponseError | None) -> bool:
        """True if the client already has the answer to `initialize`; else the answer is noted for the next daemon."""
        self._first = None
        text = json.dumps(result, default=self._serialize_message) if error is None else ""
        if error is None and self._begun.notes is not None:
            self._begun.notes.learn(message, text)
        if self._begun.result is None:
            return False
        if error is not None and self.transport is not None:
            log.error("a client connected but cannot be served: %s", error.message)
            self.transport.abort()
        elif text != self._begun.result:
            log.warning("a client was greeted with what another package can do")
        return True

    # ---- the library's document store, switched off ----------------------------------------------------------------

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: Any) -> None:
        """Handled by the session, before this dispatcher."""

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: Any) -> None:
        """Handled by the session, before this dispatcher."""

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: Any) -> None:
        """Handled by the session, before this dispatcher."""
