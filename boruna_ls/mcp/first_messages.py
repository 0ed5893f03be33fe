"""The messages of a session, read and written once before there is one.

The protocol's library compiles the classes of a message when the first one comes (`library_models.py`). On the event loop that
takes 20 to 80 ms for each of the first messages of the first agent, in which no key of an editor is taken.
"""

from __future__ import annotations

import logging
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.server.models import InitializationOptions
from mcp_types import methods

_HANDSHAKE: Final = "2025-11-25"
_LATEST: Final = "2026-07-28"
"""Versions whose classes are all that there are: the first one's serve every version with a handshake."""
_META: Final = {"_meta": {types.PROTOCOL_VERSION_META_KEY: _LATEST, types.CLIENT_CAPABILITIES_META_KEY: {}}}
_COMPLETE: Final = {"resultType": "complete", "cacheScope": "private", "ttlMs": 0}
_NAMED: Final = {"name": "", "version": ""}
_MESSAGES: Final[dict[str, tuple[dict[str, Any], dict[str, Any]]]] = {
    "initialize": (
        {"protocolVersion": _HANDSHAKE, "capabilities": {}, "clientInfo": _NAMED},
        {"protocolVersion": _HANDSHAKE, "capabilities": {"tools": {}}, "serverInfo": _NAMED},
    ),
    "tools/list": (_META, {"tools": [{"name": "", "inputSchema": {"type": "object"}}], **_COMPLETE}),
    "tools/call": (
        {"name": "", "arguments": {}, **_META},
        {"content": [{"type": "text", "text": ""}], "structuredContent": {}, **_COMPLETE},
    ),
}
"""Parameters and result of the requests that most sessions make."""
_log = logging.getLogger(__name__)


def compile_messages() -> None:
    """Has compiled, on the calling thread, what most sessions need."""
    try:
        _begin_session()
        for method, (params, result) in _MESSAGES.items():
            for version in (_HANDSHAKE, _LATEST):
                if (method, version) in methods.CLIENT_REQUESTS:
                    methods.parse_client_request(method, version, params)
                    methods.serialize_server_result(method, version, result)
    except Exception:
        # Then the first messages take longer, and nothing else does.
        _log.exception("the classes of a session's messages could not be compiled ahead")


def _begin_session() -> None:
    """What the library itself makes of these messages, and its loop."""
    anyio.run(anyio.sleep, 0)
    params, result = _MESSAGES["initialize"]
    types.InitializeRequestParams.model_validate(params)
    types.InitializeResult.model_validate(result).model_dump(by_alias=True)
    methods.parse_client_notification("notifications/initialized", _HANDSHAKE, {})
    capabilities = types.ServerCapabilities(
        tools=types.ToolsCapability(),
        resources=types.ResourcesCapability(),
        prompts=types.PromptsCapability(),
        completions=types.CompletionsCapability(),
    )
    InitializationOptions(server_name="", server_version="", capabilities=capabilities)
    types.RequestParams.model_validate({})
    types.PaginatedRequestParams.model_validate({})
    types.CallToolRequestParams.model_validate({"name": ""})
    tool = types.Tool(name="", input_schema={"type": "object"}, annotations=types.ToolAnnotations())
    types.ListToolsResult(tools=[tool]).model_dump(by_alias=True)
    types.CallToolResult(content=[types.TextContent(text="")], structured_content={}).model_dump(by_alias=True)
    types.JSONRPCRequest(jsonrpc="2.0", id=1, method="ping")
    types.JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized").model_dump_json(by_alias=True)
    types.JSONRPCResponse(jsonrpc="2.0", id=1, result={}).model_dump_json(by_alias=True)
