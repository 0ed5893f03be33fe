"""workspace/executeCommand: `COMMANDS`, each for the document whose URI is the first argument.

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
TEST: Final = "boruna.test"
REPAIR: Final = "boruna.applyRepair"
PREVIEW: Final = "boruna.preview"
WORKFLOW: Final = "boruna.workflow"
COMMANDS: Final = (RUN, RUN_LIVE, TRACE, TEST, REPAIR, PREVIEW, WORKFLOW)


async def execute(session: Session, params: types.ExecuteCommandParams) -> dict[str, Any]:
    """The answer of the tool of the same name; of `boruna.test` that of tests; of `boruna.preview` what is shown;
    of `boruna.applyRepair` that of repairs; of `boruna.workflow` the run as `boruna_workflow_status` shows it."""
    if params.command not in COMMANDS:
        raise JsonRpcInvalidParams(f"unknown command {params.command!r}")
    if params.command == PREVIEW:
        from boruna_ls.lsp import previews

        return await previews.execute(session, params)
    if params.command == WORKFLOW:
        from boruna_ls.lsp import workflow_runs

        return await workflow_runs.execute(session, params)
    if params.command == REPAIR:
        from boruna_ls.lsp import repairs

        return await repairs.execute(session, params)
    if params.command == TEST:
        from boruna_ls.lsp import program_tests

        return await program_tests.execute(session, params)
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


async def open_tasks(session: Session, params: Any) -> dict[str, Any]:
    """`boruna/executions`: the tasks of executions that wait for an answer."""
    from boruna_ls.lsp import waiting

    return await waiting.of(session).tasks()


async def answer_task(session: Session, params: Any) -> dict[str, Any]:
    """`boruna/executions/answer`: the answer of the person in front of the editor to one of them."""
    from boruna_ls.lsp import waiting

    return await waiting.of(session).answer(params)


REQUESTS: Final = {
    "boruna/preview/act": act_on_preview,
    "boruna/preview/close": close_preview,
    "boruna/executions": open_tasks,
    "boruna/executions/answer": answer_task,
}
"""Requests of our own that go with the commands."""
