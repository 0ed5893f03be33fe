"""`boruna-ls mcp`: the MCP server; it reads its own arguments, as `boruna-mcp` does."""

from __future__ import annotations

import click


@click.command(
    short_help="Serve an agent on standard input and output.",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> int:
    """Speaks MCP on standard input and output until the input ends."""
    from boruna_ls.mcp.main import main as serve

    return serve(arguments)
