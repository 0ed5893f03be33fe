"""The token that `serve` generates at its first start and stores in a file of the owner's state, readable by the owner only.

Light: read before the server is loaded.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
import sys
from typing import Final

from boruna_ls.rendezvous import atomic, places
from boruna_ls.state.folder import VARIABLE, state_folder

_LENGTH: Final = 32
"""Bytes of randomness."""


class TokenError(ValueError):
    """The token cannot be used; the message gives the reason and the remedy."""


def path() -> str:
    """Path of the token's file."""
    return os.path.join(state_folder(), "http-token")


def own_token() -> str:
    """The token of this user's servers; made if there is none. Raises TokenError, OSError."""
    os.makedirs(state_folder(), 0o700, exist_ok=True)
    try:
        places.check(str(state_folder()))
    except places.BadFolder as error:
        raise TokenError(str(error).replace(places.VARIABLE, VARIABLE)) from None
    if not os.path.lexists(path()):
        # The first process creates it.
        with contextlib.suppress(FileExistsError):
            atomic.write(path(), f"{secrets.token_urlsafe(_LENGTH)}\n".encode("ascii"), is_new=True)
    return _read()


def _read() -> str:
    with open(os.open(path(), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), encoding="ascii", errors="replace") as file:
        status = os.fstat(file.fileno())
        if sys.platform != "win32" and (
            status.st_uid != os.geteuid() or status.st_mode & 0o077 or not stat.S_ISREG(status.st_mode)
        ):
            raise TokenError(f"{path()} can be read by other users, so its token is not secret: remove it to get a new one")
        return file.read().strip()


def configuration(url: str, token: str) -> str:
    """Configuration for a client, in the form that most clients accept."""
    server = {"type": "http", "url": url, "headers": {"Authorization": f"Bearer {token}"}}
    return json.dumps({"mcpServers": {"boruna": server}}, indent=2)
