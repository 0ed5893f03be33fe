"""The command lines of `boruna-ls lsp` and `mcp`, and what of them the daemon must know. Imported when there are options."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any

from boruna_ls import __version__
from boruna_ls.wire.toolsets import ALL, GROUPS

DEADLINE = 60.0


def parse(protocol: str, arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a command line, paths made absolute; ends the process with status 2 if it is a bad one."""
    reader = parser(protocol)
    found = reader.parse_args(arguments)
    for name in ("libs_dir", "templates_dir"):
        if path := getattr(found, name, None):
            try:
                setattr(found, name, os.path.abspath(path))
            except OSError:
                reader.error(f"{path} counts from a folder that is gone: give an absolute path")
    return found


def parser(protocol: str) -> argparse.ArgumentParser:
    """Reads the options of one of the two commands."""
    what = {
        "lsp": ("boruna-lsp", "Serves an editor on standard input and output (LSP)."),
        "mcp": ("boruna-mcp", "Serves the tools for .ax programs to an MCP client on standard input and output."),
    }
    program, description = what[protocol]
    found = argparse.ArgumentParser(prog=program, allow_abbrev=False, description=description)
    found.add_argument("--standalone", action="store_true", help="work in this process, without the daemon")
    found.add_argument("--libs-dir", metavar="DIR", help="folder of libraries, before the built-in ones")
    if protocol == "lsp":
        found.add_argument("--stdio", action="store_true", help="the only way to connect; editors that say so may")
    else:
        found.add_argument(
            "--deadline", metavar="SECONDS", type=_seconds, default=DEADLINE, help="time that a call may take (default: 60)"
        )
        add_tools(found)
    found.add_argument("--version", action="version", version=f"boruna-ls {__version__}")
    return found


def add_tools(found: argparse.ArgumentParser) -> None:
    """What an agent is offered, see `mcp.toolsets.Selection`."""
    found.add_argument("--templates-dir", metavar="DIR", help="folder of templates (default: the stock ones)")
    found.add_argument(
        "--toolsets", metavar="NAMES", type=_names, default=[], help=f"tools to show, by group: {', '.join(GROUPS)}, {ALL}"
    )
    found.add_argument("--tools", metavar="NAMES", type=_names, default=[], help="the only tools to offer, beside --toolsets")
    found.add_argument("--read-only", action="store_true", help="leave out the tools that run programs or write")


def for_daemon(chosen: argparse.Namespace) -> dict[str, Any]:
    """The options as the hello carries them."""
    return {name: value for name, value in vars(chosen).items() if name not in ("standalone", "stdio")}


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value <= 3600:
        raise argparse.ArgumentTypeError("must be more than 0 and at most 3600")
    return value
