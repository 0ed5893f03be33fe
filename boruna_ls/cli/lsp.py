"""`boruna-ls lsp`: forwards an editor to the daemon. The installed commands get here for help alone (`boruna_ls/entry.py`)."""

from __future__ import annotations

from typing import Any

from boruna_ls.command_options import command_of


def _serve(options: dict[str, Any]) -> int:
    from boruna_ls.client import serve

    return serve("lsp", options, "boruna-ls lsp")


command = command_of("lsp", _serve)
