"""workspace/executeCommand: `boruna.run`, `boruna.runLive`, `boruna.trace`, for the document whose URI is the first argument.

What runs programs (`program_runs.py`) is imported when the first one is run: no editor waits for it at its start.
"""

from __future__ import annotations

from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from boruna_ls.lsp.session import Session

RUN: Final = "boruna.run"
RUN_LIVE: Final = "boruna.runLive"
TRACE: Final = "boruna.trace"
COMMANDS: Final = (RUN, RUN_LIVE, TRACE)


async def execute(session: Session, params: types.ExecuteCommandParams) -> dict[str, Any]:
    """The answer of the tool `boruna_run`, `boruna_run_live` or `boruna_trace`."""
    if params.command not in COMMANDS:
        raise JsonRpcInvalidParams(f"unknown command {params.command!r}")
    from boruna_ls.lsp import program_runs

    return await program_runs.execute(session, params)
