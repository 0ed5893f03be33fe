"""`boruna-ls mcp`: forwards an agent to the daemon; it reads its own arguments, as `boruna-mcp` does."""

from __future__ import annotations

import click


@click.command(
    short_help="Serve an agent on standard input and output.",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> int:
    """Speaks MCP on standard input and output until the client leaves."""
    from boruna_ls.client import client

    return client("mcp", arguments)
