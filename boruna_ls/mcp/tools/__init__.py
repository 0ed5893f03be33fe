"""The tools, one module each; this table is the only place that knows them all."""

from __future__ import annotations

from typing import Final

from boruna_ls.mcp.tool import Tool
from boruna_ls.mcp.tools import (
    ast,
    capability_list,
    check,
    compile,
    find_references,
    get_definition,
    inspect,
    policy_validate,
    repair,
    replay,
    run,
    run_sealed,
    symbols,
    trace,
    try_edits,
    workflow_validate,
    workspace_diagnostics,
)

TOOLS: Final[dict[str, Tool]] = {
    tool.name: tool
    for tool in (
        ast.TOOL,
        capability_list.TOOL,
        check.TOOL,
        compile.TOOL,
        inspect.TOOL,
        policy_validate.TOOL,
        repair.TOOL,
        replay.TOOL,
        run.TOOL,
        run_sealed.TOOL,
        symbols.TOOL,
        trace.TOOL,
        workflow_validate.TOOL,
        find_references.TOOL,
        get_definition.TOOL,
        try_edits.TOOL,
        workspace_diagnostics.TOOL,
    )
}
"""By name, in alphabetical order."""
