"""One client's forwarder: finds or starts the daemon, says hello, and pumps bytes until one side ends."""

from __future__ import annotations

import os

from boruna_ls.rendezvous import places, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

IDLE_VARIABLE = "BORUNA_LS_IDLE"
"""Seconds that a daemon without clients waits for the next one."""
STANDALONE = -1
"""Instead of an exit status: the caller must serve the client in this process."""


def run(protocol: str, chosen: dict[str, Any]) -> int:
    """The exit status of `boruna-ls PROTOCOL` with some options (`forwarder/options.py`), or STANDALONE."""
    options: dict[str, Any] = {}
    arguments: list[str] = []
    if chosen:
        from boruna_ls.forwarder.options import for_daemon, line_of

        if chosen["standalone"]:
            return STANDALONE
        options, arguments = for_daemon(chosen), line_of(protocol, chosen)
    if idle := os.environ.get(IDLE_VARIABLE):
        options["idle"] = idle
    try:
        folder = places.folder()
        connection, secret = start.connect(folder, protocol)
    except (start.NoDaemon, places.BadFolder) as error:
        from boruna_ls.forwarder.streams import say

        say(f"{error}; this client is served by a separate process, which sees no other client's unsaved text")
        return STANDALONE
    from boruna_ls.forwarder.pump import pump
    from boruna_ls.forwarder.reviving import Reviver, Server

    return pump(protocol, options, Reviver(folder, protocol, arguments), Server(connection, secret))
