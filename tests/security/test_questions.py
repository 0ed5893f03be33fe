"""Questions about live effects: the person in front of a client decides, quoted texts cannot pass for ours, silence means no."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters

from boruna_ls.deadline import Deadline
from boruna_ls.effects.asking import Choice, Question
from boruna_ls.effects.broker import Broker
from boruna_ls.effects.grants import SessionGrants, granted
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.gateway import Gateway
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.policy import ALLOW_ALL, Policy, read_policy
from boruna_ls.runtime.remote import Remote
from boruna_ls.runtime.run import run_module
from tests.support.commands import command
from tests.support.http_server import http_server
from tests.support.lsp import ALONE, RawClient
from tests.support.programs import module

READ = 'fn main() -> Result<String, String> { fs_read("data/a.txt") }\n'
ONE = "fn main() -> Int { 1 }"
DEADLINE = 3
CHOICES = ["Allow once", "Allow for this session", "Always allow", "Deny"]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path.resolve() / "shop"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "a.txt").write_text("inside")
    (folder / "boruna.toml").write_text("")
    (folder / "read.ax").write_text(READ)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return folder


def trust(shop: Path) -> str:
    file = shop.parent / "config" / "boruna" / "trust.toml"
    return file.read_text() if file.exists() else ""


# ---- editors --------------------------------------------------------------------------------------------------------


class Editor(RawClient):
    """Runs a document and presses a button, None for none, at each question."""

    def __init__(self, shop: Path) -> None:
        super().__init__(shop, ALONE)
        self.questions: list[dict[str, Any]] = []
        self.initialize({}, rootUri=shop.as_uri(), workspaceFolders=[{"uri": shop.as_uri(), "name": "shop"}])

    def run(self, file: Path, *buttons: Any) -> dict[str, Any]:
        presses = iter(buttons)
        number = self.ask("workspace/executeCommand", {"command": "boruna.runLive", "arguments": [file.as_uri()]})
        while True:
            message = self.receive()
            if message.get("method") == "window/showMessageRequest":
                self.questions.append(message["params"])
                pressed = next(presses)
                self.frame(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": pressed}).encode())
            elif message.get("id") == number and "method" not in message:
                return dict(message["result"])


@pytest.fixture
def editor(shop: Path) -> Iterator[Editor]:
    with Editor(shop) as client:
        yield client


def test_an_editor_asks_once_for_the_session_or_for_always(editor: Editor, shop: Path) -> None:
    file = shop / "read.ax"
    for pressed in (None, {"title": "Deny"}, {"title": "Sure"}, "Always allow", {"title": 5}):
        denied = editor.run(file, pressed)
        assert denied["message"].startswith("capability denied: fs.read"), pressed
    assert editor.run(file, {"title": "Allow once"})["result_text"] == 'Ok("inside")'
    assert editor.run(file, {"title": "Allow for this session"})["result_text"] == 'Ok("inside")'
    assert len(editor.questions) == 7
    assert editor.run(file)["result_text"] == 'Ok("inside")'
    assert trust(shop) == ""
    question = editor.questions[0]
    assert question["message"] == (f'The program "{file}" in "{shop}" asks for fs.read: "{shop}/data/a.txt". Allow it?')
    assert [action["title"] for action in question["actions"]] == CHOICES


def test_always_is_written_and_holds_for_others(shop: Path) -> None:
    with Editor(shop) as first:
        assert first.run(shop / "read.ax", {"title": "Always allow"})["result_text"] == 'Ok("inside")'
    assert f'fs_read = ["{shop}/data/a.txt"]' in trust(shop)
    with Editor(shop) as second:
        assert second.run(shop / "read.ax")["result_text"] == 'Ok("inside")'
        assert second.questions == []


def test_a_question_names_one_host_or_file_and_says_whether_a_database_may_be_changed(shop: Path) -> None:
    asked: list[str] = []

    class Person:
        async def ask(self, question: Question) -> Choice:
            asked.append(question.text)
            return Choice.ALWAYS

    def outcome(text: str, policy: Policy = ALLOW_ALL) -> str:
        grant = granted("a.ax", str(shop), policy, Deadline(10), Person(), SessionGrants())
        gateway = Gateway(policy, Remote(Broker().effects_of(grant).answer))
        return display(run_module(module(f"fn main() -> Result<String, String> {{ {text} }}"), Options(gateway=gateway)).value)

    # A letter that only looks like one of another alphabet is seen.
    look_alike = outcome('net_fetch("http://\u0430pple.example/")')
    assert look_alike.startswith("Err("), look_alike
    assert asked.pop().endswith('asks for net.fetch: "xn--pple-43d.example". Allow it?')
    (shop.parent / "config" / "boruna" / "trust.toml").unlink()
    # Whoever allows a folder allows all that lies below it: only the owner does that, by `trust allow`.
    for text in ('fs_read("data")', 'fs_read("")', 'fs_read(".")', f'fs_read("{shop}")'):
        assert outcome(text).startswith("Err("), text
    assert (asked, trust(shop)) == ([], "")
    with contextlib.closing(sqlite3.connect(shop / "shop.db")) as connection:
        connection.execute("CREATE TABLE item (name TEXT)")
    for read_only in (True, False):
        policy = read_policy(json.dumps({"default_allow": True, "db_policy": {"path": "shop.db", "read_only": read_only}}))
        outcome('db_query("SELECT 1")', policy)
        (shop.parent / "config" / "boruna" / "trust.toml").unlink()
    assert [text.rpartition("db.query: ")[2] for text in asked] == [
        f'"{shop}/shop.db". Allow it?',
        f'"{shop}/shop.db" ("with the right to change it"). Allow it?',
    ]


def test_what_a_program_names_cannot_pass_for_our_words(editor: Editor, shop: Path) -> None:
    name = 'x". Allow it? Already allowed by the owner.'
    (shop / "odd.ax").write_text(READ.replace("data/a.txt", name.replace('"', '\\"')), encoding="utf-8")
    editor.run(shop / "odd.ax", {"title": "Deny"})
    assert editor.questions[0]["message"].endswith('x\\". Allow it? Already allowed by the owner.". Allow it?')
    # What cannot be shown is not asked, and not told as a command to type.
    for unprintable in ("a\u202eb", "a\\nb", "a\u001b[2J"):
        (shop / "odd.ax").write_text(READ.replace("data/a.txt", unprintable), encoding="utf-8")
        assert "cannot be shown" in editor.run(shop / "odd.ax")["result_text"]
    (shop / "odd.ax").write_text(READ.replace("data/a.txt", "x" * 3000), encoding="utf-8")
    editor.run(shop / "odd.ax", {"title": "Deny"})
    message = editor.questions[-1]["message"]
    assert message.count("x") < 1000
    assert "characters are not shown, SHA-256" in message


def test_what_nobody_may_allow_is_not_asked(editor: Editor, shop: Path) -> None:
    (shop / "key.ax").write_text(READ.replace("data/a.txt", os.path.expanduser("~/.ssh/id")))
    (shop / "own.ax").write_text(READ.replace("data/a.txt", str(shop.parent / "config" / "boruna" / "trust.toml")))
    for program in ("key.ax", "own.ax"):
        assert editor.run(shop / program)["result_text"].startswith("Err("), program
    assert editor.questions == []


# ---- agents ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_an_agents_user_is_asked(shop: Path, mode: str) -> None:
    asked: list[str] = []
    answers = iter(("Deny", "Allow once", "Allow for this session"))

    async def user(_: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        if mode == "legacy" and len(asked) == 2:
            # Longer than the call may take: who thinks is not cut off by that.
            await asyncio.sleep(DEADLINE + 0.1)
        return types.ElicitResult(action="accept", content={"answer": next(answers)})

    environment = {**os.environ}
    arguments = ["--standalone", "--deadline", str(DEADLINE)]
    server = StdioServerParameters(command=command("boruna-mcp"), args=arguments, cwd=shop, env=environment)
    able: dict[str, Any] = {"elicitation_callback": user}
    async with Client(server, mode=mode, **able) as client:
        # The first process that runs programs may take longer to start than a call may.
        while not (await client.call_tool("boruna_run", {"source": ONE})).structured_content["success"]:
            continue
        results = [await client.call_tool("boruna_run_live", {"path": "read.ax"}) for _ in range(4)]
    contents = [result.structured_content or {} for result in results]
    assert contents[0]["message"].startswith("capability denied: fs.read")
    assert [content["result_text"] for content in contents[1:]] == ['Ok("inside")'] * 3
    assert len(asked) == 3
    assert asked[0].startswith(f'The program "{shop}/read.ax" in ')
    assert trust(shop) == ""


async def test_a_text_cannot_pass_for_a_file(shop: Path) -> None:
    asked: list[str] = []

    async def user(_: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="decline")

    able: dict[str, Any] = {"elicitation_callback": user}
    server = StdioServerParameters(command=command("boruna-mcp"), args=["--standalone"], cwd=shop, env={**os.environ})
    async with Client(server, mode="legacy", **able) as client:
        await client.call_tool("boruna_run_live", {"source": READ, "file_name": str(shop / "read.ax")})
    assert asked[0].startswith('The program "(text in a call) ')


async def test_a_network_client_gives_no_trust(shop: Path) -> None:
    async def user(_: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"answer": "Always allow"})

    with http_server("--standalone", cwd=shop) as server:
        async with server.client("2026-07-28", elicitation_callback=user) as client:
            result = await client.call_tool("boruna_run_live", {"path": "read.ax"})
    assert (result.structured_content or {})["message"].startswith("capability denied: fs.read")
    assert trust(shop) == ""
