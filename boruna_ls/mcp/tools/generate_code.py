"""`generate_code`: code for a description: from patterns, else from the client's own model, never unchecked.

A pattern is filled in with the types of the context. Where none fits and the client lends its model, that is asked with the
language reference and the signatures in scope, and told what its code lacks, up to three times. What is returned checks clean,
or `success` is false.
"""

from __future__ import annotations

import asyncio
import re
from functools import partial
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import Field

from analysis.database import Database, checkpoint
from analysis.diagnostics.diagnostic import Severity
from analysis.formatting.formatter import Refused
from analysis.ide.code_patterns import Asked, Proposal, proposals
from analysis.ide.delta import delta
from analysis.ide.format_text import format_text
from analysis.inputs import FileId, source
from analysis.semantics.environment import environment
from boruna_ls.answers.analysis import diagnostic_entries
from boruna_ls.answers.envelope import failure, success
from boruna_ls.answers.reference import language_page
from boruna_ls.mcp.arguments import FIRST_ERROR, Arguments, Path
from boruna_ls.mcp.questions import CannotAsk
from boruna_ls.mcp.schemas import INTEGER, TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.located import file_at

_ATTEMPTS: Final = 3
_MOST_CODE: Final = 50_000
"""Characters of a model's code."""
_SHOWN: Final = 10
_FENCE: Final = re.compile(r"```[A-Za-z]*+\n(.*?)```", re.DOTALL)
Line = Annotated[str, Field(max_length=2000)]


class Context(Arguments):
    """Surroundings of the generated code."""

    path: Path | None = Field(None, description="File that it is added to")
    existing_functions: Annotated[list[Line], FIRST_ERROR] | None = Field(None, description="Their texts", max_length=100)
    imports: Annotated[list[Line], FIRST_ERROR] | None = Field(None, description="Libraries", max_length=100)
    types: Annotated[list[Line], FIRST_ERROR] | None = Field(None, description="Texts of records and enums", max_length=100)


class GenerateCodeParams(Arguments):
    description: str = Field(description="What to write, with the names and types it is about", min_length=1, max_length=2000)
    context: Context | None = Field(None, description="What there is already")
    kind: Literal["function", "record", "enum", "app", "workflow_step", "test"] | None = Field(None, description="What sort")


class _Draft(NamedTuple):
    """Code as it would stand in its context: formatted, and what is wrong with it."""

    code: str
    diagnostics: list[dict[str, Any]]


class _Start(NamedTuple):
    """The state that all drafts are checked in: `base` holds the file as it is."""

    base: Database
    file: FileId
    asked: Asked
    signatures: list[str]
    freshness: dict[str, Any]


async def run(call: Call[GenerateCodeParams]) -> dict[str, Any]:
    start = await call.analyse(_begun)
    best: _Draft | None = None
    attempts = 0
    for proposal in await call.analyse(lambda inner: _proposed(inner, start)):
        attempts += 1
        draft = await call.analyse(partial(_checked, start, proposal.code))
        if not draft.diagnostics:
            return _answer(start, draft, proposal.explanation, "pattern", attempts) | {"pattern": proposal.pattern}
        best = best or draft
    if not call.peer.can("sample"):
        return _failed(
            start, best, attempts, "no pattern fits, and this client has no model (sampling): name the types and functions"
        )
    try:
        return await _by_model(call, start, attempts)
    except CannotAsk as reason:
        return _failed(start, best, attempts, f"no pattern fits, and the client's model did not answer: {reason}")


async def _by_model(call: Call[GenerateCodeParams], start: _Start, before: int) -> dict[str, Any]:
    """Asks the client's model, and goes back to it with what is wrong."""
    reference = await asyncio.to_thread(language_page)
    prompt = _prompt(call, start, reference)
    best: _Draft | None = None
    for attempt in range(1, _ATTEMPTS + 1):
        given = await call.peer.sample(prompt, system="You write programs in the .ax language. Answer with code alone.")
        match = _FENCE.search(given)
        code = (match[1] if match is not None else given)[:_MOST_CODE]
        draft = await call.analyse(partial(_checked, start, code))
        if not draft.diagnostics:
            return _answer(start, draft, "written by the client's model, and checked", "client_model", before + attempt)
        best = draft if best is None or len(draft.diagnostics) < len(best.diagnostics) else best
        faults = "\n".join(
            f"line {problem['range']['line']}: {problem['id']} {problem['message']}" for problem in draft.diagnostics[:_SHOWN]
        )
        last = f"Your last code was:\n```ax\n{code}\n```\nIt has these problems:\n{faults}\nCorrect it."
        prompt = f"{_prompt(call, start, reference)}\n\n{last}"
    return _failed(start, best, before + _ATTEMPTS, f"the model wrote only code with diagnostics in {_ATTEMPTS} attempts")


