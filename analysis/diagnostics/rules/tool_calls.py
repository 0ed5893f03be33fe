"""Calls of MCP tools: E015 unknown servers, E016 unknown tools, E017 arguments, W111 literals that a tool does not know.

What an import names is judged with the file's other imports (`file_rules.imported_modules`); the types of arguments are W101.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics.rule_context import RuleContext, TextContext
from analysis.semantics.spelling import closest
from analysis.semantics.tool_names import Meant, Tool
from analysis.semantics.tools.call_syntax import METHOD
from analysis.semantics.tools.modules import MOST_SHOWN, ToolFact, cut, shown_name
from analysis.semantics.tools.parameters import MOST_PARAMETERS, Parameter
from analysis.semantics.uses import ToolUse
from analysis.syntax.escaping import quoted
from analysis.syntax.lexer import decoded
from analysis.syntax.tree import StringLiteral
from analysis.text.edits import Confidence, Edit, Fix, FixKind


def concerns(context: TextContext) -> bool:
    """True if a text holds a name that may be a tool's."""
    return bool(context.summary.tools)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Every name of a tool."""
    for use in paced(context.summary.tools):
        tool = context.tool(use.name)
        if use.name.startswith(METHOD) or (tool is None and use.is_variant):
            continue
        if tool is None:
            yield _no_module(use)
        elif tool.meant in (Meant.NO_SERVER, Meant.NO_IMPORT, Meant.NO_TOOL):
            yield from _unknown(use, tool)
        elif use.call is None:
            yield diagnostic(
                "E017",
                (use.start, use.end),
                f"'{use.name}' is a tool, not a value",
                help=f"call it: `{use.name}(…)`",
                name=use.name,
            )
        elif tool.fact is not None:
            yield from _arguments(use, tool.fact)


def _no_module(use: ToolUse) -> Diagnostic:
    head = use.name.partition("::")[0]
    return diagnostic(
        "E015",
        (use.start, use.start + len(head)),
        f"'{head}' is not a module here",
        help=f"to call the tools of a server, write `import mcp.{head}`",
        why="a variant of an enum has one value in its parentheses, and only tools are called with none or several",
        name=head,
    )


def _unknown(use: ToolUse, tool: Tool) -> Iterator[Diagnostic]:
    if tool.meant is Meant.NO_TOOL:
        start = use.end - len(tool.name)
        span = start, use.end
        listed = f"its tools are: {', '.join(tool.listed)}" if tool.listed else "it has no tools"
        yield diagnostic(
            "E016",
            span,
            f"'{tool.server}' has no tool '{tool.name}'",
            help=f"did you mean '{tool.near}'?" if tool.near else listed,
            name=tool.name,
            fixes=_renamed("E016", span, tool.name, tool.near),
        )
    elif tool.meant is Meant.NO_IMPORT:
        edit = Edit((use.start, use.start), "mcp::")
        fix = Fix(
            f"E015-path-{tool.server}", f"write `mcp::{use.name}`", Confidence.HIGH, "a whole path needs no import", (edit,)
        )
        yield diagnostic(
            "E015",
            (use.start, use.start + len(tool.server)),
            f"the server '{tool.server}' is not imported",
            help=f"write `import mcp.{tool.server}`, or `mcp::{use.name}`",
            name=tool.server,
            fixes=(fix,),
        )
    elif use.name.startswith("mcp::"):
        # A short name has its diagnostic at the import.
        span = use.start, use.end
        listed = f"the servers are: {', '.join(tool.listed)}" if tool.listed else "add it to `.mcp.json`"
        help = f"did you mean '{tool.near}'?" if tool.near else listed
        yield diagnostic("E015", span, f"no server '{tool.name}' is configured", help=help, name=tool.name)


def _renamed(code: str, span: tuple[int, int], name: str, near: str | None) -> tuple[Fix, ...]:
    if near is None:
        return ()
    rationale = f"'{name}' does not exist; closest match is '{near}'"
    return (
        Fix(
            f"{code}-rename-{name}",
            f"rename '{name}' to '{near}'",
            Confidence.MEDIUM,
            rationale,
            (Edit(span, near),),
            kind=FixKind.RENAMING,
        ),
    )


def _arguments(use: ToolUse, fact: ToolFact) -> Iterator[Diagnostic]:
    assert use.call is not None
    given, least, most = len(use.call.arguments), fact.least, len(fact.parameters)
    if fact.without_place:
        yield diagnostic(
            "E017",
            (use.start, use.call.end),
            f"tool '{use.name}' needs {least + fact.without_place} arguments, more than a call can hold",
            help=f"a tool with more than {MOST_PARAMETERS} required parameters cannot be called",
            name=use.name,
        )
        return
    if not least <= given <= most:
        expected = f"{least}" if least == most else f"{least} to {most}"
        plural = "" if expected == "1" else "s"
        listed = ", ".join(
            f"{shown_name(parameter.name)}{'' if parameter.is_required else '?'}: {parameter.type}"
            for parameter in fact.parameters[:MOST_SHOWN]
        ) + (", …" if most > MOST_SHOWN else "")
        yield diagnostic(
            "E017",
            (use.start, use.call.end),
            f"tool '{use.name}' expects {expected} argument{plural}, got {given}",
            help=f"its parameters are ({listed})",
            why="required ones come first; a parameter marked with ? may be left out at the end",
            name=use.name,
        )
        return
    for argument, parameter in zip(use.call.arguments, fact.parameters, strict=False):
        if isinstance(argument, StringLiteral):
            yield from _literal(use, argument, parameter)


def _literal(use: ToolUse, argument: StringLiteral, parameter: Parameter) -> Iterator[Diagnostic]:
    """A text that the tool does not know, or that has to be JSON and is not."""
    text = decoded(argument.raw)
    span = argument.start, argument.end
    message = f"'{use.name}' does not accept this value of '{shown_name(parameter.name)}'"
    if parameter.is_json and not _is_json(text):
        help = "it takes JSON text, in which a string has its own quotes"
        yield diagnostic("W111", span, message, help=help, name=text)
    elif parameter.choices and text not in parameter.choices:
        near = closest(text, parameter.choices)
        rationale = f"the tool accepts '{near}'"
        fix = Fix("W111-choose", f'write "{near}"', Confidence.MEDIUM, rationale, (Edit(span, f'"{near}"'),))
        is_plain = near is not None and near.isidentifier()
        help = f"it takes one of: {_listed(parameter.choices)}"
        yield diagnostic("W111", span, message, help=help, name=text, fixes=(fix,) if is_plain else ())


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _listed(choices: tuple[str, ...]) -> str:
    """The values of a schema, which are a server's words: quoted, each and their number cut."""
    shown = [quoted(cut(choice)) for choice in choices[:MOST_SHOWN]]
    return ", ".join(shown) + (", …" if len(choices) > MOST_SHOWN else "")
