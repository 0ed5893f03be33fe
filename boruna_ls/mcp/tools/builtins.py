"""`boruna_builtins`: the functions that every program knows without a declaration."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from analysis.semantics.builtins import BUILTINS, Builtin
from boruna_ls.answers.envelope import success
from boruna_ls.mcp.arguments import Arguments
from boruna_ls.mcp.schemas import INTEGER
from boruna_ls.mcp.tool import Call, Tool


class BuiltinsParams(Arguments):
    query: str = Field("", description="Words that signature or meaning hold, such as `List split`", max_length=200)


def run(call: Call[BuiltinsParams]) -> dict[str, Any]:
    words = call.arguments.query.casefold().split()
    found = [builtin for builtin in BUILTINS.values() if all(word in _text(builtin) for word in words)]
    entries = [{"signature": one.signature, "meaning": one.documentation} for one in found]
    return success(builtins=entries, total=len(BUILTINS))


def _text(builtin: Builtin) -> str:
    return f"{builtin.signature} {builtin.documentation}".casefold()


TOOL: Final = Tool(
    name="boruna_builtins",
    title="Builtin functions",
    description="Functions that every .ax program can call without an import: signatures, capabilities, meaning.",
    arguments=BuiltinsParams,
    answer_fields={"builtins": {"type": "array", "items": {"type": "object"}}, "total": INTEGER},
    run=run,
    example={"query": "split"},
)
