"""A line of input as a message, or the error that answers it: no input ends the connection.

The SDK's layer drops what is malformed without a word, so the shape of a message and of the parameters of known methods
is checked here, before the SDK sees it.
"""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any, Final

import pydantic_core
from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    PROTOCOL_VERSION_META_KEY,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from boruna_ls.pace import has_too_many_values, too_many_values
from boruna_ls.wire.lines import lined

_LONE_SURROGATE: Final = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
_ID_AT_START: Final = re.compile(
    rb'\s*+\{\s*+(?:"jsonrpc"\s*+:\s*+"2\.0"\s*+,\s*+)?+(?:"method"\s*+:\s*+"[a-z/]{1,50}"\s*+,\s*+)?+"id"\s*+:\s*+'
    rb'("[^"\\\x00-\x1f\x80-\xff]{0,200}"|-?+[0-9]{1,18})\s*+[,}]'
)
LONGEST: Final = 72 << 20
"""Bytes of a message."""
_LOOKED_AT: Final = 1 << 16
"""Maximum bytes of a line that is examined if it is not JSON."""
LARGEST_ID: Final = 2**63 - 1
_KINDS: Final = {
    str: "a string",
    dict: "an object",
    list: "a list",
    int: "an integer",
    float: "a number",
    bool: "a boolean",
}
_MEMBERS: Final[dict[str, dict[str, tuple[type, bool]]]] = {
    "initialize": {"protocolVersion": (str, True), "capabilities": (dict, True), "clientInfo": (dict, True)},
    "tools/call": {"name": (str, True), "arguments": (dict, False)},
    "resources/read": {"uri": (str, True)},
    "resources/subscribe": {"uri": (str, True)},
    "resources/unsubscribe": {"uri": (str, True)},
    "prompts/get": {"name": (str, True), "arguments": (dict, False)},
    "completion/complete": {"ref": (dict, True), "argument": (dict, True)},
}
"""Members of `params` by method: their type, and whether they must be there."""
_ANY_SHAPE: Final = frozenset({"ping", "tools/list", "resources/list", "resources/templates/list", "prompts/list"})
"""Methods whose parameters may have any shape, as they are not needed."""


class Refused(Exception):
    """A message that is answered with a JSON-RPC error right away."""

    def __init__(self, request_id: Any, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.request_id = request_id
        self.code = code
        self.message = message
        self.data = data

    def line(self) -> bytes:
        """The error as a line of output."""
        error = {"code": self.code, "message": self.message} | ({} if self.data is None else {"data": self.data})
        message = {"jsonrpc": "2.0", "id": self.request_id, "error": error}
        return lined(json.dumps(message, separators=(",", ":")).encode())


Message = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError


def read_message(line: bytes) -> Message | None:
    """The message of a line; None for an answer without an id that we could have asked with. Raises Refused."""
    if len(line) > LONGEST:
        raise Refused(_id_at_start(line), INVALID_REQUEST, f"a message may have {LONGEST >> 20} MB at most")
    if has_too_many_values(line):
        raise Refused(_id_at_start(line), INVALID_REQUEST, too_many_values())
    try:
        value = pydantic_core.from_json(line, allow_inf_nan=False)
    except ValueError as error:
        if len(line) > _LOOKED_AT:
            # To look for the cause takes the event loop many times as long as to read it did.
            raise Refused(_id_at_start(line), PARSE_ERROR, f"not a JSON document: {error}") from None
        cause = "a lone surrogate escape is not a character" if _LONE_SURROGATE.search(line) else str(error)
        raise Refused(_readable_id(line), PARSE_ERROR, f"not a JSON document: {cause}") from None
    if isinstance(value, list):
        raise Refused(None, INVALID_REQUEST, "batches are not supported: send one JSON-RPC message a line")
    if not isinstance(value, dict):
        raise Refused(None, INVALID_REQUEST, f"a message is an object, not {kind_of(value)}")
    request_id: Any = value.get("id")
    echoed = request_id if _is_id(request_id) or (isinstance(request_id, float) and isfinite(request_id)) else None
    if value.get("jsonrpc") != "2.0":
        raise Refused(echoed, INVALID_REQUEST, 'member `jsonrpc` must be "2.0"')
    if "method" not in value and ("result" in value or "error" in value):
        return _answer(request_id, value)
    method, params = value.get("method"), value.get("params")
    if not isinstance(method, str):
        raise Refused(echoed, INVALID_REQUEST, f"member `method` must be a string, not {kind_of(method)}")
    if "id" not in value:
        valid_params = params if isinstance(params, dict) and _meta_of(params) is not None else None
        return JSONRPCNotification(jsonrpc="2.0", method=method, params=valid_params)
    if not _is_id(request_id):
        raise Refused(echoed, INVALID_REQUEST, f"member `id` must be a string or a 64-bit integer, not {kind_of(request_id)}")
    return JSONRPCRequest(jsonrpc="2.0", id=request_id, method=method, params=_checked(request_id, method, params))


def _answer(request_id: Any, value: dict[str, Any]) -> JSONRPCResponse | JSONRPCError | None:
    """A client's answer to our request; one with a wrong shape is an error, so that no call waits forever."""
    if not _is_id(request_id):
        return None
    result, error = value.get("result"), value.get("error")
    if isinstance(result, dict) and "error" not in value:
        return JSONRPCResponse(jsonrpc="2.0", id=request_id, result=result)
    code, message = (error.get("code"), error.get("message")) if isinstance(error, dict) else (None, None)
    if type(code) is not int or not isinstance(message, str):
        code, message = INVALID_REQUEST, "an answer must have `result` (an object) or `error` (an object with code and message)"
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=message))


