"""The SDK's server for one client: what it offers, and which functions answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final
from urllib.parse import unquote

import mcp_types as types
from mcp.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR
from pydantic import BaseModel

from boruna_ls import __version__
from boruna_ls.answers.envelope import no_file
from boruna_ls.mcp import apps, live_resources, resources, tasks
from boruna_ls.mcp.argument_schema import shown_schema
from boruna_ls.mcp.calls import DEADLINE, Answer, Calls
from boruna_ls.mcp.channels import Channel
from boruna_ls.mcp.disconnects import unless_disconnected
from boruna_ls.mcp.execution_tasks import URI as EXECUTION_URI
from boruna_ls.mcp.execution_tasks import ExecutionTasks
from boruna_ls.mcp.live_resources import path_of
from boruna_ls.mcp.ongoing import TASK_AFTER, Questions
from boruna_ls.mcp.paths import workspace_paths
from boruna_ls.mcp.peers import Context, OnePeer, Peers, scopes_of
from boruna_ls.mcp.prompts import PROMPTS, prompt, suggestions
from boruna_ls.mcp.questions import RoundTrip, peer_of
from boruna_ls.mcp.schemas import answer_schema
from boruna_ls.mcp.scopes import refuse_unless_allowed
from boruna_ls.mcp.subscriptions import Subscriptions
from boruna_ls.mcp.task_methods import declares_tasks, serve_tasks, undeclared
from boruna_ls.mcp.tool import Report, Tool
from boruna_ls.mcp.tools import Row, load_apart
from boruna_ls.mcp.toolsets import Selection, select
from boruna_ls.mcp.transport import SAME_AS_TEXT, serve
from boruna_ls.mcp.workflow_tasks import URI as RUN_URI
from boruna_ls.mcp.workflow_tasks import WorkflowTasks
from boruna_ls.threads import for_agent
from boruna_ls.workspace import Client, FileUnavailable, Host, ask

NAME: Final = "boruna-mcp"
INSTRUCTIONS: Final = (
    "Analyses .ax programs. Pass a program as text (`source`) or as a file (`path`). For open files the editor's text "
    "is used (`freshness` says so). `warnings` lists problems of the call. Answers "
    "are JSON, the same as text and as structured content. A faulty program is no error of the call: look at `diagnostics` or at "
    "`success` false. An error means that the call itself was refused, and names the argument. "
    "boruna_check finds mistakes, boruna_repair repairs, boruna_run runs; try_edits tries up to 100 edits in one call and "
    "writes nothing; boruna_builtins finds a function by word, type or example; "
    "boruna://diagnostics/CODE explains a code. Before you write .ax, read boruna://language-reference. In short: "
    "`fn add(a: Int, b: Int) -> Int { let mut sum = a sum = sum + b sum }` (the last expression is the value; no semicolons, "
    "lambdas, methods, generics, tuples, `else if`, `break`); `type P { x: Int }` makes records `P { x: 1 }`, "
    "`enum E { A, B(Int) }` values `E::B(1)`, `match e { A => 0, B(n) => n }`; texts join with `++`; builtins have names such as "
    "`__builtin_int_to_string`; effects need `!{net.fetch}` after the result type."
)


async def run_connection(
    host: Host,
    channel: Channel,
    folders: Iterable[str] = (),
    deadline: float = DEADLINE,
    selection: Selection | None = None,
    libs_dir: str | None = None,
    connected: Callable[[Client], None] | None = None,
) -> None:
    """Serves one MCP client until its input ends; `folders` are what its relative paths count from.

    `libs_dir` is its own folder of libraries; without one it has the host's. `connected` is called with the client.
    """
    client = await asyncio.to_thread(host.connect, folders, libs_dir)
    if connected is not None:
        connected(client)
    peer = OnePeer(host, client, selection or select(), deadline, channel.room)
    try:
        await serve(make_server(peer, splices=True), channel, peer.leave)
    finally:
        peer.end()
        host.forget_inline(client.id)
        host.disconnect(client)


def make_server(peers: Peers, splices: bool = False) -> Server[Any]:
    """The server object of one client or of many. `splices`: the transport replaces SAME_AS_TEXT by the answer's text."""
    answers, subscriptions = _Answers(peers, splices), Subscriptions(peers, {EXECUTION_URI: EXECUTIONS, RUN_URI: _RUNS})
    server = _Server(
        NAME,
        version=__version__,
        title="boruna-ls",
        instructions=INSTRUCTIONS,
        on_list_tools=answers.list_tools,
        on_call_tool=answers.call_tool,
        on_list_resources=_listed(answers, subscriptions),
        on_list_resource_templates=answers.list_templates,
        on_read_resource=answers.read_resource,
        on_subscribe_resource=subscriptions.subscribe,
        on_unsubscribe_resource=subscriptions.unsubscribe,
        on_subscriptions_listen=subscriptions.listen,
        on_list_prompts=answers.list_prompts,
        on_get_prompt=answers.get_prompt,
        on_completion=answers.complete,
    )
    server.extensions[apps.EXTENSION] = {"mimeTypes": [apps.MIME_TYPE]}
    serve_tasks(server, lambda context: peers.of(context).session.tasks.seen_with(scopes_of(context)))
    return server


