"""The table of tools: one row each, with what must be known before a tool's own module is imported.

A tool is a module in this folder with a value `TOOL` (`boruna_ls/mcp/tool.py`); it is imported when the tool is listed or
called for the first time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any, Final, Literal

from analysis.data_classes import dataclass
from boruna_ls.mcp.tool import Tool

Scope = Literal["read", "run", "write"]
"""Right that a client needs: `read`; `run` to run programs with mocked effects; `write` to cause effects or write."""


_loaded: Final[set[str]] = set()
"""The modules that were imported to their end."""
_IMPORTS: Final = ThreadPoolExecutor(1, "tools")
"""One thread: two that import packages which share modules can find one of these half made."""


@dataclass(frozen=True, slots=True)
class Row:
    """`group` is the toolset (`options.GROUPS`); one that is not `listed` can be called all the same.

    `repeatable`: a forwarder makes the call again when the daemon died over it, since nothing outside changes.
    """

    name: str
    module: str
    group: str
    scope: Scope = "read"
    listed: bool = True
    repeatable: bool = True
    kept: bool = False
    """True if `--read-only` keeps this tool of another scope: it then refuses the arguments that run programs
    (`Tool.running`)."""

    def load(self) -> Tool[Any]:
        """The tool itself."""
        tool: Tool[Any] = import_module(f"{__name__}.{self.module}").TOOL
        _loaded.add(self.module)
        return tool


TOOLS: Final[dict[str, Row]] = {
    row.name: row
    for row in (
        Row("analyze_types", "analyze_types", "analysis", listed=False),
        Row("boruna_ast", "ast", "language"),
        Row("boruna_builtins", "builtins", "language"),
        Row("boruna_capability_list", "capability_list", "run", listed=False),
        Row("boruna_check", "check", "language"),
        Row("boruna_compile", "compile", "language"),
        Row("boruna_evidence_inspect", "evidence_inspect", "workflow", listed=False),
        Row("boruna_evidence_verify", "evidence_verify", "workflow", listed=False),
        Row("boruna_framework_test", "framework_test", "app", "run"),
        Row("boruna_inspect", "inspect", "language"),
        Row("boruna_policy_validate", "policy_validate", "run", listed=False),
        Row("boruna_preview", "preview", "app", "run", listed=False, repeatable=False),
        Row("boruna_repair", "repair", "language"),
        Row("boruna_replay", "replay", "run", "run", listed=False),
        Row("boruna_run", "run", "run", "run"),
        Row("boruna_run_live", "run_live", "run", "write", listed=False, repeatable=False),
        Row("boruna_run_sealed", "run_sealed", "run", "run"),
        Row("boruna_stdlib_check", "stdlib_check", "language", "run", listed=False),
        Row("boruna_symbols", "symbols", "language"),
        Row("boruna_template_apply", "template_apply", "app"),
        Row("boruna_template_list", "template_list", "app"),
        Row("boruna_trace", "trace", "run", "run", listed=False),
        Row("boruna_trace2tests", "trace2tests", "app", "run", listed=False),
        Row("boruna_validate_app", "validate_app", "app"),
        Row("boruna_wait", "wait", "workflow", listed=False),
        Row("boruna_workflow_approve", "workflow_approve", "workflow", "run", listed=False, repeatable=False),
        Row("boruna_workflow_cancel", "workflow_cancel", "workflow", "run", listed=False, repeatable=False),
        Row("boruna_workflow_list", "workflow_list", "workflow", listed=False),
        Row("boruna_workflow_reject", "workflow_reject", "workflow", "run", listed=False, repeatable=False),
        Row("boruna_workflow_resume", "workflow_resume", "workflow", "run", listed=False),
        Row("boruna_workflow_run", "workflow_run", "workflow", "run", repeatable=False),
        Row("boruna_workflow_status", "workflow_status", "workflow", listed=False),
        Row("boruna_workflow_validate", "workflow_validate", "workflow"),
        Row("call_hierarchy", "call_hierarchy", "analysis", listed=False),
        Row("complete_code", "complete_code", "analysis", listed=False),
        Row("create_sandbox", "create_sandbox", "sandbox", "write", listed=False, repeatable=False),
        Row("delete_execution", "delete_execution", "executions", "run", listed=False, repeatable=False),
        Row("delete_program", "delete_program", "executions", "run", listed=False, repeatable=False),
        Row("destroy_sandbox", "destroy_sandbox", "sandbox", "write", listed=False, repeatable=False),
        Row("enable_toolset", "enable_toolset", "language"),
        Row("execute_code", "execute_code", "sandbox", "write", listed=False, repeatable=False),
        Row("explain_error", "explain_error", "analysis", listed=False),
        Row("extract_function", "extract_function", "analysis", "write", listed=False, repeatable=False),
        Row("find_references", "find_references", "analysis"),
        Row("generate_code", "generate_code", "analysis", listed=False),
        Row("getTask", "get_task", "executions", "run", listed=False),
        Row("get_definition", "get_definition", "analysis"),
        Row("get_execution", "get_execution", "executions", listed=False),
        Row("get_file_context", "get_file_context", "analysis", listed=False),
        Row("inline_variable", "inline_variable", "analysis", "write", listed=False, repeatable=False),
        Row("list_directory", "list_directory", "sandbox", "write", listed=False, repeatable=False),
        Row("list_executions", "list_executions", "executions", listed=False),
        Row("list_programs", "list_programs", "executions", listed=False),
        Row("list_sandboxes", "list_sandboxes", "sandbox", "write", listed=False, repeatable=False),
        Row("list_symbols", "list_symbols", "analysis", listed=False),
        Row("list_tasks", "list_tasks", "executions", listed=False),
        Row("load", "load", "executions", "run", listed=False),
        Row("loadFile", "load_file", "executions", "run", listed=False),
        Row("parse_code", "parse_code", "analysis", listed=False),
        Row("read_file", "read_file", "sandbox", "write", listed=False, repeatable=False),
        Row("refactor_code", "refactor_code", "analysis", "write", listed=False, repeatable=False),
        Row("rename_symbol", "rename_symbol", "analysis", "write", listed=False, repeatable=False),
        Row("restart", "restart", "executions", "run", listed=False, repeatable=False),
        Row("run_command", "run_command", "sandbox", "write", listed=False, repeatable=False),
        Row("sandbox_changes", "sandbox_changes", "sandbox", "write", listed=False, repeatable=False),
        Row("search_workspace", "search_workspace", "analysis", listed=False),
        Row("set_current", "set_current", "executions", "run", listed=False),
        Row("signature_help", "signature_help", "analysis", listed=False),
        Row("start", "start", "executions", "run", listed=False, repeatable=False),
        Row("status", "execution_status", "executions", listed=False),
        Row("submitTask", "submit_task", "executions", "run", listed=False, repeatable=False),
        Row("suggest_fix", "suggest_fix", "analysis", listed=False),
        Row("try_edits", "try_edits", "analysis", "run", kept=True),
        Row("workspace_diagnostics", "workspace_diagnostics", "analysis"),
        Row("write_file", "write_file", "sandbox", "write", listed=False, repeatable=False),
    )
}
"""By name, in alphabetical order."""


async def load_apart(rows: Iterable[Row]) -> None:
    """Imports tools on another thread: to define the arguments of one takes the event loop as long as ten keys."""
    for row in rows:
        if row.module not in _loaded:
            await asyncio.get_running_loop().run_in_executor(_IMPORTS, row.load)
