"""`boruna-ls serve --http`: agents over Streamable HTTP. The user's daemon serves them as long as this command runs.

So they see what the editors show. When the daemon is replaced, its successor is asked for the same port. With `--standalone`
this process serves by itself.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from boruna_ls.forwarder.options import BadOptions
from boruna_ls.mcp.http import options as http
from boruna_ls.mcp.http.options import HttpOptions
from boruna_ls.rendezvous import held, start


def main(options: Mapping[str, Any]) -> int:
    """The exit status of `boruna-ls serve` with the values of its options. Raises BadOptions."""
    if not options["http"]:
        raise BadOptions("serve needs --http")
    try:
        chosen = http.options_of(options)
    except (OSError, ValueError) as error:
        raise BadOptions(str(error)) from None
    if options["standalone"]:
        from boruna_ls.library_models import late_pydantic

        with late_pydantic():
            from boruna_ls.mcp.http.alone import serve

        return serve(options, chosen)
    # A signal ends the command; what it was interrupted at does not matter.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end)
    try:
        return _through_daemon(options, chosen)
    except _Ended:
        return 0
    except start.NoDaemon as error:
        print(f"boruna-ls: {error}; --standalone serves without the daemon", file=sys.stderr)
        return 1


class _Ended(Exception):
    """A signal has come."""


def _end(*_: object) -> None:
    raise _Ended


def _through_daemon(options: Mapping[str, Any], chosen: HttpOptions) -> int:
    names = ("toolsets", "tools", "read_only", "libs_dir", "templates_dir", "deadline")
    fields: dict[str, Any] = {name: options[name] for name in names}
    fields["http"] = asdict(chosen)
    port = 0
    while True:
        try:
            connection, answer = held.begin("http", fields, patient=bool(port))
        except held.Refused as error:
            if error.status == 2:
                raise BadOptions(str(error)) from None
            print(f"boruna-ls: {error}", file=sys.stderr)
            return 1
        again = " again" if port else ""
        port = fields["http"]["port"] = int(answer["port"])
        print(chosen.announcement(port, again), file=sys.stderr, flush=True)
        held.wait(connection)
