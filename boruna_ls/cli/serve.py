"""`boruna-ls serve`: agents over HTTP; it reads its own arguments."""

from __future__ import annotations

import click


@click.command(
    short_help="Serve agents over HTTP.",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> int:
    """Accepts clients until it is ended."""
    from boruna_ls.serve import main as serve

    return serve(arguments)
