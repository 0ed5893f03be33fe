"""`boruna-ls connect`: forwards a client to the process that serves; it reads its own arguments."""

from __future__ import annotations

import click


@click.command(
    short_help="Forward standard input and output to a process that serves.",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> int:
    """Forwards until one side ends."""
    from boruna_ls.serve import main as serve

    return serve(["connect", *arguments])
