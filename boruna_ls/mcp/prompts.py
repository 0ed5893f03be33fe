"""Prompts: what a person would ask a model about programs, with everything that is known already.

`PROMPTS` is the table: a row holds the prompt as it is listed and the function that makes its text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from analysis.data_classes import dataclass
from analysis.diagnostics.diagnostic import Severity
from analysis.inputs import FileId, source
from boruna_ls.answers.app import SERIOUS, check_warnings
from boruna_ls.answers.check import check_answer
from boruna_ls.answers.envelope import as_text, no_file
from boruna_ls.answers.explain import page, similar
from boruna_ls.framework.boilerplate import MESSAGE_TYPE, STATE, BadType, boilerplate
from boruna_ls.mcp.arguments import refusal
from boruna_ls.mcp.paths import program_at
from boruna_ls.workspace import Client, FileUnavailable, Host

_LONGEST: Final = 20_000
"""Characters of an argument."""
_LONGEST_SOURCE: Final = 200_000
"""Characters of an argument that is a program."""
_UNNAMED: Final = "<source>"
_TAGS: Final = re.compile(r"\s*+[A-Za-z_]\w*+\s*+(?:,\s*+[A-Za-z_]\w*+\s*+)*+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Asked:
    """The arguments of a prompt, and its client."""

    host: Host
    client: Client
    given: Mapping[str, str]

    def named(self, *names: str) -> str:
        """The first of these names of an argument by which it is given, else the first of all."""
        return next((name for name in names if self.given.get(name)), names[0])

    def program(self) -> FileId:
        """The program that the argument `source` holds, else the file that `path` names. Raises MCPError."""
        path, text = self.given.get("path"), self.given.get("source")
        if text:
            return self.host.inline(text, _UNNAMED, self.client.id, libs=self.client.libs)
        if not path:
            raise refusal("path", "argument `path` is missing: it must be a file with a program")
        try:
            return program_at(self.host, self.client, path)[1]
        except FileUnavailable as error:
            raise refusal("path", f"argument `path`: {error}") from None

    def shown(self, file: FileId) -> list[str]:
        """A program and its diagnostics."""
        path, db = _UNNAMED if self.given.get("source") else self.given.get("path", ""), self.host.db
        diagnostics = as_text(check_answer(db, file, path))
        return [f"{path}:\n\n```ax\n{source(db, file).text}\n```", f"Its diagnostics:\n\n```json\n{diagnostics}\n```"]


@dataclass(frozen=True, slots=True)
class Made:
    """The parts of a prompt's text, and the file that it is about, if it is about one."""

    parts: list[str]
    file: FileId | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A prompt as it is listed, and what makes it. `make` raises MCPError for arguments that cannot be used."""

    name: str
    title: str
    description: str
    make: Callable[[Asked], Made]
    arguments: tuple[types.PromptArgument, ...]

    @property
    def listed(self) -> types.Prompt:
        """The prompt in the form of the protocol."""
        return types.Prompt(name=self.name, title=self.title, description=self.description, arguments=list(self.arguments))


def _debug_error(asked: Asked) -> Made:
    file = asked.program()
    task = (
        "Find the cause of the error in this .ax program. Explain in one sentence what is wrong, then fix it with the "
        "smallest edit. Try the edit with try_edits before you propose it: it must introduce no diagnostic."
    )
    parts = [task, *asked.shown(file)]
    if error_text := asked.given.get("error"):
        parts.append(f"The reported error:\n\n{error_text}")
    if code := asked.given.get("code"):
        about = page(code.upper())
        if about is None:
            near = ", ".join(similar(code)) or "none"
            raise refusal("code", f"no diagnostic has the code '{code[:50]}'; similar: {near}")
        parts.append(about)
    return Made(parts, file)


def _review_program(asked: Asked) -> Made:
    file = asked.program()
    task = (
        "Review this .ax program. Begin with code that gives wrong results or fails at run time, then missing contracts and "
        "capabilities, then clarity. Name the line of each point, and an edit if there is one; try edits with try_edits."
    )
    return Made([task, *asked.shown(file)], file)


def _new_app(asked: Asked) -> Made:
    given, host = asked.given, asked.host
    names = {"state": asked.named("state_type", "state"), "message": asked.named("msg_type", "message")}
    title, state, message = (given.get(name, "") for name in (asked.named("app_name", "name"), *names.values()))
    tags = _tags(given.get("msg_type", ""))
    try:
        app = boilerplate(host.db, title, state, "" if tags else message, tags)
    except BadType as error:
        raise refusal(names[error.argument], f"argument `{names[error.argument]}` {error}") from None
    file = host.inline(app, "app.ax", asked.client.id, libs=asked.client.libs)
    if warnings := check_warnings(host.db, file, SERIOUS | {Severity.INFO}):
        either = f"argument `{names['state']}` or `{names['message']}`"
        raise refusal(names["state"], f"{either}: the types do not check: {warnings[0]}")
    goal = given.get("goal")
    task = (
        "Write an .ax application. Start with this one, which has no diagnostics and runs. `update` is pure: it returns the new "
        "state and declares effects (kinds such as http_request, timer, db_query), whose result is sent as a message with "
        "their callback_tag; a function `policies` may limit them. Read boruna://language-reference first. Check your program "
        "with boruna_check and boruna_validate_app, then send messages with boruna_framework_test and look at states and view."
    )
    return Made([task, *([f"Purpose: {goal}"] if goal else []), f"```ax\n{app}```"])


def _tags(given: str) -> list[str]:
    """The tags that a text lists; [] if it is a type."""
    return [tag.strip() for tag in given.split(",")] if _TAGS.fullmatch(given) else []


def _write_workflow(asked: Asked) -> Made:
    goal = asked.given.get("goal")
    if not goal:
        raise refusal("goal", "argument `goal` is missing: it must say what the workflow is for")
    task = (
        "Write a workflow: a document workflow.json and an .ax program for each step. Steps are a graph without cycles. A step "
        "of the kind `source` runs a program, which reads its inputs with `step_input(name)` (it needs !{step.input}) and whose "
        "result is its output `result`; `approval_gate` waits for a person, `external_trigger` for an event. Check the "
        "programs with boruna_check and the document with boruna_workflow_validate before you show them."
    )
    example = (
        '{"schema_version": 1, "name": "refund", "version": "1.0.0", "steps": {'
        '"intake": {"kind": "source", "source": "steps/intake.ax"}, '
        '"sign_off": {"kind": "approval_gate", "required_role": "cashier", "depends_on": ["intake"]}, '
        '"pay": {"kind": "source", "source": "steps/pay.ax", "inputs": {"ticket": "intake.result"}, '
        '"depends_on": ["intake", "sign_off"]}}, "edges": []}'
    )
    parts = [task, f"Purpose of the workflow: {goal}", f"Format of the document:\n\n```json\n{example}\n```"]
    if not asked.given.get("path"):
        return Made(parts)
    file = asked.program()
    return Made([*parts, "A program to use as a step:", *asked.shown(file)], file)


def _argument(name: str, description: str, required: bool = False) -> types.PromptArgument:
    return types.PromptArgument(name=name, description=description, required=required)


_NEW_APP: Final = {
    "state_type": (STATE, "items: List<String>", "count: Int, status: String"),
    "msg_type": (MESSAGE_TYPE, "add, remove"),
    "app_name": ("counter",),
}
_PATH: Final = _argument("path", "File with the program", True)
PROMPTS: Final = {
    row.name: row
    for row in (
        Row(
            "new_app",
            "Write an application",
            "A small application for given types of state and message, which has no diagnostics and runs",
            _new_app,
            (
                _argument("state_type", f"Type of the state: fields or declarations (default: {STATE})"),
                _argument("msg_type", f"Tags of messages, such as `add, remove`, or their type (default: {MESSAGE_TYPE})"),
                _argument("app_name", "Name of the application"),
                _argument("goal", "What the application is for"),
            ),
        ),
        Row(
            "debug_error",
            "Debug an error",
            "A program, its diagnostics and the page of a code: find the cause and fix it",
            _debug_error,
            (
                _argument("error", "Message of a check or a run"),
                _argument("source", "The program; give this or `path`"),
                _argument("path", "File with the program"),
                _argument("code", "Diagnostic code to explain, such as E003"),
            ),
        ),
        Row(
            "review_program",
            "Review a program",
            "A program and its diagnostics: say what is wrong, risky or unclear",
            _review_program,
            (_PATH,),
        ),
        Row(
            "write_workflow",
            "Write a workflow",
            "The format of a workflow and its steps: write one for a goal",
            _write_workflow,
            (_argument("goal", "What the workflow is for", True), _argument("path", "Program to use as one of its steps")),
        ),
    )
}
"""By name, in the order in which they are listed."""


def prompt(host: Host, client: Client, name: str, given: Mapping[str, str]) -> types.GetPromptResult:
    """The messages of a prompt. Runs on the worker; raises MCPError for arguments that cannot be used."""
    row = PROMPTS.get(name)
    if row is None:
        raise MCPError(INVALID_PARAMS, f"unknown prompt: {name[:200]}", {"argument": "name"})
    for argument, value in given.items():
        most = _LONGEST_SOURCE if argument == "source" else _LONGEST
        if len(value) > most:
            raise refusal(argument[:200], f"argument `{argument[:200]}` has more than {most} characters")
    body = row.make(Asked(host, client, given))
    content = types.TextContent(type="text", text="\n\n".join(body.parts))
    messages = [types.PromptMessage(role="user", content=content)]
    freshness: dict[str, Any] = no_file(host.latest()) if body.file is None else host.freshness(body.file).as_dict()
    return types.GetPromptResult(description=row.description, messages=messages, _meta={"freshness": freshness})


def suggestions(host: Host, client: Client, name: str, argument: str, given: Mapping[str, str]) -> list[str]:
    """Likely values of a prompt's argument, beside paths and codes. Runs on the worker."""
    if name == "new_app":
        return list(_NEW_APP.get(argument, ()))
    if (name, argument) != ("debug_error", "error") or not given.get("path"):
        return []
    try:
        file = program_at(host, client, given["path"])[1]
    except FileUnavailable:
        return []
    return check_warnings(host.db, file)
