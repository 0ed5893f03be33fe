"""`boruna_compile`: whether a program compiles, and what stands in the way."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.accompany import accompanying
from boruna_ls.answers.compile import compile_answer
from boruna_ls.answers.envelope import with_freshness
from boruna_ls.answers.shorten import shorten_list
from boruna_ls.mcp.arguments import Path
from boruna_ls.mcp.schemas import ACCOMPANYING, ERRORS, INTEGER, TEXT
from boruna_ls.mcp.tool import Call, ProgramArguments, Tool


class CompileParams(ProgramArguments):
    name: Path = Field("module", description="Name of the module")


def run(call: Call[CompileParams]) -> dict[str, Any]:
    file = call.program()
    db = call.host.db
    answer = compile_answer(db, file, call.arguments.name) | accompanying(db, {file: call.file_name})
    return with_freshness(answer, call.host, file)


def _shorten(answer: dict[str, Any], limit: int, call: Call[CompileParams]) -> dict[str, Any]:
    return shorten_list(answer, "errors", limit, 0) if "errors" in answer else answer


TOOL: Final = Tool(
    name="boruna_compile",
    title="Compile a program",
    description=(
        "Compiles an .ax program with its imports. `module` has the counts of functions, types and constants; a program "
        "that does not compile is an answer with `success` false and `errors`: first the one that a compiler stops at, "
        "then all others."
    ),
    arguments=CompileParams,
    answer_fields={
        "module": {
            "type": "object",
            "properties": {
                "name": TEXT,
                "version": INTEGER,
                "functions": INTEGER,
                "types": INTEGER,
                "constants": INTEGER,
                "entry": INTEGER,
            },
        },
        "errors": ERRORS,
        **ACCOMPANYING,
    },
    run=run,
    example={"path": "app.ax"},
    shorten=_shorten,
)
