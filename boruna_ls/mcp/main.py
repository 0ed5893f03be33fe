"""`boruna-ls mcp --standalone`: the MCP server on the standard streams of this process."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from typing import Any

from boruna_ls.library_models import late_pydantic
from boruna_ls.loop import attend, run
from boruna_ls.rendezvous.wire import working_directory


def main(options: Mapping[str, Any]) -> int:
    """Serves until the input ends; raises BadOptions for tools that there are not."""
    # Like other tools on a pipe: a signal ends the process at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    run(_serve(options))
    return 0


async def _serve(options: Mapping[str, Any]) -> None:
    with late_pydantic():
        from boruna_ls.mcp.channels import StandardStreams
        from boruna_ls.mcp.server import run_connection
        from boruna_ls.mcp.toolsets import selected
    from boruna_ls.process import prepare
    from boruna_ls.workspace import Host

    selection = selected(options)
    prepare()
    host = Host(libs_dir=options["libs_dir"], watch=True)
    attend(host)
    # A folder that was deleted is none that paths could count from.
    folders = [folder for folder in [working_directory()] if folder]
    await run_connection(host, StandardStreams(), folders, options["deadline"], selection)
