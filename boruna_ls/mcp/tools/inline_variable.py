"""`inline_variable`: a variable's value is written where it is read."""

from __future__ import annotations

from typing import Any, Final

from analysis.ide.refactor.table import performed
from boruna_ls.mcp.schemas import INTEGER, TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.editing import EDIT_FIELDS, EDITS, EditingArguments, Plan, answered, planned
from boruna_ls.mcp.tools.located import PlaceArguments, located


class InlineVariableParams(EditingArguments, PlaceArguments):
    pass


def _plan(call: Call[InlineVariableParams]) -> Plan:
    file, offset = located(call)
    return planned(call, file, performed(call.host.db, file, (offset, offset), "inline_variable"))


async def run(call: Call[InlineVariableParams]) -> dict[str, Any]:
    return await answered(call, _plan)


TOOL: Final = Tool(
    name="inline_variable",
    title="Inline a variable",
    description=(
        "Replaces each read of a variable by its value and removes the variable. Refused with a reason if it is assigned "
        "again, or if the number or order of effects or failures would change."
    ),
    arguments=InlineVariableParams,
    answer_fields=EDIT_FIELDS | {"occurrences_replaced": INTEGER, "variable_name": TEXT},
    run=run,
    example={"code": "fn main() -> Int { let a = 1 a }", "position": {"line": 1, "column": 23}},
    hints=EDITS,
)
