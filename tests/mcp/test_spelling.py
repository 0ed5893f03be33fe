"""Agents that ask through links: they see what editors have, and are answered with the names that they use."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from mcp import Client

from boruna_ls.mcp.spelling import Links
from boruna_ls.workspace import Host
from tests.support.agents import agent_server

APP = 'import "greet"\n\nfn main() -> Int {\n    greeting()\n}\n'
GREET = "export fn greeting() -> Int {\n    1\n}\n"


async def answer_of(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    answer = json.loads(result.content[0].text)  # type: ignore[union-attr]
    assert answer == result.structured_content
    return dict(answer)


async def test_answers_have_the_names_that_were_asked_with(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    (real / "libs" / "greet" / "src").mkdir(parents=True)
    (real / "boruna.toml").write_text("")
    (real / "libs" / "greet" / "src" / "core.ax").write_text(GREET)
    (real / "app.ax").write_text(APP)
    link.symlink_to(real)
    # The process is elsewhere: only the path tells which workspace is meant.
    server = agent_server(cwd=tmp_path)
    (real / "wrong.ax").write_text(APP.replace("greeting", "greetings"))
    async with Client(server) as client:
        for folder in (link, real):
            answer = await answer_of(client, "boruna_check", path=str(folder / "wrong.ax"))
            assert {one["location"]["file"] for one in answer["diagnostics"]} == {str(folder / "wrong.ax")}
            place = {"path": str(folder / "app.ax"), "position": {"line": 4, "col": 6}}
            definition = (await answer_of(client, "get_definition", **place))["definition"]
            assert definition["file"] == str(folder / "libs" / "greet" / "src" / "core.ax")
            found = (await answer_of(client, "find_references", **place))["references"]
            assert {one["file"] for one in found} == {
                str(folder / "app.ax"),
                str(folder / "libs" / "greet" / "src" / "core.ax"),
            }


async def test_a_name_that_is_no_text_is_told_as_its_uri(tmp_path: Path) -> None:
    (tmp_path / "boruna.toml").write_text("")
    name = os.fsencode(tmp_path) + b"/b\xffd.ax"
    with open(name, "w") as file:
        file.write("fn main() -> Int {\n    one\n}\n")
    uri = f"{tmp_path.as_uri()}/b%FFd.ax"
    server = agent_server(cwd=tmp_path)
    async with Client(server) as client:
        (found,) = (await answer_of(client, "workspace_diagnostics", severity="error"))["files"]
        assert found["file"] == uri
        # What an answer names can be asked for.
        answer = await answer_of(client, "boruna_check", path=uri)
        assert [one["id"] for one in answer["diagnostics"]] == ["E003"]
        (again,) = (await answer_of(client, "find_references", path=uri, symbol="main"))["references"]
        assert again["file"] == uri


def test_what_is_learnt_from_a_path() -> None:
    client = Host().connect(["/srv/link"])
    client.folders = ("/data/real",)
    links = Links(client)
    links.learn("/x/a/b.ax", "/y/a/b.ax")
    links.learn("/same.ax", "/same.ax")
    links.learn("/x/one.ax", "/elsewhere/other.ax")
    answer = {"file": "/data/real/a.ax", "list": [{"path": "/y/a/c.ax"}, {"message": "/y/a/c.ax"}], "result": {"path": "/y/a"}}
    assert links.applied(answer) == {
        "file": "/srv/link/a.ax",
        "list": [{"path": "/x/a/c.ax"}, {"message": "/y/a/c.ax"}],
        "result": {"path": "/y/a"},
    }
    assert links.applied({"file": "/elsewhere/other.ax"}) == {"file": "/elsewhere/other.ax"}
