"""`boruna-mcp` and `boruna-ls mcp`: the server on the standard streams of this process."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from collections.abc import Sequence

from boruna_ls import __version__
from boruna_ls.mcp.options import add_options


def main(arguments: Sequence[str] | None = None) -> int:
    """Serves until the input ends; exit status 2 for a bad command line."""
    parser = _parser()
    options = parser.parse_args(arguments)
    # Like other tools on a pipe: a signal ends the process at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    asyncio.run(_serve(parser, options))
    return 0


async def _serve(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    from boruna_ls.mcp.channels import StandardStreams
    from boruna_ls.mcp.server import run_connection
    from boruna_ls.mcp.toolsets import selected
    from boruna_ls.process import prepare
    from boruna_ls.workspace import Host

    selection = selected(parser, options)
    prepare()
    host = Host(libs_dir=options.libs_dir)
    await run_connection(host, StandardStreams(), [os.getcwd()], options.deadline, selection)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="boruna-mcp",
        allow_abbrev=False,
        description="Serves the tools for .ax programs to an MCP client on standard input and output.",
    )
    parser.add_argument("--templates-dir", metavar="DIR", help="folder of templates (default: the stock ones)")
    parser.add_argument("--libs-dir", metavar="DIR", help="folder of libraries, before the built-in ones")
    parser.add_argument(
        "--deadline", metavar="SECONDS", type=_seconds, default=60.0, help="time that a call may take (default: 60)"
    )
    add_options(parser)
    parser.add_argument("--version", action="version", version=f"boruna-ls {__version__}")
    return parser


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value <= 3600:
        raise argparse.ArgumentTypeError("must be more than 0 and at most 3600")
    return value
