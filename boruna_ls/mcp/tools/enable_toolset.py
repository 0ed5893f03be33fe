"""`enable_toolset`: shows the client more tools than the default list holds."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from boruna_ls.answers.envelope import success
from boruna_ls.mcp.arguments import Arguments
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import READS, Call, Tool

Toolset = Literal["language", "run", "app", "workflow", "analysis", "executions", "sandbox", "all"]


class EnableToolsetParams(Arguments):
    toolset: Toolset = Field(description="The tools to list from now on")


async def run(call: Call[EnableToolsetParams]) -> dict[str, Any]:
    assert call.session is not None
    shown, name = call.session.shown, call.arguments.toolset
    added = {row.name for row in shown.enable(name)}
    tools = [row.load() for row in shown.of(name)]
    entries = [{"name": tool.name, "title": tool.title, "is_new": tool.name in added} for tool in tools]
    answer = success(toolset=name, tools=entries)
    if not entries:
        answer["note"] = "this server offers no tool of this toolset"
    return answer


TOOL: Final = Tool(
    name="enable_toolset",
    title="List more tools",
    description=(
        "Lists the tools of a toolset from now on; the list of tools then changes. Toolsets: language, run (also live runs, "
        "traces, policies), app, workflow, analysis, executions, sandbox, all."
    ),
    arguments=EnableToolsetParams,
    answer_fields={"toolset": TEXT, "tools": {"type": "array", "items": {"type": "object"}}, "note": TEXT},
    run=run,
    example={"toolset": "workflow"},
    # Nothing but this client's own list changes.
    hints=READS,
)