_RUNS: Final = WorkflowTasks()
tasks.register(_RUNS)
EXECUTIONS: Final = ExecutionTasks()
tasks.register(EXECUTIONS)


class _Server(Server[Any]):
    """Server that declares, on every transport, that its lists of tools and resources can change."""

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *arguments: Any, **named: Any
    ) -> InitializationOptions:
        return super().create_initialization_options(
            notification_options or NotificationOptions(tools_changed=True, resources_changed=True), *arguments, **named
        )


def _listed(answers: _Answers, subscriptions: Subscriptions) -> Any:
    """`resources/list`; clients that called it are notified of changes."""

    async def list_resources(context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        resources = await answers.list_resources(context, params)
        await subscriptions.listed(context)
        return resources

    return list_resources


class _Answers:
    """Request handlers of the SDK's server: a method for each request."""

    def __init__(self, peers: Peers, splices: bool) -> None:
        self._peers = peers
        self._splices = splices
        self._definitions: dict[str, types.Tool] = {}

    async def list_tools(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        shown = self._peers.of(context).session.shown
        await load_apart(shown.rows)
        return types.ListToolsResult(tools=[self._definition(row) for row in shown.rows])

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> Any:
        return await unless_disconnected(context, self._call_tool(context, params))

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> Any:
        calls, given, scopes = self._peers.of(context), params.arguments or {}, scopes_of(context)
        refuse_unless_allowed(scopes, calls.scopes(params.name, given))
        await calls.load(params.name)
        report = context.session.report_progress if has_progress_token(context.params) else None
        tool, version = calls.tool(params.name), calls.session.shown.version
        if tool is not None and (tool.asks or tool.task != "never"):
            return await self._call_that_may_go_on(context, params, calls, tool, report)
        result = self._result(await calls.answer(params.name, given, report, context.protocol_version, scopes=scopes))
        if calls.session.shown.version != version:
            await context.session.send_tool_list_changed()
        return result

    def _result(self, answer: Answer, splices: bool | None = None) -> types.CallToolResult:
        splices = self._splices if splices is None else splices
        structured = answer.structured or (SAME_AS_TEXT if splices else json.loads(answer.text))
        block = types.TextContent(type="text", text=answer.text)
        return types.CallToolResult(content=[block], structured_content=structured, is_error=answer.is_error)

    async def _call_that_may_go_on(
        self, context: Context, params: types.CallToolRequestParams, calls: Calls, tool: Tool[Any], report: Report | None
    ) -> Any:
        """A call that may ask its client, or go on as a task."""
        given, version, peer = params.arguments or {}, context.protocol_version, peer_of(context)
        scopes = scopes_of(context)
        can_be_task = tool.task != "never" and declares_tasks(context)
        if tool.task == "always" and not can_be_task:
            raise undeclared()
        if not isinstance(peer, RoundTrip):
            return self._result(await calls.answer(params.name, given, report, version, peer, scopes=scopes))
        called, detach = (params.name, given), asyncio.Event()
        if params.request_state is not None:
            answers = {name: dumped(response) for name, response in (params.input_responses or {}).items()}
            outcome = await calls.ongoing.resume(params.request_state, called, answers)
        else:
            can_be_task = can_be_task and calls.session.tasks.calls.has_room
            become_task = detach.set if can_be_task else lambda: None
            after = None if not can_be_task else TASK_AFTER if tool.task == "when_slow" else 0.0
            work = calls.answer(params.name, given, report, version, peer, become_task, scopes)
            outcome = await calls.ongoing.begin(called, peer, work, detach, after)
        if isinstance(outcome, Answer):
            return self._result(outcome)
        if isinstance(outcome, Questions):
            shown = {"resultType": "input_required", "inputRequests": outcome.requests, "requestState": outcome.state}
            return types.InputRequiredResult.model_validate(shown)
        task = calls.session.tasks.calls.add(
            asyncio.ensure_future(self._outcome(outcome.work)), outcome.peer, frozenset(calls.scopes(params.name, given))
        )
        return {"resultType": "task", **task.handle()}

    async def _outcome(self, work: asyncio.Task[Answer]) -> dict[str, Any]:
        """The result of a call that went on as a task."""
        answer = await work
        if answer.fault:
            raise MCPError(INTERNAL_ERROR, answer.fault)
        result = self._result(answer, splices=False)
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)

    def _definition(self, row: Row) -> types.Tool:
        if row.name not in self._definitions:
            self._definitions[row.name] = definition(row.load())
        return self._definitions[row.name]

    async def list_resources(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        calls = self._peers.of(context)
        listed = await asyncio.to_thread(resources.listed, calls.templates, calls.client.libs)
        return types.ListResourcesResult(resources=listed)

    async def list_templates(self, _: Context, params: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=resources.templates())

    async def read_resource(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri, calls = resources.uri_of(params), self._peers.of(context)
        if uri.startswith(RUN_URI):
            text = await _RUNS.page(calls.client, uri.removeprefix(RUN_URI))
            return self._stored_page(context, uri, calls, text)
        if uri.startswith(EXECUTION_URI):
            text = await EXECUTIONS.page(calls.client, unquote(uri.removeprefix(EXECUTION_URI)))
            return self._stored_page(context, uri, calls, text)
        if path_of(uri) is None:
            revision = calls.host.latest()
            version, libs = context.protocol_version, calls.client.libs
            return await asyncio.to_thread(resources.read, uri, version, revision, calls.templates, libs)
        try:
            async with calls.turn():
                job = ask(calls.host, lambda host: live_resources.read(host, calls.client, uri), client=calls.client.id)
                read = await asyncio.wrap_future(job)
        except FileUnavailable as error:
            raise resources.not_found(uri, context.protocol_version, reason=str(error)) from None
        return resources.result(uri, read.kind, read.text, read.freshness)

    @staticmethod
    def _stored_page(context: Context, uri: str, calls: Calls, text: str | None) -> types.ReadResourceResult:
        if text is None:
            raise resources.not_found(uri, context.protocol_version)
        return resources.result(uri, "application/json", text, no_file(calls.host.latest()))

    async def list_prompts(self, _: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[row.listed for row in PROMPTS.values()])

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        calls = self._peers.of(context)
        async with calls.turn():
            return await calls.host.worker.run(lambda: prompt(calls.host, calls.client, params.name, params.arguments or {}))

    async def complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        name, value = params.argument.name, params.argument.value
        calls = self._peers.of(context)
        if isinstance(params.ref, types.PromptReference) and name not in ("path", "code"):
            asked, given = params.ref.name, (params.context.arguments if params.context else None) or {}
            candidates = await calls.host.worker.run(lambda: suggestions(calls.host, calls.client, asked, name, given))
            values = [text for text in candidates if text.startswith(value)]
        else:
            owner = calls.quota.principal if calls.client.confined else calls.client.id
            paths = await for_agent(owner, workspace_paths, calls.host, calls.client) if name == "path" else []
            values = await for_agent(owner, resources.complete, name, value, paths, calls.templates, calls.client.libs)
        shown = values[: resources.COMPLETIONS]
        more = len(shown) < len(values)
        return types.CompleteResult(completion=types.Completion(values=shown, total=len(values), has_more=more))


def dumped(answer: Any) -> dict[str, Any]:
    """A client's answer as it was on the wire."""
    return answer.model_dump(mode="json", by_alias=True, exclude_unset=True) if isinstance(answer, BaseModel) else dict(answer)


def has_progress_token(params: Mapping[str, Any] | None) -> bool:
    """True if the caller of a request has asked for progress notifications."""
    meta = (params or {}).get("_meta")
    token = meta.get("progressToken") if isinstance(meta, Mapping) else None
    return isinstance(token, str | int) and not isinstance(token, bool)


def definition(tool: Tool[Any]) -> types.Tool:
    """A tool as `tools/list` shows it."""
    hints = types.ToolAnnotations(
        read_only_hint=tool.hints.read_only,
        destructive_hint=tool.hints.destructive,
        idempotent_hint=tool.hints.idempotent,
        open_world_hint=tool.hints.open_world,
    )
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=shown_schema(tool.arguments),
        output_schema=answer_schema(tool.answer_fields),
        annotations=hints,
        _meta=apps.tool_meta(tool.page),
    )
