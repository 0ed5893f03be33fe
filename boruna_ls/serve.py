"""`boruna-ls serve` and `boruna-ls connect`: the daemon of a folder, and a client's way to it.

The folder belongs to its user alone; where there are no Unix sockets, a secret in it does the same. This module stays
light: every client's forwarder imports it.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import stat
import sys
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from boruna_ls.forward import connect, forward
from boruna_ls.mcp.http import options as http
from boruna_ls.mcp.options import add_options

if TYPE_CHECKING:
    from boruna_ls.daemon import Agents
    from boruna_ls.workspace import Host


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status of a command line that begins with `serve` or `connect`."""
    parser = _parser()
    options = parser.parse_args(arguments)
    folder = Path(options.socket).expanduser() if options.socket else None
    if options.command == "connect":
        assert folder is not None
        return forward(options.protocol, folder, options.wait)
    if folder is None and not options.http:
        parser.error("serve needs --socket, --http or both")
    try:
        agents = agents_of(options) if options.http else None
    except (OSError, ValueError) as error:
        parser.error(str(error))
    try:
        if folder is not None:
            _claim(folder)
        import asyncio

        from boruna_ls.daemon import serve

        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(serve(folder, options.libs_dir, agents))
    except OSError as error:
        print(f"boruna-ls: {error}", file=sys.stderr)
        return 1
    return 0


def agents_of(options: argparse.Namespace) -> Agents:
    """What to serve over HTTP. Raises ValueError or OSError for what cannot be."""
    from boruna_ls.mcp.toolsets import select

    chosen = http.options_of(options)
    selection = select(options.toolsets, options.tools, options.read_only)

    def agents(host: Host) -> AbstractAsyncContextManager[int]:
        from boruna_ls.mcp.http.app import serving

        return serving(host, chosen, selection)

    return agents


def _claim(folder: Path) -> None:
    """Makes the folder ours. Raises OSError if it is somebody else's or served already."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.stat()
    if hasattr(os, "getuid") and (status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o077):
        raise OSError(f"{folder} must belong to you alone (mode 0700)")
    try:
        connect(folder).close()
    except OSError:
        return
    raise OSError(f"another process serves at {folder}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="boruna-ls", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    server = commands.add_parser("serve", help="serve editors and agents from one process", allow_abbrev=False)
    server.add_argument("--libs-dir", metavar="DIR", help="folder of libraries, before the built-in ones")
    http.add_options(server)
    add_options(server)
    client = commands.add_parser("connect", help="forward a client to that process", allow_abbrev=False)
    client.add_argument("protocol", choices=["lsp", "mcp"])
    client.add_argument("--wait", metavar="SECONDS", type=float, default=5.0, help="for the process to appear")
    for command in (server, client):
        command.add_argument("--socket", metavar="DIR", required=command is client, help="folder of the process's socket")
    return parser
