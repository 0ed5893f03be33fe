"""`boruna-ls dap`: serves a debugger's user interface on standard input and output."""

from __future__ import annotations

import click

from boruna_ls.cli.libs import chosen_libs, libs_option
from boruna_ls.library_models import late_pydantic


@click.command(short_help="Serve a debugger on standard input and output.")
@libs_option
def command() -> int:
    """Debugs a program for an editor that speaks the Debug Adapter Protocol."""
    with late_pydantic():
        from boruna_ls.dap.main import main

    return main(chosen_libs())
