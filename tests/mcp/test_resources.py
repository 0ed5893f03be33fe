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
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference, ResourceUpdatedNotification

from tests.support.commands import command
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
    async with Client(StdioServerParameters(command=command("boruna-mcp"), args=["--standalone"], cwd=folder), **more) as client:
        yield client


async def text_of(client: Client, uri: str) -> str:
    (contents,) = (await client.read_resource(uri)).contents
    return str(contents.text)  # type: ignore[union-attr]


async def test_pages_and_files(folder: Path) -> None:
    async with agent(folder) as client:
        reference = await text_of(client, "boruna://language-reference")
        assert "fn list_len(xs: List<T>) -> Int" in reference
        assert "fn " in await text_of(client, "boruna://stdlib/std-validation")
        assert await text_of(client, "boruna://file/a.ax") == CLEAN
        assert await text_of(client, f"boruna://file/{folder}/a.ax") == CLEAN
        assert await text_of(client, "boruna://file/b%20c.ax") == FAULTY
        answer = json.loads(await text_of(client, "boruna://file-diagnostics/b%20c.ax"))
        assert [one["id"] for one in answer["diagnostics"]] == ["E003"]
        assert answer["freshness"]["source"] == "disk"
        for uri in ("boruna://file/none.ax", "boruna://file/", "boruna://stdlib/../x", "boruna://nothing"):
            with pytest.raises(MCPError) as unknown:
                await client.read_resource(uri)
            assert unknown.value.data["uri"] == uri


async def test_completion_of_arguments(folder: Path) -> None:
    async with agent(folder) as client:
        for template, name, value, expected in (
            ("boruna://diagnostics/{code}", "code", "e00", "E003"),
            ("boruna://stdlib/{lib_name}", "lib_name", "std-v", "std-validation"),
            ("boruna://file-diagnostics/{path}", "path", "a", "a.ax"),
        ):
            reference = ResourceTemplateReference(uri=template)
            found = (await client.complete(reference, {"name": name, "value": value})).completion.values
            assert expected in found
        found = (await client.complete(PromptReference(name="debug_error"), {"name": "path", "value": "b"})).completion.values
        assert found == ["b c.ax"]


async def test_prompts_hold_the_program_and_what_is_known(folder: Path) -> None:
    async with agent(folder) as client:
        assert {prompt.name for prompt in (await client.list_prompts()).prompts} >= {"debug_error", "review_program"}
        asked = await client.get_prompt("debug_error", {"path": "b c.ax", "code": "E003", "error": "it fails"})
        text = asked.messages[0].content.text  # type: ignore[union-attr]
        assert all(part in text for part in (FAULTY, "undefined variable: five", "it fails", "# E003"))
        assert CLEAN in (await client.get_prompt("review_program", {"path": "a.ax"})).messages[0].content.text  # type: ignore[union-attr]
        for name, arguments in (("debug_error", {}), ("debug_error", {"path": "x"}), ("nothing", {"path": "a.ax"})):
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
