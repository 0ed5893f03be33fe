"""How the official client starts an agent's server."""

from __future__ import annotations

import os
from pathlib import Path

from mcp import StdioServerParameters

from tests.support.commands import command


def agent_server(*options: str, cwd: Path | None = None, alone: bool = False) -> StdioServerParameters:
    """`boruna-mcp OPTIONS`, served by the daemon of this run, which starts once; with `alone` by a process of its own."""
    line = ["--standalone", *options] if alone else [*options]
    return StdioServerParameters(command=command("boruna-mcp"), args=line, env={**os.environ}, cwd=cwd)
