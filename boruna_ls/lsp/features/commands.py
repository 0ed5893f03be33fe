"""workspace/executeCommand: `boruna.run`, `boruna.runLive`, `boruna.trace`, `boruna.preview`, for the document of a URI.

What runs programs (`program_runs.py`, `previews.py`) is imported when the first one is run: no editor waits for it at its start.
"""

from __future__ import annotations

from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from boruna_ls.lsp.session import Session

RUN: Final = "boruna.run"
RUN_LIVE: Final = "boruna.runLive"
TRACE: Final = "boruna.trace"
PREVIEW: Final = "boruna.preview"
COMMANDS: Final = (RUN, RUN_LIVE, TRACE, PREVIEW)


async def execute(session: Session, params: types.ExecuteCommandParams) -> dict[str, Any]:
    """The answer of the tool `boruna_run`, `boruna_run_live` or `boruna_trace`, or the preview that is shown."""
    if params.command not in COMMANDS:
        raise JsonRpcInvalidParams(f"unknown command {params.command!r}")
    if params.command == PREVIEW:
        from boruna_ls.lsp import previews

        return await previews.execute(session, params)
    from boruna_ls.lsp import program_runs

    return await program_runs.execute(session, params)


async def act_on_preview(session: Session, params: Any) -> dict[str, Any]:
    """`boruna/preview/act`: what the user of a preview does."""
    from boruna_ls.lsp import previews

    return await previews.of(session).act(params)


async def close_preview(session: Session, params: Any) -> dict[str, Any]:
    """`boruna/preview/close`: a preview is shown no more."""
    from boruna_ls.lsp import previews

    return await previews.of(session).close(params)


REQUESTS: Final = {"boruna/preview/act": act_on_preview, "boruna/preview/close": close_preview}
"""Requests of our own that go with the commands."""
