"""`boruna-ls serve --http --standalone`: agents over HTTP from a process of its own, until SIGTERM or SIGINT."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping
from typing import Any

from boruna_ls.loop import attend, run, told_to_stop
from boruna_ls.mcp.http.app import serving
from boruna_ls.mcp.http.options import HttpOptions
from boruna_ls.mcp.toolsets import Selection, selected
from boruna_ls.process import prepare
from boruna_ls.workspace import Host


def serve(options: Mapping[str, Any], chosen: HttpOptions) -> int:
    """The exit status. Raises BadOptions for tools that there are not."""
    selection = selected(options)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            run(_serve(selection, options, chosen))
    except OSError as error:
        print(f"boruna-ls: {error.strerror or error}", file=sys.stderr)
        return 1
    return 0


async def _serve(selection: Selection, options: Mapping[str, Any], chosen: HttpOptions) -> None:
    prepare()
    stopped = told_to_stop()
    host = Host(options["libs_dir"], watch=True)
    attend(host)
    async with serving(host, chosen, selection, options["deadline"]) as port:
        print(chosen.announcement(port), file=sys.stderr, flush=True)
        await stopped.wait()
