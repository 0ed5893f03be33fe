"""`extract_function`: statements or an expression become a function of their own."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from analysis.ide.refactor.table import performed
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.editing import EDIT_FIELDS, EDITS, CodeEditingArguments, Plan, Range, answered, planned, span_of
from boruna_ls.mcp.tools.located import program


class ExtractFunctionParams(CodeEditingArguments):
    range: Range = Field(description="Whole statements of one block, or an expression")
    new_function_name: str = Field("", description="Its name", max_length=200)


def _plan(call: Call[ExtractFunctionParams]) -> Plan:
    file = program(call)
    span = span_of(call, file, call.arguments.range, "range")
    change = performed(call.host.db, file, span, "extract_function", new_name=call.arguments.new_function_name)
    return planned(call, file, change)


async def run(call: Call[ExtractFunctionParams]) -> dict[str, Any]:
    return await answered(call, _plan)


TOOL: Final = Tool(
    name="extract_function",
    title="Extract a function",
    description=(
        "Turns statements or an expression into a function and replaces them by a call: parameters, result (a record for "
        "several values) and capabilities are computed. Refused with a reason if the meaning of the program would change."
    ),
    arguments=ExtractFunctionParams,
    answer_fields=EDIT_FIELDS
    | {"function_signature": TEXT, "captured_variables": {"type": "array"}, "capabilities": {"type": "array"}},
    run=run,
    example={
        "code": "fn main() -> Int { 1 + 2 }",
        "range": {"start": {"line": 1, "column": 19}, "end": {"line": 1, "column": 24}},
        "new_function_name": "three",
    },
    hints=EDITS,
)
