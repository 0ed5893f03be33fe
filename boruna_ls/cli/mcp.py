"""`boruna-ls mcp`: forwards an agent to the daemon. The installed commands get here for help alone (`boruna_ls/entry.py`)."""

from __future__ import annotations

from typing import Any

from boruna_ls.command_options import command_of


def _serve(options: dict[str, Any]) -> int:
    from boruna_ls.client import serve

    return serve("mcp", options, "boruna-ls mcp")


command = command_of("mcp", _serve)
