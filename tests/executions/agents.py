"""Agents that drive executions: the real client against the real server, over stdio and over HTTP."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from tests.support.commands import command
from tests.support.http_server import HttpServer

ASK = """fn main() -> String !{llm.call} {
    let a = llm_call("First?")
    let b = llm_call("Second after " ++ a ++ "?")
    a ++ b
}
"""


class Agent:
    """One client. `ask` gives a tool's answer, `refused` the error of a call that must be wrong."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def called(self, tool: str, **arguments: Any) -> tuple[dict[str, Any], bool]:
        result = await self.client.call_tool(tool, arguments)
        answer = json.loads(result.content[0].text)  # type: ignore[union-attr]
        assert answer == result.structured_content
        return dict(answer), bool(result.is_error)

    async def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer, is_error = await self.called(tool, **arguments)
        assert not is_error, answer
        return answer

    async def refused(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer, is_error = await self.called(tool, **arguments)
        assert is_error, answer
        return dict(answer["error"])

    async def begin(self, program: str, execution: str, source: str, **arguments: Any) -> None:
        """Loads and starts."""
        loaded = await self.ask("load", programId=program, source=source)
        assert loaded["success"], loaded
        await self.ask("start", programId=program, executionId=execution, **arguments)

    async def completed(self, mind: Callable[[dict[str, Any]], Any], execution: str | None = None) -> dict[str, Any]:
        """Answers every task by a scripted mind: the last answer of getTask."""
        named = {} if execution is None else {"executionId": execution}
        while (task := await self.ask("getTask", **named))["status"] == "waiting":
            await self.called("submitTask", result=mind(task), taskId=task["taskId"], **named)
        return task


@asynccontextmanager
async def stdio_agent(folder: Path, *options: str, **more: Any) -> AsyncIterator[Agent]:
    """An agent whose server is a process of its own."""
    parameters = StdioServerParameters(
        command=command("boruna-mcp"), args=["--standalone", *options], env=dict(os.environ), cwd=folder
    )
    async with Client(parameters, **more) as client:
        yield Agent(client)


@asynccontextmanager
async def http_agent(server: HttpServer) -> AsyncIterator[Agent]:
    """An agent of a server that runs."""
    async with server.client() as client:
        yield Agent(client)
