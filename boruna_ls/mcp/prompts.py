"""Prompts: a program with what is known about it, and the question that a person would ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from analysis.inputs import source
from boruna_ls.answers.check import check_answer
from boruna_ls.answers.envelope import as_text
from boruna_ls.answers.explain import page, similar
from boruna_ls.mcp.paths import program_at
from boruna_ls.workspace import Client, FileUnavailable, Host

_PATH: Final = types.PromptArgument(name="path", description="File with the program", required=True)
_CODE: Final = types.PromptArgument(name="code", description="Diagnostic code to explain, such as E003", required=False)
_ERROR: Final = types.PromptArgument(name="error", description="Message that was seen, of a check or a run", required=False)
PROMPTS: Final = (
    types.Prompt(
        name="debug_error",
        title="Debug an error",
        description="A program, its diagnostics and the page of a code: find the cause and mend it",
        arguments=[_PATH, _CODE, _ERROR],
    ),
    types.Prompt(
        name="review_program",
        title="Review a program",
        description="A program and its diagnostics: say what is wrong, risky or unclear",
        arguments=[_PATH],
    ),
)
_TASKS: Final = {
    "debug_error": (
        "Find the cause of the error in this .ax program. Say in a sentence what is wrong, then mend it with the smallest edit. "
        "Try the edit with try_edits before you propose it: it must introduce no diagnostic."
    ),
    "review_program": (
        "Review this .ax program. Begin with what gives wrong results or fails at run time, then contracts and capabilities that "
        "are missing, then clarity. Name the line of each point, and an edit where there is one; try edits with try_edits."
    ),
}


def prompt(host: Host, client: Client, name: str, given: Mapping[str, str]) -> types.GetPromptResult:
    """The messages of a prompt. Runs on the worker; raises MCPError for arguments that cannot be used."""
    known = next((one for one in PROMPTS if one.name == name), None)
    if known is None:
        raise MCPError(INVALID_PARAMS, f"prompt not found: {name[:200]}", {"argument": "name"})
    path = given.get("path")
    if not path:
        raise _refused("path", "argument `path` is missing: it must be a file with a program")
    try:
        _, file = program_at(host, client, path)
    except FileUnavailable as error:
        raise _refused("path", f"argument `path`: {error}") from None
    parts = [_TASKS[name], f"{path}:\n\n```ax\n{source(host.db, file).text}\n```"]
    parts.append(f"Its diagnostics:\n\n```json\n{as_text(check_answer(host.db, file, path))}\n```")
    if name == "debug_error":
        if error_text := given.get("error"):
            parts.append(f"The error that was seen:\n\n{error_text}")
        if code := given.get("code"):
            about = page(code.upper())
            if about is None:
                raise _refused("code", f"no diagnostic has the code '{code[:50]}'; similar: {', '.join(similar(code)) or 'none'}")
            parts.append(about)
    content = types.TextContent(type="text", text="\n\n".join(parts))
    messages = [types.PromptMessage(role="user", content=content)]
    meta = {"freshness": host.freshness(file).as_dict()}
    return types.GetPromptResult(description=known.description, messages=messages, _meta=meta)


def _refused(argument: str, message: str) -> MCPError:
    return MCPError(INVALID_PARAMS, message, {"argument": argument})
