"""`boruna_run_live`: runs a program with real effects, as far as the call's policy and the owner's ceiling both allow."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.answers.run import structured
from boruna_ls.mcp.tool import ACTS, Call, Deferred, Tool
from boruna_ls.mcp.tools.run import ANSWER_FIELDS, RunParams, started


class RunLiveParams(RunParams):
    """Those of `boruna_run`."""


def run(call: Call[RunLiveParams]) -> dict[str, Any] | Deferred:
    return started(call, live=True)


TOOL: Final = Tool(
    name="boruna_run_live",
    title="Run a program with real effects",
    description=(
        "Like boruna_run, but capability calls act: network, files, databases. Only what `policy` and the owner's ceiling for "
        "the program's workspace both allow; a refusal names the command that allows more. `policy` bounds further: "
        "`net_policy`, `fs_policy`, `db_policy`."
    ),
    arguments=RunLiveParams,
    answer_fields=ANSWER_FIELDS,
    run=run,
    example={"path": "app.ax", "policy": {"default_allow": True, "fs_policy": {"allowed_roots": ["data"]}}},
    structured=structured,
    hints=ACTS,
    asks=True,
    task="when_slow",
)
