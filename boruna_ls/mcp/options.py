"""Options that every command that serves agents has. It stays light: a command line is read before the server is loaded."""

from __future__ import annotations

import argparse
from typing import Final

GROUPS: Final = ("language", "app", "workflow", "analysis", "executions", "sandbox")
ALL: Final = "all"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which tools there are, see `toolsets.select`."""
    parser.add_argument(
        "--toolsets", metavar="NAMES", type=_names, default=[], help=f"tools to show, by group: {', '.join(GROUPS)}, {ALL}"
    )
    parser.add_argument("--tools", metavar="NAMES", type=_names, default=[], help="the only tools to offer, beside --toolsets")
    parser.add_argument("--read-only", action="store_true", help="leave out the tools that run programs or write")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
