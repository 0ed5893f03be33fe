"""The methods of the Tasks extension: `tasks/get`, `tasks/update`, `tasks/cancel`, for requests that declare it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.server import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from mcp_types import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    RequestParams,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import Field

from boruna_ls.mcp.peers import Context
from boruna_ls.mcp.tasks import IDENTIFIER, Tasks


class TaskParams(RequestParams):
    """Parameters of `tasks/get` and `tasks/cancel`."""

    task_id: str = Field(alias="taskId", max_length=200)


class UpdateParams(TaskParams):
    """Parameters of `tasks/update`."""

    input_responses: dict[str, Any] = Field(alias="inputResponses", max_length=100)


def declares_tasks(context: Context) -> bool:
    """True if the client declares in this request that it understands tasks."""
    able = context.session.client_capabilities
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS and able is not None and IDENTIFIER in (able.extensions or {})


def undeclared() -> MCPError:
    """The refusal of a request that needs tasks and does not declare them."""
    needed: dict[str, Any] = {"requiredCapabilities": {"extensions": {IDENTIFIER: {}}}}
    return MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, f"the client must declare the extension {IDENTIFIER}", needed)


def serve_tasks(server: Server[Any], tasks_of: Callable[[Context], Tasks]) -> None:
    """Adds the methods to a server; `tasks_of` finds the tasks of a request's client."""

    def tasks(context: Context, task: str) -> Tasks:
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            raise MCPError(METHOD_NOT_FOUND, "Method not found", context.method)
        if not declares_tasks(context):
            raise undeclared()
        headers = getattr(context.request, "headers", None)
        if headers is not None and decode_header_value(headers.get(MCP_NAME_HEADER)) != task:
            # What stands between us and the client routes by the header.
            raise MCPError(HEADER_MISMATCH, f"{MCP_NAME_HEADER} header does not match the request body's 'taskId' parameter")
        return tasks_of(context)

    async def get(context: Context, params: TaskParams) -> dict[str, Any]:
        state = await tasks(context, params.task_id).get(params.task_id)
        if state is None:
            raise _unknown(params.task_id)
        return {"resultType": "complete", **state.detailed()}

    async def update(context: Context, params: UpdateParams) -> dict[str, Any]:
        if not await tasks(context, params.task_id).update(params.task_id, params.input_responses):
            raise _unknown(params.task_id)
        return {"resultType": "complete"}

    async def cancel(context: Context, params: TaskParams) -> dict[str, Any]:
        if not await tasks(context, params.task_id).cancel(params.task_id):
            raise _unknown(params.task_id)
        return {"resultType": "complete"}

    server.extensions[IDENTIFIER] = {}
    server.add_request_handler("tasks/get", TaskParams, get)
    server.add_request_handler("tasks/update", UpdateParams, update)
    server.add_request_handler("tasks/cancel", TaskParams, cancel)


def _unknown(task: str) -> MCPError:
    return MCPError(INVALID_PARAMS, f"no task is named {task[:100]!r}: it may have expired", {"argument": "taskId"})