def _prompt(call: Call[GenerateCodeParams], start: _Start, reference: str) -> str:
    signatures = "\n".join(start.signatures) or "(none)"
    kind = call.arguments.kind or "code"
    wanted = f"Write the {kind} that is described here, nothing else:\n{call.arguments.description}"
    return f"{reference}\n\nIn scope:\n{signatures}\n\n{wanted}"


def _begun(call: Call[GenerateCodeParams]) -> _Start:
    """Places the code: behind the text of a file, or of what the call brings along."""
    context, host = call.arguments.context, call.host
    if context is not None and context.path is not None:
        file = file_at(call, context.path)
    else:
        parts = [f'import "{name}"' for name in (context.imports if context else None) or ()]
        parts += [*((context.types if context else None) or ()), *((context.existing_functions if context else None) or ())]
        file = call.inline("\n\n".join(parts) + "\n", "<context>")
    base = host.db.branch(host.worker.give_way)
    visible = environment(base, file)
    signatures = [
        f"fn {name}({', '.join(f'{each}: {kind}' for each, kind in fact.parameters)}) -> {fact.result}"
        for name, fact in visible.functions.items()
    ]
    signatures += [
        f"{'enum' if fact.is_enum else 'type'} {name} {{ {', '.join(_member(*each, fact.is_enum) for each in fact.members)} }}"
        for name, fact in visible.types.items()
    ]
    return _Start(
        base,
        file,
        Asked(call.arguments.description, visible.functions, visible.types),
        signatures[:200],
        host.freshness(file).as_dict(),
    )


def _member(name: str, kind: str | None, is_variant: bool) -> str:
    if is_variant:
        return f"{name}({kind})" if kind else name
    return f"{name}: {kind}"


def _proposed(call: Call[GenerateCodeParams], start: _Start) -> list[Proposal]:
    if call.arguments.kind == "app":
        from boruna_ls.framework.boilerplate import boilerplate

        title = call.arguments.description.splitlines()[0][:80]
        return [
            Proposal(boilerplate(start.base, title), "an application with a state, messages and a view that runs", "app skeleton")
        ]
    return proposals(start.asked, call.arguments.kind)


def _checked(start: _Start, code: str, call: Call[GenerateCodeParams]) -> _Draft:
    """Faults of code at its destination: errors, and warnings and hints other than that it is unused."""
    formatted = format_text(start.base, code)
    code = code if isinstance(formatted, Refused) else formatted.text
    branch = start.base.branch()
    text = source(start.base, start.file)
    source.set(branch, start.file, text.replaced_by(f"{text.text.rstrip()}\n\n{code}".lstrip("\n"), checkpoint))
    introduced = [
        entry
        for entry in delta(start.base, branch, start.file).introduced
        if entry[1].severity in (Severity.ERROR, Severity.WARNING)
    ]
    if not code.strip():
        return _Draft(code, [{"id": "E002", "message": "there is no code", "range": {"line": 1}}])
    return _Draft(code, diagnostic_entries(branch, start.file, introduced))


def _answer(start: _Start, draft: _Draft, explanation: str, how: str, attempts: int) -> dict[str, Any]:
    return success(
        code=draft.code,
        explanation=explanation,
        how=how,
        verified={"check": True, "run": None},
        attempts=attempts,
        freshness=start.freshness,
    )


def _failed(start: _Start, best: _Draft | None, attempts: int, message: str) -> dict[str, Any]:
    answer = failure(error_kind="not_generated", message=message, attempts=attempts, verified={"check": False, "run": None})
    if best is not None:
        answer |= {"code": best.code, "diagnostics": best.diagnostics[:_SHOWN]}
    return answer | {"in_scope": start.signatures[:20], "freshness": start.freshness}


TOOL: Final = Tool(
    name="generate_code",
    title="Write code",
    description=(
        "Code for a description, typed by the context: map, filter, fold, lookup, parse, validate, record, enum, state "
        "machine, app, workflow step, test of examples. If no pattern fits, your own model is asked (sampling) and its code "
        "checked. The code has no diagnostics, or `success` is false."
    ),
    arguments=GenerateCodeParams,
    answer_fields={
        "code": TEXT,
        "explanation": TEXT,
        "how": TEXT,
        "pattern": TEXT,
        "verified": {"type": "object", "description": "check, run (null: not run)"},
        "attempts": INTEGER,
        "diagnostics": {"type": "array", "items": {"type": "object"}},
    },
    run=run,
    asks=True,
    example={"description": "total of the field cents of a list of Order", "context": {"types": ["type Order { cents: Int }"]}},
)
