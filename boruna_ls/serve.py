"""`boruna-ls serve --http`: agents over Streamable HTTP, from a process of its own."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from boruna_ls.forwarder.options import add_tools
from boruna_ls.mcp.http import options as http

Agents = Callable[[Any], AbstractAsyncContextManager[int]]
"""Serves agents of a host over HTTP while a block runs."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status of `boruna-ls serve ARGUMENTS`."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if not options.http:
        parser.error("serve needs --http")
    try:
        agents = agents_of(options)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    try:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_serve(agents, options.libs_dir))
    except OSError as error:
        print(f"boruna-ls: {error}", file=sys.stderr)
        return 1
    return 0


async def _serve(agents: Agents, libs_dir: str | None) -> None:
    """Serves until SIGTERM or SIGINT."""
    from boruna_ls.process import prepare
    from boruna_ls.workspace import Host

    prepare()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with agents(Host(libs_dir)):
        await stopped.wait()


def agents_of(options: argparse.Namespace) -> Agents:
    """What to serve over HTTP. Raises ValueError or OSError for what cannot be."""
    from boruna_ls.mcp.toolsets import select

    chosen = http.options_of(options)
    selection = select(options.toolsets, options.tools, options.read_only)

    def agents(host: Any) -> AbstractAsyncContextManager[int]:
        from boruna_ls.mcp.http.app import serving

        return serving(host, chosen, selection)

    return agents


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="boruna-ls serve", allow_abbrev=False, description="Serves agents over HTTP.")
    parser.add_argument("--libs-dir", metavar="DIR", help="folder of libraries, before the built-in ones")
    http.add_options(parser)
    add_tools(parser)
    return parser
