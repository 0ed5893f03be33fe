"""`boruna-ls serve`: agents over HTTP, until the command is ended."""

from __future__ import annotations

from typing import Any, Final

import click

from boruna_ls.command_options import parameters_of
from boruna_ls.forwarder.options import DEADLINE_OF_CALLS, LIBS, TOOLS, BadOptions
from boruna_ls.mcp.http.options import TOKEN_VARIABLE, HttpOptions

_KNOWN: Final = HttpOptions()
_POSITIVE: Final = click.IntRange(min=1)


@parameters_of((LIBS, DEADLINE_OF_CALLS, *TOOLS))
@click.command(short_help="Serve agents over HTTP.")
@click.option("--http", is_flag=True, help="Serve agents at http://HOST:PORT/mcp.")
@click.option("--standalone", is_flag=True, help="Serve from this process, without the daemon.")
@click.option("--host", metavar="HOST", default=_KNOWN.host, help=f"Address to listen at (default: {_KNOWN.host}).")
@click.option(
    "--port", metavar="PORT", type=click.IntRange(0, 65535), default=_KNOWN.port, help=f"Default: {_KNOWN.port}; 0: any free one."
)
@click.option("--root", metavar="DIR", multiple=True, help="Folder to serve (default: this one).")
@click.option(
    "--token-file",
    metavar="FILE",
    help=f"File with the bearer token (or variable {TOKEN_VARIABLE}; default: one is created and stored).",
)
@click.option("--no-auth", is_flag=True, help="No token: scope read only, on this machine only.")
@click.option("--jwt-issuer", metavar="URL", default="", help="OAuth 2: accept the tokens of this issuer.")
@click.option("--jwt-audience", metavar="NAME", default="", help="Required audience of the tokens (default: our URL).")
@click.option("--jwt-key-file", metavar="PEM", default="", help="The issuer's public key.")
@click.option("--jwks-url", metavar="URL", default="", help="Address of the issuer's published keys.")
@click.option("--public-url", metavar="URL", default="", help="The server's address for clients, behind a proxy.")
@click.option("--allowed-host", metavar="HOST", multiple=True, help="Additional value of the header Host.")
@click.option("--allowed-origin", metavar="URL", multiple=True, help="Additional value of Origin.")
@click.option(
    "--max-sessions",
    metavar="N",
    type=_POSITIVE,
    default=_KNOWN.max_sessions,
    help=f"Maximum number of sessions (default: {_KNOWN.max_sessions}).",
)
@click.option(
    "--session-ttl",
    metavar="SECONDS",
    type=float,
    default=_KNOWN.session_ttl,
    help=f"An idle session ends after this time (default: {_KNOWN.session_ttl:.0f}).",
)
@click.option(
    "--max-request", metavar="BYTES", type=_POSITIVE, default=_KNOWN.max_request, help="Largest request (default: 8 MB)."
)
@click.option(
    "--patience", metavar="SECONDS", type=float, default=_KNOWN.patience, help="Time limit to send a request or read an answer."
)
def command(**options: Any) -> int:
    """Serves agents over Streamable HTTP, from the user's daemon, as long as this command runs."""
    from boruna_ls.serve import main

    try:
        return main(options)
    except BadOptions as error:
        raise click.UsageError(str(error)) from None
