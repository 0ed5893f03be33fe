"""Resources that are as an editor has them, notifications of changes whoever made them, prompts and completion."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference, ResourceUpdatedNotification

from tests.support.agents import agent_server
from tests.support.http_server import HttpServer, http_server

CLEAN = "fn main() -> Int {\n    5 + 6\n}\n"
FAULTY = CLEAN.replace("5", "five")
DIAGNOSTICS = "boruna://file-diagnostics/a.ax"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.ax").write_text(CLEAN, encoding="utf-8")
    (tmp_path / "b c.ax").write_text(FAULTY, encoding="utf-8")
    return tmp_path


@pytest.fixture
def server(folder: Path) -> Iterator[HttpServer]:
    with http_server(cwd=folder) as started:
        yield started


@asynccontextmanager
async def agent(folder: Path, **more: Any) -> AsyncIterator[Client]:
    async with Client(agent_server(cwd=folder), **more) as client:
        yield client


async def text_of(client: Client, uri: str) -> str:
    (contents,) = (await client.read_resource(uri)).contents
    return str(contents.text)  # type: ignore[union-attr]


async def test_pages_and_files(folder: Path) -> None:
    async with agent(folder) as client:
        reference = await text_of(client, "boruna://language-reference")
        assert "fn list_len(xs: List<T>) -> Int" in reference
        assert "fn " in await text_of(client, "boruna://stdlib/std-validation")
        listed = (await client.list_resources()).resources
        assert {each.mime_type for each in listed if str(each.uri).startswith("boruna://stdlib/")} == {"text/plain"}
        page = await text_of(client, "boruna://builtins")
        assert "`list_len([7, 8, 9])` gives `3`" in page
        assert "- `list_sum(numbers: List<T>) -> T`" in page
        assert "fn list_set(" in await text_of(client, "boruna://libraries/std-list")
        assert await text_of(client, "boruna://file/a.ax") == CLEAN
        assert await text_of(client, f"boruna://file/{folder}/a.ax") == CLEAN
        assert await text_of(client, "boruna://file/b%20c.ax") == FAULTY
        answer = json.loads(await text_of(client, "boruna://file-diagnostics/b%20c.ax"))
        assert [one["id"] for one in answer["diagnostics"]] == ["E003"]
        assert answer["freshness"]["source"] == "disk"
        for uri in (
            "boruna://file/none.ax",
            "boruna://file/",
            "boruna://stdlib/../x",
            "boruna://libraries/../x",
            "boruna://nothing",
        ):
            with pytest.raises(MCPError) as unknown:
                await client.read_resource(uri)
            assert unknown.value.data["uri"] == uri


@pytest.mark.parametrize("kind", ["boruna://templates/", "boruna://stdlib/", "boruna://file/", "boruna://executions/"])
async def test_a_uri_that_is_too_long_is_neither_compared_nor_stored_nor_repeated(folder: Path, kind: str) -> None:
    async with agent(folder, mode="legacy") as client:
        for ask in (client.read_resource, client.subscribe_resource):
            with pytest.raises(MCPError) as refused:
                await ask(kind + "a" * 1_000_000)
            assert "may have 16384 at most" in refused.value.message
            assert len(str(refused.value.error)) < 300


async def test_completion_of_arguments(folder: Path) -> None:
    async with agent(folder) as client:
        for template, name, value, expected in (
            ("boruna://diagnostics/{code}", "code", "e00", "E003"),
            ("boruna://stdlib/{lib_name}", "lib_name", "std-v", "std-validation"),
            ("boruna://file-diagnostics/{path}", "path", "a", "a.ax"),
            ("boruna://templates/{name}", "name", "off", "offline-sync"),
        ):
            reference = ResourceTemplateReference(uri=template)
            found = (await client.complete(reference, {"name": name, "value": value})).completion.values
            assert expected in found
        found = (await client.complete(PromptReference(name="debug_error"), {"name": "path", "value": "b"})).completion.values
        assert found == ["b c.ax"]
        # What is wrong with the file that is named already.
        context: dict[str, Any] = {"context_arguments": {"path": "b c.ax"}}
        found = (
            await client.complete(PromptReference(name="debug_error"), {"name": "error", "value": ""}, **context)
        ).completion.values
        assert any("undefined variable: five" in line for line in found)
        found = (await client.complete(PromptReference(name="new_app"), {"name": "msg_type", "value": "a"})).completion.values
        assert found == ["add, remove"]


async def test_libraries_of_the_folder_that_the_server_was_given(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    libs = tmp_path_factory.mktemp("libs")
    secret = folder / "secret.ax"
    secret.write_text("secret", encoding="utf-8")
    for name, text in {"std-ui": "// mine\r\n", "extra": "fn extra() -> Int { 1 }\n", "empty": ""}.items():
        (libs / name / "src").mkdir(parents=True)
        (libs / name / "src" / "core.ax").write_bytes(text.encode())
    (libs / "extra" / "package.ax.json").write_text('{"description": "One more."}', encoding="utf-8")
    (libs / "empty" / "package.ax.json").write_text("[", encoding="utf-8")
    (libs / "linked" / "src").mkdir(parents=True)
    (libs / "linked" / "src" / "core.ax").symlink_to(secret)
    async with Client(agent_server("--libs-dir", str(libs), cwd=folder)) as client:
        about = {str(resource.uri): resource.description for resource in (await client.list_resources()).resources}
        assert about["boruna://stdlib/extra"] == "One more."
        assert about["boruna://stdlib/empty"] == "Source of the library empty"
        assert about["boruna://stdlib/std-json"] not in ("", "Source of the library std-json")
        assert await text_of(client, "boruna://stdlib/extra") == "fn extra() -> Int { 1 }\n"
        assert await text_of(client, "boruna://stdlib/empty") == ""
        assert await text_of(client, "boruna://stdlib/std-ui") == "// mine\r\n"
        assert "json" in await text_of(client, "boruna://stdlib/std-json")
        for name in ("linked", "none", "", "..", "../extra", "extra/src"):
            with pytest.raises(MCPError, match="not found"):
                await client.read_resource(f"boruna://stdlib/{name}")
        reference = ResourceTemplateReference(uri="boruna://stdlib/{lib_name}")
        assert (await client.complete(reference, {"name": "lib_name", "value": "ex"})).completion.values == ["extra"]


async def test_codes_are_found_by_template_and_not_listed_one_by_one(folder: Path) -> None:
    async with agent(folder) as client:
        uris = {str(resource.uri) for resource in (await client.list_resources()).resources}
        assert {"boruna://language-reference", "boruna://stdlib/std-ui", "boruna://templates/crud-admin"} <= uris
        assert not any(uri.startswith("boruna://diagnostics/") for uri in uris)
        listed = (await client.list_resource_templates()).resource_templates
        assert {"boruna://diagnostics/{code}", "boruna://templates/{name}"} <= {one.uri_template for one in listed}
        template = json.loads(await text_of(client, "boruna://templates/crud-admin"))
        assert template["arg_specs"]["entity_name"]["required"] is True
        assert "SELECT * FROM {{entity_name}}" in template["source"]
        for name in ("none", "..", "%2e%2e", "..%2f..%2fdocs", "form-basic%00", ""):
            with pytest.raises(MCPError) as unknown:
                await client.read_resource(f"boruna://templates/{name}")
            assert unknown.value.data["uri"] == f"boruna://templates/{name}"


async def test_a_new_app_has_the_types_that_were_asked_for(folder: Path) -> None:
    async with agent(folder) as client:
        types = {"state": "type Cart { items: List<Item>, total: Int } type Item { name: String }", "message": "Int"}
        asked = await client.get_prompt("new_app", {"name": "Shop*/\n", "goal": "sell things", **types})
        text = asked.messages[0].content.text  # type: ignore[union-attr]
        assert "sell things" in text
        app = text.partition("```ax\n")[2].partition("```")[0]
        checked = json.loads((await client.call_tool("boruna_check", {"source": app})).content[0].text)  # type: ignore[union-attr]
        assert [found["message"] for found in checked["diagnostics"]] == ["field 'name' is never used"]
        told = await client.call_tool("boruna_framework_test", {"source": app, "messages": ["set_total:7", "reset"]})
        session = json.loads(told.content[0].text)  # type: ignore[union-attr]
        assert [cycle["state"] for cycle in session["cycles"]] == [[[], 7], [[], 0]]
        refused = {"state": "x: Nope", "message": "type M { tag: String }"}
        for argument, given in refused.items():
            with pytest.raises(MCPError) as wrong:
                await client.get_prompt("new_app", {argument: given})
            assert argument in wrong.value.message
        with pytest.raises(MCPError, match="20000 characters"):
            await client.get_prompt("new_app", {"state": "x" * 30_000})


async def test_a_new_app_has_an_arm_for_each_tag(folder: Path) -> None:
    async with agent(folder) as client:
        asked = await client.get_prompt(
            "new_app", {"state_type": "count: Int, title: String", "msg_type": "increment, rename,rename", "app_name": "shop"}
        )
        text = asked.messages[0].content.text  # type: ignore[union-attr]
        app = text.partition("```ax\n")[2].partition("```")[0]
        assert app.startswith("// shop: an application.")
        assert [line.split(" => ")[0].strip() for line in app.splitlines() if " => " in line] == ['"increment"', '"rename"', "_"]
        told = await client.call_tool("boruna_framework_test", {"source": app, "messages": ["rename:x", "other"]})
        session = json.loads(told.content[0].text)  # type: ignore[union-attr]
        assert [cycle["state"] for cycle in session["cycles"]] == [[0, ""], [0, ""]]
        checked = json.loads((await client.call_tool("boruna_check", {"source": app})).content[0].text)  # type: ignore[union-attr]
        assert checked["diagnostics"] == []
        for argument, given in {"state_type": "x: Nope", "msg_type": "type M { tag: String }"}.items():
            with pytest.raises(MCPError, match=argument):
                await client.get_prompt("new_app", {argument: given})


async def test_a_workflow_is_asked_for_with_its_form(folder: Path) -> None:
    async with agent(folder) as client:
        asked = await client.get_prompt("write_workflow", {"goal": "pay invoices", "path": "a.ax"})
        text = asked.messages[0].content.text  # type: ignore[union-attr]
        assert "pay invoices" in text
        assert CLEAN in text
        document = text.partition("```json\n")[2].partition("\n```")[0]
        told = await client.call_tool("boruna_workflow_validate", {"workflow_json": document})
        assert json.loads(told.content[0].text)["valid"] is True  # type: ignore[union-attr]
        with pytest.raises(MCPError, match="goal"):
            await client.get_prompt("write_workflow", {})


async def test_prompts_hold_the_program_and_what_is_known(folder: Path) -> None:
    async with agent(folder) as client:
        assert {prompt.name for prompt in (await client.list_prompts()).prompts} >= {"debug_error", "review_program"}
        asked = await client.get_prompt("debug_error", {"path": "b c.ax", "code": "E003", "error": "it fails"})
        text = asked.messages[0].content.text  # type: ignore[union-attr]
        assert all(part in text for part in (FAULTY, "undefined variable: five", "it fails", "# E003"))
        asked = await client.get_prompt("debug_error", {"source": FAULTY, "error": "it fails"})
        text = asked.messages[0].content.text  # type: ignore[union-attr]
        assert all(part in text for part in (f"<source>:\n\n```ax\n{FAULTY}", "undefined variable: five", "it fails"))
        assert CLEAN in (await client.get_prompt("review_program", {"path": "a.ax"})).messages[0].content.text  # type: ignore[union-attr]
        for name, arguments in (
            ("debug_error", {}),
            ("debug_error", {"path": "x"}),
            ("review_program", {}),
            ("nothing", {"path": "a.ax"}),
        ):
            with pytest.raises(MCPError) as refused:
                await client.get_prompt(name, arguments)
            assert refused.value.code == -32602


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_subscribers_hear_of_changes_whoever_made_them(transport: str, folder: Path, server: HttpServer) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def hear(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            heard.put_nowait(str(message.params.uri))

    more: dict[str, Any] = {"mode": "legacy", "message_handler": hear}
    async with agent(folder, **more) if transport == "stdio" else server.client(**more) as client:
        await client.subscribe_resource(DIAGNOSTICS)
        async with asyncio.timeout(60):
            # Over HTTP the client opens its stream for news when it likes; what is said before, nobody hears.
            for text in itertools.cycle((FAULTY, CLEAN)):
                (folder / "a.ax").write_text(text, encoding="utf-8")
                with suppress(TimeoutError):
                    assert await asyncio.wait_for(heard.get(), 15) == DIAGNOSTICS
                    if text == FAULTY:
                        break
        answer = json.loads(await text_of(client, DIAGNOSTICS))
        assert [one["id"] for one in answer["diagnostics"]] == ["E003"]
        # Another text with the same diagnostics is no news.
        (folder / "a.ax").write_text(FAULTY.replace("6", "7"), encoding="utf-8")
        await asyncio.sleep(1)
        assert heard.empty()
        await client.unsubscribe_resource(DIAGNOSTICS)
        (folder / "a.ax").write_text(CLEAN, encoding="utf-8")
        await asyncio.sleep(1)
        assert heard.empty()
        with pytest.raises(MCPError):
            await client.subscribe_resource("boruna://file/none.ax")


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_streams_of_the_newer_protocol_hear_of_changes(transport: str, folder: Path, server: HttpServer) -> None:
    more: dict[str, Any] = {"mode": "2026-07-28"}
    async with (
        agent(folder, **more) if transport == "stdio" else server.client(**more) as client,
        asyncio.timeout(60),
        client.listen(resource_subscriptions=[DIAGNOSTICS]) as events,
    ):
        (folder / "a.ax").write_text(FAULTY, encoding="utf-8")
        async for event in events:
            assert event.uri == DIAGNOSTICS  # type: ignore[union-attr]
            break
