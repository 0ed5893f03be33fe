"""`boruna_capability_list`: what programs can ask of the outside world."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.answers.policy import capabilities_answer
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.run import whole

_LIST: Final = {"type": "array", "items": {"type": "object"}}


def run(call: Call) -> dict[str, Any]:
    return capabilities_answer()


TOOL: Final = Tool(
    name="boruna_capability_list",
    title="Capabilities",
    schema_title="CapabilityListParams",
    description="The capabilities that programs can use and policies can name, with versions and one hash over all.",
    arguments=(),
    answer_fields={"name": TEXT, "version": TEXT, "capabilities": _LIST, "capability_set_hash": TEXT, "extensions": _LIST},
    run=run,
    shorten=whole,
    needs_program=False,
)
