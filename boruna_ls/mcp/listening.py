"""One stream of `subscriptions/listen`: what its client asked for, acknowledged first, then sent as it happens.

The SDK's own handler knows neither tasks nor lists that differ between clients. Senders never wait: events that are told
already are not told twice, so what gathers for a client that does not read is bounded by what it asked for.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp_types import INVALID_PARAMS, INVALID_REQUEST

from boruna_ls.mcp.peers import Context
from boruna_ls.mcp.task_methods import declares_tasks
from boruna_ls.mcp.tasks import Tasks

MOST_TASKS: Final = 100
"""Tasks that one stream tells of."""


class Stream:
    """Events wait in `_waiting` by what they are about; a later one replaces an earlier one."""

    def __init__(self, context: Context, asked: types.SubscriptionFilter) -> None:
        """Raises MCPError for a request that cannot be served."""
        if context.request_id is None:
            raise MCPError(INVALID_REQUEST, "subscriptions/listen needs a request id")
        self._context = context
        self.meta: dict[str, Any] = {SUBSCRIPTION_ID_META_KEY: context.request_id}
        self.tasks = _task_ids(asked) if declares_tasks(context) else ()
        self.wanted = types.SubscriptionFilter(
            tools_list_changed=asked.tools_list_changed or None,
            prompts_list_changed=asked.prompts_list_changed or None,
            resources_list_changed=asked.resources_list_changed or None,
            resource_subscriptions=asked.resource_subscriptions or None,
        )
        self._waiting: dict[tuple[str, str], dict[str, Any]] = {}
        self._filled = asyncio.Event()

    def put(self, method: str, params: dict[str, Any], about: str = "") -> None:
        """Queues a notification."""
        self._waiting[method, about] = params
        self._filled.set()

    def put_task(self, task: str) -> None:
        """A task has changed; its state is read when the notification is sent."""
        if task in self.tasks:
            self.put("notifications/tasks", {}, task)

    async def put_resource(self, uri: str) -> None:
        """A resource has changed."""
        self.put("notifications/resources/updated", {"uri": uri}, uri)

    async def run(self, tasks: Tasks) -> None:
        """Acknowledges, then sends until the client closes the stream, which cancels this."""
        honoured = self.wanted.model_dump(by_alias=True, exclude_none=True)
        if self.tasks:
            honoured["taskIds"] = list(self.tasks)
        await self._send("notifications/subscriptions/acknowledged", {"notifications": honoured})
        while True:
            await self._filled.wait()
            self._filled.clear()
            waiting, self._waiting = self._waiting, {}
            for (method, about), params in waiting.items():
                if method == "notifications/tasks":
                    task = await tasks.get(about)
                    if task is None:
                        continue
                    params = task.detailed()
                await self._send(method, params)

    async def _send(self, method: str, params: dict[str, Any]) -> None:
        # On the stream of this request, whatever the method: the typed way knows no notification of an extension.
        await self._context.session._request_outbound.notify(method, {**params, "_meta": self.meta})


def _task_ids(asked: types.SubscriptionFilter) -> tuple[str, ...]:
    given = (asked.model_extra or {}).get("taskIds") or ()
    if not isinstance(given, list) or len(given) > MOST_TASKS or not all(isinstance(task_id, str) for task_id in given):
        message = f"`notifications.taskIds` must be a list of at most {MOST_TASKS} task ids"
        raise MCPError(INVALID_PARAMS, message, {"argument": "notifications"})
    return tuple(dict.fromkeys(given))
