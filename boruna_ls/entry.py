"""The installed commands `boruna-ls`, `boruna-lsp` and `boruna-mcp`.

`lsp` and `mcp` go to the forwarder, before anything is imported that takes time; everything else is the command line's.
"""

from __future__ import annotations

import sys

from boruna_ls.client import client


def main() -> int:
    """`boruna-ls COMMAND …`; returns the exit status."""
    if len(sys.argv) > 1 and sys.argv[1] in ("lsp", "mcp"):
        return client(sys.argv[1], sys.argv[2:], f"boruna-ls {sys.argv[1]}")
    if sys.argv[1:2] == ["check"]:
        from boruna_ls.cli.quick import check

        status = check(sys.argv[2:])
        if status is not None:
            return status
    import gc

    # What is imported stays: the collector would look through it again and again. `cli/main.py` switches it on.
    gc.disable()
    from boruna_ls.cli.main import main as command_line

    return command_line()


def mcp_main() -> int:
    """`boruna-mcp …`, the same as `boruna-ls mcp …`."""
    return client("mcp", sys.argv[1:])


def lsp_main() -> int:
    """`boruna-lsp …`, the same as `boruna-ls lsp …`."""
    return client("lsp", sys.argv[1:])
