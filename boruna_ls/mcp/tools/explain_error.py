"""`explain_error`: what a code, a message or a diagnostic means, and the corrected program where there is one."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated, Any, Final, NamedTuple

from pydantic import Field

from analysis.diagnostics.check import check_file
from analysis.diagnostics.codes import CODES
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.diagnostics.recognise import recognised
from analysis.inputs import source
from boruna_ls.answers.analysis import diagnostic_entry
from boruna_ls.answers.envelope import failure, success
from boruna_ls.answers.explain import documentation_uri, page, similar
from boruna_ls.answers.hints import hint_for
from boruna_ls.mcp.arguments import Arguments, JsonObject, Path, refusal
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import CODE_NAME, Call, Tool
from boruna_ls.mcp.tools.detail import FULL, SUMMARY, DetailArguments, cut
from boruna_ls.mcp.tools.located import file_at

_LONGEST: Final = 30_000
_SUMMARY: Final = 400
_PREFIX: Final = re.compile(r"\A\s*(?:error: )?(?:runtime error: )?")


class ExplainErrorParams(DetailArguments, Arguments):
    program_text = "code_context"

    error: Annotated[str, Field(min_length=1, max_length=10_000)] | JsonObject = Field(
        description="Code, message, or a diagnostic from a check"
    )
    code_context: str | None = Field(None, description="The program that has it", min_length=1, max_length=1_000_000)
    path: Path | None = Field(None, description="Or its file")


class _Case(NamedTuple):
    """The diagnostic in its program, and the program without it if that checks clean."""

    code: str
    entry: dict[str, Any] | None
    diagnostic: Diagnostic | None
    corrected: str | None
    freshness: dict[str, Any] | None


async def run(call: Call[ExplainErrorParams]) -> dict[str, Any]:
    arguments = call.arguments
    if arguments.code_context is not None and arguments.path is not None:
        raise refusal("path", "arguments `code_context` and `path` exclude each other: give one of them")
    given = arguments.error
    text = given if isinstance(given, str) else " ".join(str(given[key]) for key in ("code", "id", "message") if key in given)
    case = await call.analyse(lambda one: _case(one, text))
    if case.entry is None and (hint := hint_for(_PREFIX.sub("", text))) is not None:
        return _of_run(hint, case)
    if not case.code:
        alike = similar(text[:20])
        message = f"unknown diagnostic: {cut(text, 200)!r}"
        return failure(
            error_kind="unknown_error",
            message=message,
            similar=alike,
            suggestion="give its code, or the program in `code_context`",
        )
    explanation = await asyncio.to_thread(page, case.code) or CODES[case.code].summary
    if arguments.detail == SUMMARY:
        explanation = CODES[case.code].summary
    elif arguments.detail != FULL:
        explanation = cut(explanation, 6_000)
    answer = success(
        code=case.code,
        name=CODES[case.code].name,
        severity=CODES[case.code].severity.value,
        explanation=explanation,
        suggestion=_suggestion(case),
        documentation_uri=documentation_uri(case.code),
    )
    if case.entry is not None:
        answer["diagnostic"] = case.entry
    if case.corrected is not None and len(case.corrected) <= _LONGEST:
        answer["corrected_code"] = case.corrected
    if case.freshness is not None:
        answer["freshness"] = case.freshness
    return answer


def _of_run(hint: str, case: _Case) -> dict[str, Any]:
    """The answer for the message of a failed run, which no diagnostic of a check is about."""
    answer = success(
        code="runtime_error",
        name="run-time error",
        severity=Severity.ERROR.value,
        explanation=f"The program compiled and failed while it ran: {hint}. `boruna_run` gives place and variables.",
        suggestion=hint,
        documentation_uri="boruna://language-reference",
    )
    return answer if case.freshness is None else {**answer, "freshness": case.freshness}


def _suggestion(case: _Case) -> str:
    if case.diagnostic is not None and (case.diagnostic.help or case.diagnostic.fixes):
        return case.diagnostic.help or case.diagnostic.fixes[0].description
    return CODES[case.code].summary


def _case(call: Call[ExplainErrorParams], text: str) -> _Case:
    arguments, host = call.arguments, call.host
    code = recognised(text)
    if arguments.code_context is None and arguments.path is None:
        return _Case(code, None, None, None, None)
    file = (
        call.inline(arguments.code_context, CODE_NAME)
        if arguments.code_context is not None
        else file_at(call, str(arguments.path))
    )
    db = host.db
    program = source(db, file)
    placed = list(check_file(db, file).placed(program))
    # The message is the best witness, then the code; else the first error of the program is meant.
    chosen = next(
        ((start, diagnostic) for start, diagnostic in placed if diagnostic.message in text or text in diagnostic.message), None
    )
    chosen = chosen or next(((start, diagnostic) for start, diagnostic in placed if diagnostic.code == code), None)
    if chosen is None and not code:
        chosen = next(((start, diagnostic) for start, diagnostic in placed if diagnostic.severity is Severity.ERROR), None)
    entry = diagnostic_entry(program, *chosen, is_full=True) if chosen else None
    db.before_import("analysis.fixes.repair")
    from analysis.fixes.repair import repair_file

    repaired = repair_file(db, file, "best")
    is_clean = repaired.verified and repaired.text != program.text
    corrected = repaired.text if is_clean else None
    diagnostic = chosen[1] if chosen else None
    return _Case(diagnostic.code if diagnostic else code, entry, diagnostic, corrected, host.freshness(file).as_dict())


TOOL: Final = Tool(
    name="explain_error",
    title="Explain an error",
    description=(
        "Explains a diagnostic and its fix, by code, message or whole object. With the program, also explains the case in it, "
        "with `corrected_code` if that has no diagnostics."
    ),
    arguments=ExplainErrorParams,
    answer_fields={
        "code": TEXT,
        "explanation": TEXT,
        "suggestion": TEXT,
        "corrected_code": TEXT,
        "documentation_uri": TEXT,
        "diagnostic": {"type": "object"},
    },
    run=run,
    example={"error": "E003", "code_context": "fn main() -> Int { totl }"},
)
