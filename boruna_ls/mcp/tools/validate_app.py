"""`boruna_validate_app`: whether a program has the shape of an application."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.answers.app import validate_answer
from boruna_ls.answers.envelope import with_freshness
from boruna_ls.answers.parse_error import parse_error
from boruna_ls.mcp.schemas import ERRORS
from boruna_ls.mcp.tool import Call, ProgramArguments, Tool

_FLAG: Final = {"type": "boolean"}
_NAME: Final = {"type": ["string", "null"]}


class ValidateAppParams(ProgramArguments):
    pass


def run(call: Call[ValidateAppParams]) -> dict[str, Any]:
    file = call.program()
    error = parse_error(call.host.db, file)
    answer = error.as_list() if error else validate_answer(call.host.db, file)
    return with_freshness(answer, call.host, file)


TOOL: Final = Tool(
    name="boruna_validate_app",
    title="Validate an application",
    description=(
        "Whether an .ax program is an application: `init()`, `update(state, msg)`, `view(state)`, optional `policies()`, the "
        "last three pure. `errors` with places on failure; `warnings` are errors and warnings of a check."
    ),
    arguments=ValidateAppParams,
    answer_fields={
        "valid": _FLAG,
        "has_init": _FLAG,
        "has_update": _FLAG,
        "has_view": _FLAG,
        "has_policies": _FLAG,
        "state_type": _NAME,
        "message_type": _NAME,
        "errors": ERRORS,
    },
    run=run,
    example={"path": "app.ax"},
)
