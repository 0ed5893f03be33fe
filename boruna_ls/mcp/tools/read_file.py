"""`read_file`: a part of a file of a sandbox."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.sandbox import content, shorter_content
from boruna_ls.mcp.schemas import INTEGER, OMITTED, TEXT
from boruna_ls.mcp.tool import READS, Call, Tool
from boruna_ls.mcp.tools.sandbox_calls import Encoding, SandboxArguments, SandboxPath, check_path, in_sandbox

_MOST: Final = 524_288


class ReadFileParams(SandboxArguments):
    path: SandboxPath = Field(description="File, relative to the home of the sandbox or absolute in it")
    offset: int = Field(0, description="Bytes to skip", ge=0, le=2**50)
    limit: int = Field(_MOST, description="Bytes to read", ge=1, le=_MOST)
    encoding: Encoding = Field("utf-8", description="How `content` is written; base64 for binary files")


async def run(call: Call[ReadFileParams]) -> dict[str, Any]:
    arguments = call.arguments
    check_path(arguments.path)
    data, size = await in_sandbox(call, lambda box: box.read(arguments.path, arguments.offset, arguments.limit))
    return content(data, size, arguments.offset, arguments.encoding)


TOOL: Final = Tool(
    name="read_file",
    title="Read a file of a sandbox",
    description="A file of a sandbox (not of the workspace), or a part of it.",
    arguments=ReadFileParams,
    answer_fields={"content": TEXT, "size": INTEGER, "truncated": {"type": "boolean"}, "omitted": OMITTED},
    run=run,
    example={"sandbox_id": "sb-0123456789abcdef", "path": "result.txt"},
    shorten=shorter_content,
    hints=READS,
)
