"""The product's server object with the tools, prompts and resources that the conformance suite's scenarios ask for.

Whatever is not named here is answered by the product. Run with a port; not a test itself (`make test-mcp-conformance`).
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import secrets
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import mcp_types as types
import uvicorn
from mcp.server import Server
from mcp.shared.exceptions import MCPError

from boruna_ls.mcp.peers import Context, ManyPeers
from boruna_ls.mcp.server import make_server
from boruna_ls.mcp.toolsets import select
from boruna_ls.process import prepare
from boruna_ls.workspace import Host
from tests.mcp.conformance import task_tools

PNG: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg=="
WAV: Final = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
KEY: Final = secrets.token_bytes(32)
Answer = types.CallToolResult | types.InputRequiredResult
Tool = Callable[[Context, types.CallToolRequestParams], Awaitable[Answer]]


def text(words: str, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=words)], is_error=is_error)


def content(*blocks: Any) -> Tool:
    async def answer(_: Context, __: types.CallToolRequestParams) -> Answer:
        return types.CallToolResult(content=list(blocks))

    return answer


def image() -> types.ImageContent:
    return types.ImageContent(type="image", data=PNG, mime_type="image/png")


def embedded(uri: str, words: str = "This is an embedded resource content.") -> types.EmbeddedResource:
    contents = types.TextResourceContents(uri=uri, mime_type="text/plain", text=words)
    return types.EmbeddedResource(type="resource", resource=contents)


def words(said: str) -> types.TextContent:
    return types.TextContent(type="text", text=said)


# ---- tools of the handshake era ---------------------------------------------------------------------------------------


async def logs(context: Context, params: types.CallToolRequestParams) -> Answer:
    for step in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", step, related_request_id=context.request_id)
        await asyncio.sleep(0.05)
    return text("Tool with logging executed successfully")


async def progresses(context: Context, params: types.CallToolRequestParams) -> Answer:
    for done in (0.0, 50.0, 100.0):
        await context.session.report_progress(done, 100.0, f"Completed step {done:.0f} of 100")
        await asyncio.sleep(0.05)
    return text("done")


async def fails(context: Context, params: types.CallToolRequestParams) -> Answer:
    return text("This tool intentionally returns an error for testing", is_error=True)


async def greets(_: Context, params: types.CallToolRequestParams) -> Answer:
    return text(f"Hello, {(params.arguments or {}).get('name')}!")


async def samples(context: Context, params: types.CallToolRequestParams) -> Answer:
    prompt = words(str((params.arguments or {}).get("prompt", "")))
    messages = [types.SamplingMessage(role="user", content=prompt)]
    made = await context.session.create_message(messages, max_tokens=100, related_request_id=context.request_id)
    return text(f"LLM response: {getattr(made.content, 'text', '')}")


def elicits(schema: dict[str, Any], label: str) -> Tool:
    async def answer(context: Context, params: types.CallToolRequestParams) -> Answer:
        message = str((params.arguments or {}).get("message", "Please answer"))
        made = await context.session.elicit_form(message, schema, context.request_id)
        return text(f"{label}: action={made.action}, content={json.dumps(made.content)}")

    return answer


async def reconnects(context: Context, params: types.CallToolRequestParams) -> Answer:
    if context.close_sse_stream is not None:
        await context.close_sse_stream()
    await asyncio.sleep(0.2)
    return text("Reconnection test completed")


# ---- tools that ask the client for input in the newer protocol -----------------------------------------------------------


def signed(state: str) -> str:
    return f"{state}.{hmac.new(KEY, state.encode(), hashlib.sha256).hexdigest()}"


def opened(given: str | None) -> str | None:
    """The state that a client brought back; refuses one that is not as it was given."""
    if given is None:
        return None
    state = given.partition(".")[0]
    if not hmac.compare_digest(signed(state), given):
        raise MCPError(types.INVALID_PARAMS, "requestState failed its integrity check")
    return state


def form(message: str, name: str, kind: str = "string") -> dict[str, Any]:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return {"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": schema}}


def sampling(message: str, most: int) -> dict[str, Any]:
    messages = [{"role": "user", "content": {"type": "text", "text": message}}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": most}}


ROOTS: Final = {"method": "roots/list", "params": {}}
CAPABILITY: Final = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}


def required(requests: dict[str, Any], state: str | None = None) -> types.InputRequiredResult:
    made: dict[str, Any] = {"resultType": "input_required"}
    if requests:
        made["inputRequests"] = requests
    if state is not None:
        made["requestState"] = signed(state)
    return types.InputRequiredResult.model_validate(made)


def asks(requests: dict[str, Any], state: str | None = None, check_capabilities: bool = False) -> Tool:
    """Asks for all inputs at once, and answers with what came."""

    async def answer(context: Context, params: types.CallToolRequestParams) -> Answer:
        known = opened(params.request_state)
        wanted = requests
        if check_capabilities:
            able = context.session.client_capabilities
            wanted = {name: one for name, one in requests.items() if getattr(able, CAPABILITY[one["method"]], None)}
        responses = params.input_responses or {}
        if not all(name in responses for name in wanted) or (state is not None and known != state):
            return required(wanted, state)
        given = {name: made.model_dump(mode="json", by_alias=True) for name, made in responses.items() if name in wanted}
        name = (given.get("user_name", {}).get("content") or {}).get("name", "")
        return text(f"Hello, {name}! state-ok {json.dumps(given)}")

    return answer


async def asks_twice(context: Context, params: types.CallToolRequestParams) -> Answer:
    state, responses = opened(params.request_state), params.input_responses or {}
    if state == "two" and "step2" in responses:
        return text("both steps are done")
    if state == "one" and "step1" in responses:
        return required({"step2": form("Step 2: What is your favorite color?", "color")}, "two")
    return required({"step1": form("Step 1: What is your name?", "name")}, "one")


async def streams(context: Context, params: types.CallToolRequestParams) -> Answer:
    await context.session.report_progress(1.0, 2.0, "asking")
    return await TOOLS["test_input_required_result_elicitation"](context, params)


async def needs_sampling(context: Context, params: types.CallToolRequestParams) -> Answer:
    able = context.session.client_capabilities
    if able is None or able.sampling is None:
        data: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "this tool needs the capability sampling", data)
    return text("the capability is there")


NAME: Final = {"user_name": form("What is your name?", "name")}
CONFIRM: Final = {"confirm": form("Please confirm", "ok", "boolean")}
STATUS: Final = ["active", "inactive", "pending"]
DEFAULTS: Final = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": STATUS, "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
TITLED: Final = [{"const": f"value{number}", "title": f"Option {number}"} for number in (1, 2, 3)]
OPTIONS: Final = ["option1", "option2", "option3"]
ENUMS: Final = {
    "untitledSingle": {"type": "string", "enum": OPTIONS},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "legacyEnum": {"type": "string", "enum": OPTIONS, "enumNames": ["One", "Two", "Three"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
}
TOOLS: Final[dict[str, Tool]] = {
    "greet": greets,
    "test_x_mcp_header": content(words("The header fits the argument.")),
    "test_simple_text": content(words("This is a simple text response for testing.")),
    "test_image_content": content(image()),
    "test_audio_content": content(types.AudioContent(type="audio", data=WAV, mime_type="audio/wav")),
    "test_embedded_resource": content(embedded("test://embedded-resource")),
    "test_multiple_content_types": content(words("Several:"), image(), embedded("test://mixed-content-resource")),
    "test_tool_with_logging": logs,
    "test_logging_tool": logs,
    "test_tool_with_progress": progresses,
    "test_error_handling": fails,
    "test_sampling": samples,
    "test_elicitation": elicits({"type": "object", "properties": {"response": {"type": "string"}}}, "User response"),
    "test_elicitation_sep1034_defaults": elicits({"type": "object", "properties": DEFAULTS}, "Elicitation completed"),
    "test_elicitation_sep1330_enums": elicits({"type": "object", "properties": ENUMS}, "Elicitation completed"),
    "test_reconnection": reconnects,
    "test_missing_capability": needs_sampling,
    "test_streaming_elicitation": streams,
    "test_input_required_result_elicitation": asks(NAME),
    "test_input_required_result_sampling": asks({"capital_question": sampling("What is the capital of France?", 100)}),
    "test_input_required_result_list_roots": asks({"client_roots": ROOTS}),
    "test_input_required_result_request_state": asks(CONFIRM, "state"),
    "test_input_required_result_tampered_state": asks(CONFIRM, "state"),
    "test_input_required_result_multiple_inputs": asks(
        NAME | {"greeting": sampling("Generate a greeting", 50), "client_roots": ROOTS}, "several"
    ),
    "test_input_required_result_multi_round": asks_twice,
    "test_input_required_result_capabilities": asks(
        NAME | {"question": sampling("What is the capital of France?", 100)}, check_capabilities=True
    ),
}
SCHEMAS: Final[dict[str, dict[str, Any]]] = {
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
    "test_x_mcp_header": {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
    },
}
RESOURCES: Final = {
    "test://static-text": "text/plain",
    "test://static-binary": "image/png",
    "test://watched-resource": "text/plain",
}
OWN: Final = (
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "resources/subscribe",
    "prompts/list",
    "prompts/get",
)
"""Methods that the product answers, too."""
PROMPTS: Final[dict[str, tuple[str, ...]]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


def messages(name: str, given: dict[str, str]) -> list[types.PromptMessage]:
    blocks: list[Any] = [words("This is a simple prompt for testing.")]
    if name == "test_prompt_with_arguments":
        blocks = [words(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")]
    elif name == "test_prompt_with_embedded_resource":
        blocks = [embedded(given["resourceUri"]), words("Please process the embedded resource above.")]
    elif name == "test_prompt_with_image":
        blocks = [image(), words("Please analyze the image above.")]
    return [types.PromptMessage(role="user", content=block) for block in blocks]


def with_fixtures(server: Server[Any]) -> Server[Any]:
    """The server with the fixtures before its own answers; not parted since these share what it had."""
    own = {method: server.get_request_handler(method) for method in OWN}

    async def product(method: str, context: Context, params: Any) -> Any:
        entry = own[method]
        assert entry is not None
        return await entry.handler(context, params)

    async def list_tools(context: Context, params: Any) -> Any:
        listed = await product("tools/list", context, params)
        made = [types.Tool(name=name, description=name, input_schema={"type": "object"}) for name in TOOLS if name not in SCHEMAS]
        made += [types.Tool(name=name, description=name, input_schema=schema) for name, schema in SCHEMAS.items()]
        return types.ListToolsResult(tools=[*made, *listed.tools])

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> Any:
        tool = TOOLS.get(params.name)
        return await (tool(context, params) if tool else product("tools/call", context, params))

    async def list_resources(context: Context, params: Any) -> Any:
        listed = await product("resources/list", context, params)
        made = [types.Resource(uri=uri, name=uri, mime_type=kind) for uri, kind in RESOURCES.items()]
        return types.ListResourcesResult(resources=[*listed.resources, *made])

    async def read(context: Context, params: types.ReadResourceRequestParams) -> Any:
        uri = str(params.uri)
        if uri == "test://static-binary":
            return types.ReadResourceResult(contents=[types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)])
        if uri in RESOURCES or uri.startswith("test://template/"):
            made = json.dumps({"id": uri.split("/")[3], "templateTest": True}) if "template" in uri else f"This is {uri}."
            return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type="text/plain", text=made)])
        return await product("resources/read", context, params)

    async def list_templates(context: Context, params: Any) -> Any:
        listed = await product("resources/templates/list", context, params)
        made = types.ResourceTemplate(uri_template="test://template/{id}/data", name="template")
        return types.ListResourceTemplatesResult(resource_templates=[*listed.resource_templates, made])

    async def subscribe(context: Context, params: types.SubscribeRequestParams) -> Any:
        known = str(params.uri) in RESOURCES
        return types.EmptyResult() if known else await product("resources/subscribe", context, params)

    async def list_prompts(context: Context, params: Any) -> Any:
        listed = await product("prompts/list", context, params)
        made = []
        for name, arguments in PROMPTS.items():
            declared = [types.PromptArgument(name=argument, required=True) for argument in arguments]
            made.append(types.Prompt(name=name, description=name, arguments=declared))
        return types.ListPromptsResult(prompts=[*listed.prompts, *made])

    async def get_prompt(context: Context, params: types.GetPromptRequestParams) -> Any:
        if params.name not in PROMPTS:
            return await product("prompts/get", context, params)
        if params.name == "test_input_required_result_prompt" and not params.input_responses:
            return required({"user_context": form("What context should the prompt use?", "context")})
        return types.GetPromptResult(messages=messages(params.name, params.arguments or {}))

    async def set_level(_: Context, __: types.SetLevelRequestParams) -> types.EmptyResult:
        return types.EmptyResult()

    for method, params_type, handler in (
        ("tools/list", types.PaginatedRequestParams, list_tools),
        ("tools/call", types.CallToolRequestParams, call_tool),
        ("resources/list", types.PaginatedRequestParams, list_resources),
        ("resources/read", types.ReadResourceRequestParams, read),
        ("resources/templates/list", types.PaginatedRequestParams, list_templates),
        ("resources/subscribe", types.SubscribeRequestParams, subscribe),
        ("prompts/list", types.PaginatedRequestParams, list_prompts),
        ("prompts/get", types.GetPromptRequestParams, get_prompt),
        ("logging/setLevel", types.SetLevelRequestParams, set_level),
    ):
        server.add_request_handler(method, params_type, handler)  # type: ignore[arg-type]
    return server


def main() -> None:
    prepare()
    task_tools.install()
    with TemporaryDirectory() as folder:
        (Path(folder) / "program.ax").write_text("fn main() -> Int {\n    1\n}\n", encoding="utf-8")
        server = with_fixtures(make_server(ManyPeers(Host(), [folder], select(), 60.0)))
        uvicorn.run(server.streamable_http_app(), port=int(sys.argv[1]), log_level="warning")


if __name__ == "__main__":
    main()