def kind_of(value: Any) -> str:
    """Type of a JSON value, in words."""
    return "null" if value is None else _KINDS[type(value)]


def _is_id(value: Any) -> bool:
    return isinstance(value, str) or (type(value) is int and -LARGEST_ID - 1 <= value <= LARGEST_ID)


def _checked(request_id: Any, method: str, params: Any) -> dict[str, Any] | None:
    if params is None:
        params = {}
    elif not isinstance(params, dict):
        if method not in _ANY_SHAPE:
            raise Refused(request_id, INVALID_PARAMS, f"`params` must be an object, not {kind_of(params)}")
        params = {}
    meta = _meta_of(params)
    if meta is None:
        raise Refused(request_id, INVALID_PARAMS, f"`params._meta` must be an object, not {kind_of(params['_meta'])}")
    if "progressToken" in meta and not _is_id(meta["progressToken"]):
        del meta["progressToken"]
    if method in _ANY_SHAPE and not isinstance(params.get("cursor", ""), str):
        del params["cursor"]
    for name, (kind, is_required) in _MEMBERS.get(method, {}).items():
        value = params.get(name)
        if value is None and (is_required or name in params):
            if not is_required:
                del params[name]
                continue
            reason = f"`params.{name}` is missing: it must be {_KINDS[kind]}"
            raise Refused(request_id, INVALID_PARAMS, reason, {"argument": name})
        if value is not None and type(value) is not kind:
            reason = f"`params.{name}` must be {_KINDS[kind]}, not {kind_of(value)}"
            raise Refused(request_id, INVALID_PARAMS, reason, {"argument": name})
    if method == "initialize":
        for name in ("name", "version"):
            if not isinstance(params["clientInfo"].get(name), str):
                reason = f"`params.clientInfo.{name}` must be a string"
                raise Refused(request_id, INVALID_PARAMS, reason, {"argument": "clientInfo"})
    if method == "tools/call" and params.get("task") is not None and PROTOCOL_VERSION_META_KEY not in meta:
        raise Refused(request_id, INVALID_PARAMS, "Tool does not support task-based invocation", {"argument": "task"})
    return params or None


def _meta_of(params: dict[str, Any]) -> dict[str, Any] | None:
    """`_meta`, an empty object if it is absent or null, None if it has another type."""
    meta = params.get("_meta")
    if meta is None:
        params.pop("_meta", None)
        return {}
    return meta if isinstance(meta, dict) else None


def _id_at_start(line: bytes) -> Any:
    """The id of a line of any length, if it stands where clients put it."""
    match = _ID_AT_START.match(line[:_LOOKED_AT])
    return json.loads(match[1]) if match is not None else None


def _readable_id(line: bytes) -> Any:
    """The id of a line that is JSON but for its characters (not UTF-8, lone surrogates, raw control characters)."""
    try:
        value = json.loads(line.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None
    request_id = value.get("id") if isinstance(value, dict) else None
    return request_id if _is_id(request_id) else None
