"""The views that serve clients, each imported when its first client comes or when there is nothing else to do."""

from __future__ import annotations

import asyncio
import importlib
import logging
from typing import Any, Final

_MODULES: Final = {"lsp": "boruna_ls.lsp.server", "mcp": "boruna_ls.mcp.server"}
_PAUSE: Final = 0.5
"""Seconds after the start before the view that nobody asked for is loaded."""


class Views:
    """What is loaded, and the host that all views share."""

    def __init__(self) -> None:
        self._host: Any = None

    @property
    def host(self) -> Any:
        """The one workspace host of the process."""
        if self._host is None:
            from boruna_ls.process import prepare
            from boruna_ls.workspace import Host

            prepare()
            # The library logs every refused request with a traceback; the server reports what is wrong with itself.
            logging.getLogger("pygls").setLevel(logging.CRITICAL)
            self._host = Host()
        return self._host

    def load(self, protocol: str) -> Any:
        """The module that serves a protocol."""
        return importlib.import_module(_MODULES[protocol])

    async def load_rest(self) -> None:
        """Loads in the background what no client has asked for yet."""
        await asyncio.sleep(_PAUSE)
        for protocol in _MODULES:
            await asyncio.to_thread(self.load, protocol)

    async def serve_editor(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, hello: dict[str, Any]) -> None:
        """One editor, from its first byte behind the hello to its end."""
        await self.load("lsp").run_connection(self.host, reader, writer)
        await writer.drain()

    async def serve_agent(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, hello: dict[str, Any], selection: Any
    ) -> None:
        """One agent, from its first byte behind the hello to its end."""
        from boruna_ls.mcp.channels import StreamChannel

        folders = [folder] if isinstance(folder := hello.get("cwd"), str) and folder else []
        deadline = float(hello["options"].get("deadline") or 60.0)
        await self.load("mcp").run_connection(self.host, StreamChannel(reader, writer), folders, deadline, selection)

    def selection(self, options: dict[str, Any]) -> Any:
        """The tools that an agent's options choose. Raises ValueError for an unknown one."""
        from boruna_ls.mcp.toolsets import select

        return select(options.get("toolsets") or (), options.get("tools") or (), bool(options.get("read_only")))

    def end(self) -> None:
        """Stops what computes, and the processes that run programs."""
        if self._host is not None:
            from boruna_ls.runtime.workers import shared_pool

            self._host.worker.stop()
            shared_pool().close()
