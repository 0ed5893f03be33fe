"""`write_file`: replaces a file of a sandbox."""

from __future__ import annotations

import base64
import binascii
from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.envelope import success
from boruna_ls.mcp.arguments import refusal
from boruna_ls.mcp.schemas import INTEGER
from boruna_ls.mcp.tool import Call, Hints, Tool
from boruna_ls.mcp.tools.sandbox_calls import Encoding, SandboxArguments, SandboxPath, check_path, in_sandbox

_LIMIT: Final = 2 << 20


class WriteFileParams(SandboxArguments):
    path: SandboxPath = Field(description="File, relative to the home of the sandbox or absolute in it; directories are created")
    content: str = Field(description="The new content of the file", max_length=_LIMIT)
    encoding: Encoding = Field("utf-8", description="How `content` is written; base64 for binary files")
    mode: int | None = Field(None, description="Permissions as a number, such as 493 (octal 755)", ge=0, le=0o777)


async def run(call: Call[WriteFileParams]) -> dict[str, Any]:
    arguments = call.arguments
    check_path(arguments.path)
    data = _decoded(arguments)
    if len(data) > _LIMIT:
        raise refusal("content", f"argument `content` has {len(data)} bytes; it may have {_LIMIT} at most")
    size = await in_sandbox(call, lambda box: box.write(arguments.path, data, arguments.mode))
    return success(path=arguments.path, size=size)


def _decoded(arguments: WriteFileParams) -> bytes:
    if arguments.encoding == "utf-8":
        return arguments.content.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(arguments.content, validate=True)
    except (binascii.Error, ValueError) as error:
        raise refusal("content", f"argument `content` is not base64: {error}") from None


TOOL: Final = Tool(
    name="write_file",
    title="Write a file of a sandbox",
    description="Replaces a file of a sandbox (not of the workspace), whole or not at all.",
    arguments=WriteFileParams,
    answer_fields={"size": INTEGER},
    run=run,
    example={"sandbox_id": "sb-0123456789abcdef", "path": "main.py", "content": "print(1)"},
    hints=Hints(read_only=False, destructive=True, idempotent=True, open_world=False),
)
