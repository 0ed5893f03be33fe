"""`boruna-ls lsp`, `boruna-lsp`: the language server."""

from __future__ import annotations

import click


@click.command(short_help="Serve an editor on standard input and output.")
@click.option("--libs-dir", metavar="DIR", type=click.Path(), help="Folder of libraries, before the built-in ones.")
@click.option("--stdio", is_flag=True, help="The only way to connect; editors that say so may.")
def command(libs_dir: str | None, stdio: bool) -> int:
    """Speaks LSP on standard input and output until the editor says exit."""
    from boruna_ls.lsp.stdio import main as serve

    return serve(libs_dir)
