"""`list_directory`: what is in a directory of a sandbox."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.sandbox import directory, shorter_directory
from boruna_ls.mcp.arguments import Offset
from boruna_ls.mcp.schemas import INTEGER, OMITTED
from boruna_ls.mcp.tool import READS, Call, Tool
from boruna_ls.mcp.tools.sandbox_calls import SandboxArguments, SandboxPath, check_path, in_sandbox


class ListDirectoryParams(SandboxArguments):
    path: SandboxPath = Field(".", description="Directory, relative to the home of the sandbox or absolute in it")
    offset: Offset = Field(0, description="Entries to skip")


async def run(call: Call[ListDirectoryParams]) -> dict[str, Any]:
    arguments = call.arguments
    check_path(arguments.path)
    entries, total = await in_sandbox(call, lambda box: box.list(arguments.path, arguments.offset))
    return directory(arguments.path, entries, total, arguments.offset)


TOOL: Final = Tool(
    name="list_directory",
    title="List a directory of a sandbox",
    description="Lists name, kind, size and time of the entries of a sandbox directory; 1,000 per call.",
    arguments=ListDirectoryParams,
    answer_fields={"entries": {"type": "array", "items": {"type": "object"}}, "total": INTEGER, "omitted": OMITTED},
    run=run,
    example={"sandbox_id": "sb-0123456789abcdef", "path": "."},
    shorten=shorter_directory,
    hints=READS,
)
