"""The options of a server on HTTP, and the refusal of those that would leave it open. Light: read before the server is loaded.

A client of the server reads files and runs programs, so it must authenticate, on this machine, too: any
program of any user, and any page in a browser, reaches a port of it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

from analysis.data_classes import dataclass
from boruna_ls import given
from boruna_ls.mcp.http.token import configuration, own_token
from boruna_ls.mcp.http.token import path as token_path
from boruna_ls.workspace.roots import DiskView

TOKEN_VARIABLE: Final = "BORUNA_LS_TOKEN"
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_EVERYWHERE: Final = ("0.0.0.0", "::", "")
SHORTEST_TOKEN: Final = 16


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """Options of the HTTP server: address, authentication, limits. Times in seconds, sizes in bytes."""

    host: str = "127.0.0.1"
    port: int = 8765
    roots: tuple[str, ...] = ()
    """Folders whose files clients may name; relative paths count from them."""
    token: str = ""
    is_own: bool = False
    """True if the token is the one that `serve` generated, which clients get in a ready-made configuration."""
    no_auth: bool = False
    """Without a token, serve all who can reach this machine's own address, with the scope `read` only."""
    issuer: str = ""
    audience: str = ""
    key_file: str = ""
    jwks_url: str = ""
    public_url: str = ""
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    max_sessions: int = 1000
    session_ttl: float = 1800.0
    max_request: int = 8 * 1024 * 1024
    """A source of 1 MB may take six times as much as JSON."""
    max_connections: int = 1000
    patience: float = 30.0
    """Time limit for a request to arrive, and for an answer to be read."""

    @property
    def is_loopback(self) -> bool:
        """True if the server is reachable from this machine only."""
        return self.host in _LOOPBACK

    @property
    def url(self) -> str:
        """URL by which clients reach the server."""
        return self.public_url or self.url_at(self.port)

    def url_at(self, port: int) -> str:
        """URL of the listening address, with a certain port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{port}/mcp"

    def announcement(self, port: int, again: str = "") -> str:
        """Message with the URL for agents, preceded at the first start by a client's configuration if the token was generated
        here."""
        url = self.public_url or self.url_at(port)
        text = f"boruna-ls serves agents{again} at {self.url_at(port)}"
        if again or not self.is_own:
            return text
        return f"A client's configuration, with the token of {token_path()}:\n{configuration(url, self.token)}\n{text}"


def options_of(chosen: Mapping[str, Any]) -> HttpOptions:
    """The options of a command line. Raises ValueError for what cannot be served, OSError for a file that is not there."""
    token = os.environ.get(TOKEN_VARIABLE, "")
    if chosen["token_file"]:
        token = given.read(chosen["token_file"]).decode("utf-8")
    is_own = not (token.strip() or chosen["jwt_issuer"] or chosen["no_auth"])
    options = HttpOptions(
        host=chosen["host"],
        port=chosen["port"],
        roots=tuple(_own_workspace(os.path.abspath(root)) for root in chosen["root"] or [os.getcwd()]),
        token=own_token() if is_own else token.strip(),
        is_own=is_own,
        no_auth=chosen["no_auth"],
        issuer=chosen["jwt_issuer"],
        audience=chosen["jwt_audience"],
        key_file=os.path.abspath(chosen["jwt_key_file"]) if chosen["jwt_key_file"] else "",
        jwks_url=chosen["jwks_url"],
        public_url=chosen["public_url"],
        allowed_hosts=tuple(chosen["allowed_host"]),
        allowed_origins=tuple(chosen["allowed_origin"]),
        max_sessions=chosen["max_sessions"],
        session_ttl=chosen["session_ttl"],
        max_request=chosen["max_request"],
        patience=chosen["patience"],
    )
    check(options)
    return options


def _own_workspace(root: str) -> str:
    """A folder to serve. Raises ValueError for a part of a workspace: its programs would show what is around it."""
    look = DiskView()
    folder = look.canonical(root)
    around = look.root(os.path.join(folder, "_"))
    if around and around != folder:
        raise ValueError(
            f"{root} is part of the workspace {around}, whose libraries and settings its programs use: serve that folder, or "
            "make this one a separate workspace by a boruna.toml in it, which may be empty"
        )
    return root


def from_json(data: Any) -> HttpOptions:
    """Options that were sent as the JSON object of their fields. Raises ValueError for what cannot be served."""
    if not isinstance(data, dict):
        raise ValueError("the options must be a JSON object")
    try:
        fields: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
        options = HttpOptions(**fields)
        check(options)
    except TypeError as error:
        raise ValueError(f"invalid options: {error}") from None
    return options


def check(options: HttpOptions) -> None:
    """Raises ValueError for options that leave the server open, or shut."""
    if options.token and options.issuer:
        raise ValueError("give a token or --jwt-issuer, not both")
    if options.token and len(options.token) < SHORTEST_TOKEN:
        raise ValueError(f"the token has {len(options.token)} characters; it must have {SHORTEST_TOKEN} at least")
    if options.issuer and bool(options.key_file) == bool(options.jwks_url):
        raise ValueError("--jwt-issuer needs keys: add --jwt-key-file or --jwks-url")
    if (options.key_file or options.jwks_url) and not options.issuer:
        raise ValueError("keys need an issuer: add --jwt-issuer")
    if options.no_auth and (options.token or options.issuer):
        raise ValueError("--no-auth and a token exclude each other: give one of them")
    if options.no_auth and not options.is_loopback:
        raise ValueError(
            f"refusing to listen at {options.host or 'every address'} without authentication: others could read files. Leave "
            "--no-auth out, or listen at 127.0.0.1"
        )
    if not (options.token or options.issuer or options.no_auth):
        raise ValueError("no token: pass one, --jwt-issuer or --no-auth")
    if options.host in _EVERYWHERE and not (options.allowed_hosts or options.public_url):
        raise ValueError(f"listening at {options.host} needs --public-url or --allowed-host: the names that clients may use")
    if not options.session_ttl > 0 or options.session_ttl == float("inf"):
        raise ValueError("--session-ttl must be a positive number of seconds")
    if not 0 < options.patience < float("inf"):
        raise ValueError("--patience must be a positive number of seconds")
