"""`boruna_inspect`: the bytecode of a program."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.answers.envelope import as_text, with_freshness
from boruna_ls.answers.inspect import inspect_answer
from boruna_ls.answers.shorten import shorten_list
from boruna_ls.mcp.schemas import ERRORS, INTEGER, OMITTED, TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.compile import CompileParams

_HEAVY: Final = ("source_map", "module", "disassembly")
"""Parts that are left out of an answer that is too long, in this order."""


class InspectParams(CompileParams):
    pass


def run(call: Call[InspectParams]) -> dict[str, Any]:
    file = call.program()
    return with_freshness(inspect_answer(call.host.db, file, call.arguments.name), call.host, file)


def _shorten(answer: dict[str, Any], limit: int, call: Call[InspectParams]) -> dict[str, Any]:
    if "errors" in answer:
        return shorten_list(answer, "errors", limit, 0)
    left_out: list[str] = []
    for field in _HEAVY:
        left_out.append(field)
        rest = "inspect a smaller program, or `boruna-ls inspect FILE`"
        answer = answer | {field: None, "omitted": {"field": ", ".join(left_out), "rest": rest}}
        if len(as_text(answer).encode()) <= limit:
            break
    return answer


TOOL: Final = Tool(
    name="boruna_inspect",
    title="Bytecode of a program",
    description=(
        "Compiles an .ax program and shows its module: all code, constants, types and match tables as JSON, the "
        "disassembly, size and hash of its .axbc file, and for each instruction line, col, end_line, end_col of its source."
    ),
    arguments=InspectParams,
    answer_fields={
        "module": {"type": ["object", "null"]},
        "disassembly": {"type": ["string", "null"]},
        "axbc_bytes": INTEGER,
        "axbc_sha256": TEXT,
        "source_map": {
            "type": ["array", "null"],
            "items": {"type": "object", "properties": {"function": TEXT, "file": TEXT, "places": {"type": "array"}}},
        },
        "errors": ERRORS,
        "omitted": OMITTED,
    },
    run=run,
    example={"path": "app.ax"},
    shorten=_shorten,
)
