"""Calls of MCP tools, which compile to a capability call, and of the methods of `McpResult`, an opcode each.

`mcp.call` gets the server and the tool by their own names, the parameters as JSON (`ToolFact.wire`), then the arguments. So a
run means the tool that the program was checked against, and a log tells by itself what was called.
"""

from __future__ import annotations

from typing import Final

from analysis.bytecode.module import CAPABILITY_BY_SOURCE_NAME
from analysis.codegen.output import MOST, Output
from analysis.semantics.tool_names import Meant, Tool
from analysis.semantics.tools.call_syntax import METHOD, as_call, is_path, method_of, path_of
from analysis.semantics.tools.modules import CAPABILITY
from analysis.syntax import tree as t

_KIND: Final = CAPABILITY_BY_SOURCE_NAME[CAPABILITY]
_BESIDE: Final = 3
"""Arguments of the capability that are not the tool's."""


def call(out: Output, node: t.Call) -> bool:
    """The code of a call of a tool or method; False for a call of anything else."""
    callee = node.callee
    if isinstance(callee, t.Name) and is_path(callee.name):
        _of_tool(out, node, callee.name)
        return True
    method = method_of(node)
    tool = out.meanings.tools.get(METHOD + method.name) if method is not None else None
    if method is None or tool is None or tool.method is None:
        return False
    out.value(method.object)
    out.emit((tool.method.opcode,), node)
    return True


def variant(out: Output, node: t.VariantLiteral) -> bool:
    """The code of a node spelt like a variant, if it is a call of a tool."""
    if out.meanings.tools.get(path_of(node)) is None:
        return False
    written = as_call(node)
    if written is None:
        out.refused = True
        out.push(("Unit",), node)
    else:
        _of_tool(out, written, path_of(node))
    return True


def _of_tool(out: Output, node: t.Call, name: str) -> None:
    tool = out.meanings.tools.get(name)
    count = len(node.arguments)
    if tool is None or not tool.is_call or not _fits(tool, count):
        # The checker reports E015 to E017.
        out.refused = True
    if count + _BESIDE > MOST:
        out.refuse(f"call to `{name}` has {count} arguments; max {MOST - _BESIDE}", node)
    fact = tool.fact if tool is not None else None
    unseen = (tool.server if tool is not None else "", name.rpartition("::")[2], "")
    named = (fact.server, fact.tool, fact.wire) if fact is not None else unseen
    for text in named:
        out.push(("String", text), node)
    for argument in node.arguments:
        out.value(argument)
    out.emit(("CapCall", _KIND.id, count + _BESIDE), node)
    if fact is not None and fact.result == "List<McpTool>":
        out.emit(("McpTools",), node)
    if _KIND.enum_name not in out.capabilities:
        out.capabilities.append(_KIND.enum_name)


def _fits(tool: Tool, count: int) -> bool:
    return tool.meant is Meant.UNSEEN or (tool.fact is not None and tool.fact.least <= count <= len(tool.fact.parameters))
