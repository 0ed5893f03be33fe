"""`boruna_builtins`: the functions that every program knows without a declaration."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from analysis.ide.builtin_help import builtin_helps, builtins_about
from boruna_ls.answers.envelope import success
from boruna_ls.mcp.arguments import Arguments
from boruna_ls.mcp.schemas import INTEGER
from boruna_ls.mcp.tool import Call, Tool


class BuiltinsParams(Arguments):
    query: str = Field("", description="Words, types, foreign names: `List split`, `indexOf`", max_length=200)


def run(call: Call[BuiltinsParams]) -> dict[str, Any]:
    entries = [builtin.as_dict() for builtin in builtins_about(call.arguments.query)]
    return success(builtins=entries, total=len(builtin_helps()))


TOOL: Final = Tool(
    name="boruna_builtins",
    title="Builtin functions",
    description="Functions that every .ax program can call without an import: signatures, capabilities, meaning.",
    arguments=BuiltinsParams,
    answer_fields={"builtins": {"type": "array", "items": {"type": "object"}}, "total": INTEGER},
    run=run,
    example={"query": "split"},
)
