"""`boruna_symbols`: functions, records and enums of a program."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.envelope import with_freshness
from boruna_ls.answers.parse_error import parse_error
from boruna_ls.answers.shorten import shorten_list
from boruna_ls.answers.symbols import symbols_answer
from boruna_ls.mcp.arguments import Offset
from boruna_ls.mcp.schemas import INTEGER, OMITTED, PLACE, TEXT
from boruna_ls.mcp.tool import Call, ProgramArguments, Tool


class SymbolsParams(ProgramArguments):
    offset: Offset | None = Field(None, description="Number of entries of a long answer to skip")


def run(call: Call[SymbolsParams]) -> dict[str, Any]:
    file = call.program()
    error = parse_error(call.host.db, file)
    if error:
        return with_freshness(error.as_flat(), call.host, file)
    answer = symbols_answer(call.host.db, file)
    answer["symbols"] = answer["symbols"][call.offset :]
    return with_freshness(answer, call.host, file)


def _shorten(answer: dict[str, Any], limit: int, call: Call[SymbolsParams]) -> dict[str, Any]:
    return shorten_list(answer, "symbols", limit, call.offset)


TOOL: Final = Tool(
    name="boruna_symbols",
    title="Symbols",
    description=(
        "Functions, records and enums of an .ax program in source order, with signature, parameters or members, "
        "capabilities, contracts and place. If the program does not parse, `success` is false."
    ),
    arguments=SymbolsParams,
    answer_fields={
        "symbols": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "kind": {"enum": ["fn", "record", "enum"]},
                    "name": TEXT,
                    "exported": {"type": "boolean"},
                    "signature": TEXT,
                    "location": PLACE,
                },
                "required": ["kind", "name", "exported", "signature"],
            },
        },
        "error_kind": TEXT,
        "error": TEXT,
        "line": INTEGER,
        "col": {"type": ["integer", "null"]},
        "omitted": OMITTED,
    },
    run=run,
    example={"path": "app.ax"},
    shorten=_shorten,
)
