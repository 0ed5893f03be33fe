"""The tools of a connected server: listed within limits, and listed again when the server reports a change.

Servers of 2025 report changes by a notification, those of 2026-07-28 on a stream that the client asks for.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Final

from mcp import Client, MCPError
from mcp.client.subscriptions import SubscriptionLost
from mcp_types import Tool
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from analysis.inputs import ToolSchema
from boruna_ls.workspace.tool_servers import MOST_TOOLS

LISTING_LIMIT: Final = 16 << 20
"""Characters of the pages on which a server lists its tools, together."""
_DESCRIPTION: Final = 20_000
_SCHEMA: Final = 262_144
_ASKED: Final = 1.0
"""Seconds until a server should have confirmed that it reports changes, before its tools are listed."""
_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 60.0


async def tools_of(client: Client) -> dict[str, ToolSchema]:
    """A server's tools by name: the first ones, where there are too many or they are too large."""
    tools: dict[str, ToolSchema] = {}
    if client.server_capabilities.tools is None:
        return tools
    cursor: str | None = None
    left = LISTING_LIMIT
    while True:
        page = await client.list_tools(cursor=cursor, cache_mode="bypass")
        # All of it counts: the library keeps more of a tool than we do.
        left -= len(page.model_dump_json())
        if left < 0:
            return tools
        before = len(tools)
        for tool in page.tools[: MOST_TOOLS + 1]:
            if len(tools) < MOST_TOOLS:
                tools.setdefault(tool.name, _schema_of(tool))
        cursor = page.next_cursor
        if not cursor or len(tools) in (before, MOST_TOOLS):
            # A page without a new tool is the last one: a server could send the same page for ever.
            return tools


def _schema_of(tool: Tool) -> ToolSchema:
    """A tool as checks know it, its texts cut to bounds."""
    schema = json.dumps(tool.input_schema, separators=(",", ":"))
    if len(schema) > _SCHEMA:
        schema = "{}"
    return ToolSchema(tool.name, (tool.description or "")[:_DESCRIPTION], schema)


class Changes:
    """The stream of a 2026-07-28 server on which it reports that its tools have changed; `changed` is called for each report.

    A stream that ends is asked for again, after pauses that grow; what changed meanwhile is unknown, so that counts as a report.
    """

    def __init__(self, client: Client, changed: Callable[[], None]) -> None:
        self._client = client
        self._changed = changed
        self._is_confirmed = asyncio.Event()
        self._has_begun = False
        """True if the tools were listed, or are being listed."""
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Asks for the stream, and waits a moment for the answer: a change between it and a listing would be missed."""
        capability = self._client.server_capabilities.tools
        if capability is not None and capability.list_changed and self._client.protocol_version in MODERN_PROTOCOL_VERSIONS:
            self._task = asyncio.create_task(self._listen())
            confirmed = asyncio.create_task(self._is_confirmed.wait())
            await asyncio.wait({self._task, confirmed}, timeout=_ASKED, return_when=asyncio.FIRST_COMPLETED)
            confirmed.cancel()
        self._has_begun = True

    async def stop(self) -> None:
        """Ends the stream."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=1.0)

    async def _listen(self) -> None:
        pause = _FIRST_PAUSE
        while True:
            begins = time.monotonic()
            try:
                async with self._client.listen(tools_list_changed=True) as stream:
                    if not stream.honored.tools_list_changed:
                        return
                    if self._has_begun:
                        self._changed()
                    self._is_confirmed.set()
                    async for _ in stream:
                        self._changed()
            except (MCPError, SubscriptionLost, TimeoutError):
                if not self._is_confirmed.is_set():
                    return
            if time.monotonic() - begins > _LONGEST_PAUSE:
                pause = _FIRST_PAUSE
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
