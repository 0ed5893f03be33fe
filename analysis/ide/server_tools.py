"""Tools of MCP servers in editors: what a name at the cursor means, its description, where its schema stands, what there is.

A server's descriptions of its tools are untrusted data: they are shown as quotations, never as our words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final, NamedTuple

from analysis.database import Database
from analysis.ide.markdown import fence, prose, visible, word
from analysis.inputs import FileId, server_tools, source, tool_servers
from analysis.semantics.environment import environment
from analysis.semantics.imports import tool_module, tools_of
from analysis.semantics.tool_names import Meant, Tool
from analysis.semantics.tools.call_syntax import METHOD
from analysis.semantics.tools.modules import CAPABILITY, METHODS, MOST_SHOWN, OWN, Method, ToolFact, cut, identifiers, shown_name
from analysis.semantics.tools.parameters import Parameter

LAYER: Final = "tools"
"""The layer of the documents that show schemas."""
_LONGEST: Final = 2_000
"""Characters of a description that are shown."""


class Offered(NamedTuple):
    """Something to write behind `::` or `.`: a name, its type, whether it takes arguments."""

    name: str
    detail: str
    has_arguments: bool
    is_module: bool = False


def tool_named(db: Database, file: FileId, name: str) -> Tool | None:
    """Meaning in a file of a tool's path (`github::search`), or of a method with a dot before it; None if it has none."""
    tools = tools_of(db, file)
    if not tools:
        return None
    visible = environment(db, file)
    tool = tools.find(name, visible.types, visible.fields)
    return tool if tool is not None and tool.meant in (Meant.TOOL, Meant.METHOD) else None


def is_module(db: Database, file: FileId, name: str) -> bool:
    """True if a name before `::` is that of a server."""
    tools = tools_of(db, file)
    return bool(tools) and name in tools.imported and name not in environment(db, file).types


def described(tool: Tool) -> list[str]:
    """Markdown about a tool or method."""
    if tool.method is not None:
        return [fence(tool.method.signature), f"Method of `McpResult`: {tool.method.documentation}."]
    return _described(tool.fact) if tool.fact is not None else []


def _described(fact: ToolFact) -> list[str]:
    parts = [fence(fact.signature)]
    if not fact.server:
        return [*parts, f"Built in: {fact.description}.", _needs()]
    parts.append(f"Tool {word(fact.tool)} of the MCP server {word(fact.server)}. {_needs()}")
    if fact.description.strip():
        parts += ["The server describes it so:", _quoted(fact.description)]
    rows = [row for row in map(_parameter, fact.parameters) if row]
    if rows:
        parts.append("\n".join(rows))
    return parts


def _needs() -> str:
    return f"Needs capability {word(CAPABILITY)}."


def _parameter(parameter: Parameter) -> str:
    notes = []
    if shown_name(parameter.name) != parameter.name:
        notes.append(f"named {word(parameter.name)}")
    if parameter.is_json:
        notes.append("JSON text")
    if parameter.is_required and parameter.is_nullable:
        notes.append(f"{word('None')} is sent as null")
    if parameter.choices:
        notes.append(f"one of {', '.join(word(cut(choice)) for choice in parameter.choices[:MOST_SHOWN])}")
    if parameter.description:
        notes.append(f"“{prose(' '.join(parameter.description.split())[:200])}”")
    return f"- {word(shown_name(parameter.name))}: {'; '.join(notes)}" if notes else ""


def _quoted(text: str) -> str:
    """A foreign text as a quotation; Markdown at the start of its lines has no effect."""
    cut = text[:_LONGEST] + ("…" if len(text) > _LONGEST else "")
    return "\n".join(f"> {prose(line)}" for line in visible(cut).strip().split("\n"))


def module_described(db: Database, file: FileId, identifier: str) -> list[str]:
    """Markdown about a server that is imported."""
    module = tool_module(db, file.workspace, identifier)
    if module is None:
        return []
    parts = [fence(f"import mcp.{identifier}"), f"The tools of the MCP server {word(module.name)}."]
    if not module.is_seen:
        parts.append("They were not seen yet.")
    else:
        names = list(module.functions)
        listed = ", ".join(map(word, names[:20])) + (", …" if len(names) > 20 else "")
        parts.append(f"{len(names)} tools: {listed}" if names else "It has no tools.")
        if module.age:
            parts.append(f"Last seen {module.age} ago.")
    return parts


def schema_document(db: Database, file: FileId, server: str) -> FileId | None:
    """The document that shows the schemas of a server."""
    path = server_tools(db, file.workspace, server).document
    return FileId(file.workspace, LAYER, path) if path else None


def schema_span(db: Database, document: FileId, tool: str) -> tuple[int, int] | None:
    """The span of a tool's name in the document; the document's start if it has none."""
    text = source(db, document).text
    if not text:
        return None
    written = json.dumps(tool, ensure_ascii=False)
    at = text.find(f'"name": {written}')
    return (at + len('"name": '), at + len('"name": ') + len(written)) if at >= 0 else (0, 0)


def paths_offered(db: Database, file: FileId, head: str) -> Iterator[Offered]:
    """The names that can follow `head::`."""
    if head == "mcp":
        for fact in OWN.values():
            yield _tool_offer(fact.tool, fact)
        for name in identifiers(tool_servers(db, file.workspace).names):
            yield Offered(name, "MCP server", False, True)
        return
    head = head.removeprefix("mcp::")
    module = tool_module(db, file.workspace, head) if tool_servers(db, file.workspace).is_known else None
    if module is not None:
        for name, fact in module.functions.items():
            yield _tool_offer(name, fact)


def _tool_offer(name: str, fact: ToolFact) -> Offered:
    return Offered(name, fact.signature.partition(fact.path)[2], bool(fact.parameters))


def modules_offered(db: Database, file: FileId) -> tuple[str, ...]:
    """The modules that a file has imported."""
    return tuple(sorted(tools_of(db, file).imported))


def servers_offered(db: Database, file: FileId) -> tuple[str, ...]:
    """The servers that a program can import as `mcp.NAME`."""
    return tuple([f"mcp.{name}" for name in identifiers(tool_servers(db, file.workspace).names)])


def methods_offered(db: Database, file: FileId) -> tuple[Method, ...]:
    """The methods of `McpResult` in a program that uses tools."""
    tools = tools_of(db, file)
    return tuple(METHODS.values()) if tools else ()


def method_name(name: str) -> str:
    """The name under which a method is looked up."""
    return METHOD + name
