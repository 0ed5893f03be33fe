"""Effects that an agent can cause through programs: only those that the owner allows, whatever and wherever a call asks."""

from __future__ import annotations

import contextlib
import http.server
import itertools
import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.mcp_lines import LineServer, call, request

READ = 'fn main() -> Result<String, String> !{{fs.read}} {{ fs_read("{}") }}'
WRITE = 'fn main() -> Result<Bool, String> !{{fs.write}} {{ fs_write("{}", "evil") }}'
FETCH = 'fn main() -> Result<String, String> !{{net.fetch}} {{ net_fetch("{}") }}'
QUERY = 'fn main() -> Result<String, String> !{{db.query}} {{ db_query("{}") }}'


class Place:
    """A workspace, the owner's settings beside it, and what is outside of both."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.shop = self.folder / "shop"
        self.outside = self.folder / "outside"
        self.config = self.folder / "config"
        self.shop.mkdir()

    def renew(self) -> None:
        """As at the beginning; the workspace's folder itself stays, since a server works in it."""
        for path in (*self.folder.iterdir(), *self.shop.iterdir()):
            if path.is_dir() and not path.is_symlink() and path != self.shop:
                shutil.rmtree(path)
            elif path != self.shop:
                path.unlink()
        self.config = self.folder / "config"
        for path in (self.shop / "data", self.shop / "out", self.outside, self.config / "boruna"):
            path.mkdir(parents=True)
        self.config.joinpath("boruna").chmod(0o700)
        (self.shop / "boruna.toml").write_text("")
        (self.shop / "data" / "a.txt").write_text("inside")
        (self.outside / "secret.txt").write_text("secret")

    @property
    def trust(self) -> Path:
        return self.config / "boruna" / "trust.toml"

    def allow(self, workspace: Path | None = None, **sections: Any) -> None:
        """Writes the owner's file."""
        lines = [f"[workspace.{json.dumps(str(workspace or self.shop))}]"]
        lines += [f"{name} = {json.dumps(entries)}" for name, entries in sections.items()]
        self.trust.write_text("\n".join(lines) + "\n")
        self.trust.chmod(0o600)


