"""Subscriptions to resources in both generations of the protocol: `resources/subscribe`, and streams that listen."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, Protocol

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, INVALID_REQUEST
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from boruna_ls.data import templates_folder
from boruna_ls.mcp import resources, template_changes
from boruna_ls.mcp.calls import Calls
from boruna_ls.mcp.listening import Stream
from boruna_ls.mcp.live_resources import MOST_SUBSCRIPTIONS, Notify, Watcher, path_of
from boruna_ls.mcp.peers import Context, Peers, at_end, connection_of, scopes_of
from boruna_ls.workspace import Client, FileUnavailable

MOST_STREAMS: Final = 16
"""Streams that one client may have open."""
_ENDS: Final = "boruna.subscriptions"
_log = logging.getLogger(__name__)


class Followed(Protocol):
    """Stored things that are resources."""

    async def follow(self, client: Client, uri: str, notify: Callable[[str], None]) -> Callable[[], None] | None:
        """Has `notify` called with a resource's URI when it changes; what ends that, None for an unknown one."""


class Subscriptions:
    """Subscriptions of one server object. Resources that never change can be subscribed to, and send no updates."""

    def __init__(self, peers: Peers, stored: Mapping[str, Followed]) -> None:
        """`stored`: by the beginning of their URIs, resources whose owners tell of changes."""
        self._peers = peers
        self._stored = stored
        self._followed: dict[tuple[Any, str], Callable[[], None]] = {}
        self._watcher: Watcher | None = None
        self._templates = template_changes.TemplateChanges()
        self._streams: Counter[Calls] = Counter()
        self._notices: set[asyncio.Future[None]] = set()

    async def subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """`resources/subscribe`: until the session ends or unsubscribes."""
        uri, connection = resources.uri_of(params), connection_of(context)
        stored = self._owner(uri)
        if path_of(uri) is None and stored is None:
            calls = self._peers.of(context)
            revision = calls.host.latest()
            version, libs = context.protocol_version, calls.client.libs
            await asyncio.to_thread(resources.read, uri, version, revision, calls.templates, libs)
            if uri.startswith(template_changes.PREFIX):
                await self._watch_template(context, id(connection), uri, partial(_updated, connection, uri))
            return types.EmptyResult()
        self._end_with(context)

        async def notify(changed: str) -> None:
            await connection.notify("notifications/resources/updated", {"uri": changed})

        if stored is not None:
            await self._follow(context, stored, id(connection), uri, notify)
        else:
            await self._watch(context, id(connection), uri, notify)
        return types.EmptyResult()

    async def listed(self, context: Context) -> None:
        """Notify a client that has listed resources of new and removed templates of its own folder (older protocol)."""
        connection, calls = connection_of(context), self._peers.of(context)
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS or calls.templates == str(templates_folder()):
            return

        async def changed() -> None:
            await connection.notify("notifications/resources/list_changed", {})

        await self._watch_template(context, id(connection), "", changed)

    async def _watch_template(self, context: Context, key: Any, uri: str, notify: template_changes.Notify) -> None:
        if key == id(connection_of(context)):
            self._end_with(context)
        if not await self._templates.watch(key, self._peers.of(context).templates, uri, notify):
            raise MCPError(INVALID_PARAMS, "too many subscriptions: end some first", {"uri": uri})

    def _end_with(self, context: Context) -> None:
        """The subscriptions of a connection end with it."""
        connection = connection_of(context)
        if _ENDS not in connection.state:
            connection.state[_ENDS] = True
            at_end(context, lambda: self._forget(id(connection)))

    async def unsubscribe(self, context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """`resources/unsubscribe`; what was not subscribed to is no fault."""
        self._forget(id(connection_of(context)), str(params.uri))
        return types.EmptyResult()

    async def listen(self, context: Context, params: types.SubscriptionsListenRequestParams) -> types.SubscriptionsListenResult:
        """`subscriptions/listen`: as long as the stream is open."""
        stream, calls = Stream(context, params.notifications), self._peers.of(context)
        session, wanted = calls.session, stream.wanted
        if self._streams[calls] >= MOST_STREAMS:
            raise MCPError(INVALID_REQUEST, f"{MOST_STREAMS} streams of this client are already open: close one first")
        self._streams[calls] += 1
        ends = []
        try:
            if wanted.tools_list_changed:
                ends.append(session.shown.listen(lambda: stream.put("notifications/tools/list_changed", {})))
            if stream.tasks:
                ends.append(session.tasks.listen(stream.put_task))
            for uri in map(resources.checked, map(str, wanted.resource_subscriptions or ())):
                if path_of(uri) is not None:
                    await self._watch(context, stream, uri, stream.put_resource)
                elif (stored := self._owner(uri)) is not None:
                    await self._follow(context, stored, stream, uri, stream.put_resource)
                elif uri.startswith(template_changes.PREFIX):
                    await self._watch_template(context, stream, uri, partial(stream.put_resource, uri))
            if wanted.resources_list_changed and calls.templates != str(templates_folder()):

                async def list_changed() -> None:
                    stream.put("notifications/resources/list_changed", {})

                await self._watch_template(context, stream, "", list_changed)
            await stream.run(session.tasks.seen_with(scopes_of(context)))
        finally:
            self._forget(stream)
            self._streams[calls] -= 1
            if not self._streams[calls]:
                del self._streams[calls]
            for end in ends:
                end()
        return types.SubscriptionsListenResult(_meta=stream.meta)

    async def _watch(self, context: Context, key: Any, uri: str, notify: Any) -> None:
        calls = self._peers.of(context)
        self._watcher = self._watcher or Watcher(calls.host)
        if self._watcher.is_full:
            raise MCPError(INVALID_PARAMS, "too many subscriptions: end some first", {"uri": uri})
        try:
            await self._watcher.watch(key, calls.client, uri, notify)
        except FileUnavailable as error:
            raise resources.not_found(uri, context.protocol_version, reason=str(error)) from None

    def _owner(self, uri: str) -> Followed | None:
        return next((owner for prefix, owner in self._stored.items() if uri.startswith(prefix)), None)

    async def _follow(self, context: Context, stored: Followed, key: Any, uri: str, notify: Notify) -> None:
        """Subscribe to a stored resource."""
        loop = asyncio.get_running_loop()
        if len(self._followed) >= MOST_SUBSCRIPTIONS:
            raise MCPError(INVALID_PARAMS, "too many subscriptions: end some first", {"uri": uri})
        client = self._peers.of(context).client
        end = await stored.follow(client, uri, lambda changed: self._send(loop, notify(changed)))
        if end is None:
            raise resources.not_found(uri, context.protocol_version)
        self._followed.pop((key, uri), lambda: None)()
        self._followed[key, uri] = end

    def _send(self, loop: asyncio.AbstractEventLoop, notice: Awaitable[None]) -> None:
        task = asyncio.ensure_future(notice, loop=loop)
        self._notices.add(task)
        task.add_done_callback(self._sent)

    def _sent(self, task: asyncio.Future[None]) -> None:
        self._notices.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _log.info("a subscriber could not be notified of a change: %s", type(task.exception()).__name__)

    def _forget(self, key: Any, uri: str | None = None) -> None:
        for subscription in [
            subscription for subscription in self._followed if subscription[0] == key and uri in (None, subscription[1])
        ]:
            self._followed.pop(subscription)()
        self._templates.forget(key, uri)
        if self._watcher is not None:
            self._watcher.forget(key, uri)


async def _updated(connection: Any, uri: str) -> None:
    await connection.notify("notifications/resources/updated", {"uri": uri})
