"""`boruna_capability_list`: what programs can ask of the outside world."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.answers.policy import capabilities_answer
from boruna_ls.mcp.arguments import Arguments
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import Call, Tool

_LIST: Final = {"type": "array", "items": {"type": "object"}}


class CapabilityListParams(Arguments):
    pass


def run(call: Call[CapabilityListParams]) -> dict[str, Any]:
    return capabilities_answer()


TOOL: Final = Tool(
    name="boruna_capability_list",
    title="Capabilities",
    description="The capabilities that programs can use and policies can name, with versions and one hash over all.",
    arguments=CapabilityListParams,
    answer_fields={"name": TEXT, "version": TEXT, "capabilities": _LIST, "capability_set_hash": TEXT, "extensions": _LIST},
    run=run,
    example={},
)