class Agent(LineServer):
    """An MCP client over stdio, of a server of its own."""

    def __init__(self, cwd: Path, *arguments: str) -> None:
        super().__init__("--standalone", *arguments, cwd=str(cwd))
        self._ids = itertools.count(1)
        self.open()

    def result(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The answer to a call: its structured content, or the JSON-RPC error."""
        message = self.ask(call(next(self._ids), tool, **arguments))
        return dict(message["result"]["structuredContent"] if "result" in message else message["error"])


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("live"))


@pytest.fixture
def place(shared: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    shared.renew()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(shared.config))
    return shared


@pytest.fixture(scope="module")
def agent(shared: Place) -> Iterator[Agent]:
    """One server for most tests: the owner's file and the workspace are read for each call."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(shared.config))
        client = Agent(shared.shop, "--toolsets=run")
    with client:
        yield client


def live(client: Agent, source: str, **arguments: Any) -> dict[str, Any]:
    return client.result("boruna_run_live", source=source, **arguments)


def policy(**parts: Any) -> dict[str, Any]:
    return {"default_allow": True, **parts}


def test_a_call_cannot_allow_itself_anything(agent: Agent, place: Place) -> None:
    """Without a ceiling there is no live effect, with whatever policy."""
    target = place.outside / "new.txt"
    for given in ("allow-all", policy(fs_policy={"allowed_roots": [str(place.outside)]})):
        answer = live(agent, WRITE.format(target), policy=given)
        assert answer["error_kind"] == "runtime_error"
        assert answer["message"].startswith(f'capability denied: fs.write of "{target}": not allowed by the owner')
        assert f"boruna-ls trust allow write {target} --workspace {place.shop}" in answer["message"]
    assert not target.exists()


def test_the_mocked_tool_refuses_live_handlers_and_says_where_they_are(agent: Agent, place: Place) -> None:
    place.allow(fs_write=[str(place.shop / "out")])
    refused = agent.result("boruna_run", source=WRITE.format("out/a"), handlers="live")
    assert (refused["code"], "boruna_run_live" in refused["message"]) == (-32602, True)
    mocked = agent.result("boruna_run", source=WRITE.format("out/a"), handlers="mock")
    assert mocked["result_text"] == "Ok(true)"
    assert "handlers" in mocked["warnings"][0]
    assert os.listdir(place.shop / "out") == []


def test_annotations_are_true(agent: Agent) -> None:
    tools = {tool["name"]: tool for tool in agent.ask(request("list", "tools/list"))["result"]["tools"]}
    hints = ("readOnlyHint", "destructiveHint", "openWorldHint")
    assert [tools["boruna_run"]["annotations"][hint] for hint in hints] == [True, False, False]
    assert [tools["boruna_run_live"]["annotations"][hint] for hint in hints] == [False, True, True]
    assert "handlers" not in tools["boruna_run"]["inputSchema"]["properties"]


def test_policy_and_ceiling_both_bound(agent: Agent, place: Place) -> None:
    place.allow(fs_read=[str(place.shop / "data")], fs_write=[str(place.shop / "out")])
    assert (live(agent, READ.format("data/a.txt")))["result_text"] == 'Ok("inside")'
    assert (live(agent, WRITE.format("out/b.txt")))["result_text"] == "Ok(true)"
    assert (place.shop / "out" / "b.txt").read_text() == "evil"
    denied = live(agent, WRITE.format("data/a.txt"))
    assert "capability denied: fs.write" in denied["message"]
    narrow = policy(fs_policy={"allowed_roots": [str(place.shop / "out")]})
    assert (
        "not below an allowed folder" in (live(agent, READ.format(place.shop / "data" / "a.txt"), policy=narrow))["result_text"]
    )
    assert (live(agent, READ.format("data/a.txt"), policy="deny-all"))["message"] == "capability denied: fs.read"
    budget = {"rules": {"fs.read": {"allow": True, "budget": 1}}}
    twice = 'fn main() -> Int !{fs.read} {\n    fs_read("data/a.txt")\n    fs_read("data/a.txt")\n    0\n}'
    assert (live(agent, twice, policy=budget))["message"] == "capability budget exceeded: fs.read"


def test_the_ceiling_is_that_of_the_programs_workspace(place: Place) -> None:
    """A text counts in the client's root, whatever name it is given; a clone inside a workspace is another one."""
    place.allow(fs_read=[str(place.shop / "data")])
    inner = place.shop / "vendor" / "clone"
    inner.mkdir(parents=True)
    (inner / "boruna.toml").write_text("")
    source = READ.format(place.shop / "data" / "a.txt")
    (inner / "evil.ax").write_text(source)
    (place.shop / "good.ax").write_text(source)
    with Agent(place.shop) as client:
        assert f"--workspace {inner}" in client.result("boruna_run_live", path="vendor/clone/evil.ax")["message"]
        assert client.result("boruna_run_live", path="good.ax")["result_text"] == 'Ok("inside")'
    with Agent(inner) as client:
        assert f"--workspace {inner}" in live(client, source, file_name=str(place.shop / "good.ax"))["message"]
        assert "belongs to no workspace" in client.result("boruna_run_live", path=str(place.shop / "good.ax"))["message"]


def test_links_and_odd_paths_lead_nowhere(agent: Agent, place: Place) -> None:
    place.allow(fs_read=[str(place.shop / "data")], fs_write=[str(place.shop / "data")])
    data = place.shop / "data"
    os.symlink(place.outside, data / "link")
    os.symlink(place.outside / "secret.txt", data / "file")
    os.symlink(place.trust, data / "trust")
    os.link(place.trust, data / "hard")
    os.mkfifo(data / "pipe")
    (data / ".ssh").mkdir()
    (data / ".ssh" / "id").write_text("key")
    (data / ".git").mkdir()
    before = place.trust.read_text()
    for path in ("link/secret.txt", "file", "trust", "hard", "pipe", ".ssh/id", "../../outside/secret.txt", "none/../../x"):
        answer = live(agent, READ.format(data / path))
        text = answer.get("result_text") or answer["message"]
        assert not text.startswith("Ok("), path
        answer = live(agent, WRITE.format(data / path))
        assert not (answer.get("result_text") or answer["message"]).startswith("Ok("), path
    assert not (live(agent, WRITE.format(data / ".git" / "config"))).get("result_text", "Err").startswith("Ok(")
    # A root of the policy that is a link does not lead where it points.
    through = policy(fs_policy={"allowed_roots": [str(data / "link")]})
    answer = live(agent, READ.format(data / "link" / "secret.txt"), policy=through)
    assert not answer.get("result_text", "Err").startswith("Ok("), answer
    assert (place.outside / "secret.txt").read_text() == "secret"
    assert place.trust.read_text() == before


@pytest.mark.parametrize("named", [True, False], ids=["BORUNA_LS_STATE", "XDG_STATE_HOME"])
def test_the_state_is_out_of_reach_wherever_it_is(place: Place, monkeypatch: pytest.MonkeyPatch, named: bool) -> None:
    data = place.shop / "data"
    state = place.folder / "named" if named else place.folder / "states" / "boruna-ls"
    (state / "upstream").mkdir(parents=True)
    state.chmod(0o700)
    (state / "upstream" / "token.json").write_text("kept")
    os.link(state / "upstream" / "token.json", data / "hard")
    monkeypatch.setenv("BORUNA_LS_STATE" if named else "XDG_STATE_HOME", str(state if named else state.parent))
    place.allow(fs_read=[str(data)])
    with Agent(place.shop, "--toolsets=run") as client:
        answer = live(client, READ.format(data / "hard"))
        assert "a file of boruna-ls itself" in str(answer.get("result_text")), answer
        assert live(client, READ.format(data / "a.txt"))["result_text"] == 'Ok("inside")'


def test_a_root_that_became_a_link_leads_nowhere(agent: Agent, place: Place) -> None:
    """Content pulled into a workspace cannot move an allowed folder elsewhere."""
    place.allow(fs_read=[str(place.shop / "data")])
    (place.shop / "data" / "a.txt").unlink()
    (place.shop / "data").rmdir()
    os.symlink(place.outside, place.shop / "data")
    answer = live(agent, READ.format(place.shop / "data" / "secret.txt"))
    assert not answer.get("result_text", "Err").startswith("Ok("), answer


@pytest.mark.parametrize("bad", ["mode", "folder", "parent", "unknown", "toml", "inside", "beside", "root", "home", "keys"])
def test_a_file_that_cannot_be_trusted_gives_no_trust(
    agent: Agent, place: Place, bad: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed = {"root": "/", "home": os.path.expanduser("~"), "keys": str(place.outside / ".ssh")}.get(bad, str(place.outside))
    place.allow(fs_read=[allowed])
    if bad == "mode":
        place.trust.chmod(0o622)
    elif bad == "folder":
        place.trust.parent.chmod(0o777)
    elif bad == "parent":
        place.config.chmod(0o777)
    elif bad == "unknown":
        place.trust.write_text(place.trust.read_text() + "everything = true\n")
    elif bad == "toml":
        place.trust.write_text("[workspace\n")
    asked: contextlib.AbstractContextManager[Agent] = contextlib.nullcontext(agent)
    if bad in ("inside", "beside"):
        # The configuration lies in the workspace, or in another clone: content of a clone gives no trust.
        clone = place.shop if bad == "inside" else place.folder / "clone"
        place.config = clone / "config"
        (clone / ".git").mkdir(parents=True)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(place.config))
        place.trust.parent.mkdir(parents=True)
        place.trust.parent.chmod(0o700)
        place.allow(fs_read=[allowed])
        asked = Agent(place.shop)
    with asked as client:
        answer = live(client, READ.format(place.outside / "secret.txt"))
    words = {
        "mode": "can be written by others", "folder": "others can write", "parent": "everybody can write",
        "unknown": "everything", "toml": "is not TOML",
        "inside": "is in the workspace", "beside": "is in the workspace",
        "root": "the whole disk", "home": "home directory", "keys": "hold keys",
    }  # fmt: skip
    assert answer["message"].startswith("capability denied: fs.read"), answer
    assert words[bad] in answer["message"]


# ---- the network ----------------------------------------------------------------------------------------------------


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(302 if self.path == "/away" else 200)
        if self.path == "/away":
            self.send_header("Location", self.path.replace("/away", f"http://localhost:{self.server.server_port}/"))  # type: ignore[attr-defined]
        self.end_headers()
        self.wfile.write(b"page")

    def log_message(self, *_: Any) -> None:
        """Silence."""


@pytest.fixture
def site() -> Iterator[int]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def test_hosts(agent: Agent, place: Place, site: int) -> None:
    place.allow(net_hosts=["127.0.0.1"])
    assert (live(agent, FETCH.format(f"http://127.0.0.1:{site}/")))["result_text"] == 'Ok("page")'
    # A redirect, and a host that only the call lists, are hosts like any other.
    assert "not allowed by the owner" in (live(agent, FETCH.format(f"http://127.0.0.1:{site}/away")))["result_text"]
    listed = policy(net_policy={"allowed_domains": ["localhost"]})
    denied = live(agent, FETCH.format(f"http://localhost:{site}/"), policy=listed)
    assert denied["message"].startswith('capability denied: net.fetch of "localhost"')


def test_an_allowed_name_does_not_open_private_addresses(agent: Agent, place: Place, site: int) -> None:
    """The owner of an allowed name decides where it leads: a ceiling that means a private address lists it."""
    name = "ip6-localhost" if "ip6-localhost" in Path("/etc/hosts").read_text() else "localhost.localdomain"
    place.allow(net_hosts=[name])
    text = (live(agent, FETCH.format(f"http://{name}:{site}/")))["result_text"]
    assert text.startswith("Err(")
    assert "private and reserved" in text or "cannot resolve" in text


# ---- databases ------------------------------------------------------------------------------------------------------


def test_databases(agent: Agent, place: Place) -> None:
    files = [place.shop / "shop.db", place.outside / "other.db"]
    for file in files:
        with sqlite3.connect(file) as connection:
            connection.execute("CREATE TABLE item (name TEXT)")
        connection.close()
    place.allow(databases=[str(files[0])])
    assert (live(agent, QUERY.format("SELECT count(*) AS n FROM item")))["result_text"] == 'Ok("[{"n":0}]")'
    other = policy(db_policy={"path": str(files[1]), "read_only": False})
    denied = live(agent, QUERY.format("DELETE FROM item"), policy=other)
    assert denied["message"].startswith(f'capability denied: db.query of "{files[1]}"')
    for statement in (f"ATTACH '{files[1]}' AS o", f"VACUUM INTO '{place.outside}/copy.db'", "SELECT zeroblob(900000000)"):
        assert (live(agent, QUERY.format(statement)))["result_text"].startswith("Err("), statement
    assert sorted(os.listdir(place.outside)) == ["other.db", "secret.txt"]


# ---- the mechanism --------------------------------------------------------------------------------------------------


def test_time_randomness_and_inputs_need_no_ceiling(agent: Agent) -> None:
    source = (
        'fn main() -> String !{time.now, step.input} {\n    if time_now() > 1700000001 { step_input("a") } else { "mock" }\n}'
    )
    assert (live(agent, source, input={"a": "given"}))["result_text"] == '"{"String": "given"}"'.replace(" ", "")


def test_many_effects_of_one_run_and_a_run_that_is_cut_short(agent: Agent, place: Place) -> None:
    place.allow(fs_read=[str(place.shop / "data")])
    loop = 'while n < 300 {\n        fs_read("data/a.txt")\n        n = n + 1\n    }'
    many = f"fn main() -> Int !{{fs.read}} {{\n    let mut n = 0\n    {loop}\n    n\n}}"
    answer = live(agent, many)
    assert (answer["result"], answer["event_log_summary"]["cap_calls"]) == (300, 300)
    short = live(agent, many.replace("n < 300", "true"), limits={"max_wall_ms": 200})
    assert short["limit_kind"] == "wall_ms"
    assert (live(agent, READ.format("data/a.txt")))["success"]
