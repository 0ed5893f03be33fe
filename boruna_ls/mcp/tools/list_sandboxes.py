"""`list_sandboxes`: the caller's sandboxes, with what each uses."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.answers.sandbox import listed
from boruna_ls.mcp.arguments import Arguments
from boruna_ls.mcp.tool import READS, Call, Tool
from boruna_ls.mcp.tools.sandbox_calls import waited
from boruna_ls.sandbox.backend import SandboxError
from boruna_ls.sandbox.box import Box, Used
from boruna_ls.sandbox.manager import Sandboxes


class ListSandboxesParams(Arguments):
    """None."""


async def run(call: Call[ListSandboxesParams]) -> dict[str, Any]:
    def look(manager: Sandboxes) -> list[tuple[Box, Used]]:
        rows = []
        for box in manager.of(call.principal):
            try:
                rows.append((box, box.usage(counts=False)))
            except SandboxError:
                # It ended in this moment.
                continue
        return rows

    return listed(await waited(call, look))


TOOL: Final = Tool(
    name="list_sandboxes",
    title="List sandboxes",
    description="Your sandboxes: when each was created and used last, and how much memory, disk and processes it uses.",
    arguments=ListSandboxesParams,
    answer_fields={"sandboxes": {"type": "array", "items": {"type": "object"}}},
    run=run,
    example={},
    hints=READS,
)
