"""`boruna-ls mcp-servers`, `run --live`, `--record` and `--replay`, as the owner of a workspace types them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.support.commands import run
from tests.support.tool_programs import ODD_SERVER, main

PROGRAM = main("match odd::add(2, 3).json() { Ok(text) => text, Err(reason) => reason }")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "boruna.toml").touch()
    (folder / "a.ax").write_text(PROGRAM)
    arguments = ["-S", "-E", str(ODD_SERVER), "odd", str(tmp_path / "asked.jsonl")]
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"odd": {"command": sys.executable, "args": arguments}}}))
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))
    return folder


def test_from_the_first_look_to_a_test_without_the_server(workspace: Path) -> None:
    assert "odd                  not allowed, tools not seen yet" in run("mcp-servers", "list").stdout
    refused = run("mcp-servers", "tools", "odd")
    assert refused.returncode == 1
    assert "to allow it, type: boruna-ls mcp-servers allow odd" in refused.stderr
    assert run("trust", "allow", "--mcp", "odd", "--yes").returncode == 0
    assert "fn odd::add(a: Int, b: Int) -> McpResult" in run("mcp-servers", "tools", "odd").stdout
    called = run("mcp-servers", "call", "odd", "add", '{"a": 1, "b": 2}')
    assert json.loads(called.stdout)["structuredContent"] == {"sum": 3}

    live = run("run", "a.ax", "--live", "--yes", "--record", "log.json")
    assert '"{"sum":5}"' in live.stdout, live.stderr
    assert run("mcp-servers", "revoke", "odd", "--yes").returncode == 0

    (workspace / ".mcp.json").unlink()
    replayed = run("run", "a.ax", "--replay", "log.json")
    assert (replayed.returncode, '"{"sum":5}"' in replayed.stdout) == (0, True), replayed.stderr
    (workspace / "a.ax").write_text(PROGRAM.replace("2, 3", "2, 4"))
    other = run("run", "a.ax", "--replay", "log.json")
    assert other.returncode == 1
    assert "the run differs from the recording" in other.stderr


def test_a_plain_folder_is_one_workspace_for_all_commands(workspace: Path) -> None:
    (workspace / "boruna.toml").unlink()
    line = ("run", "a.ax", "--live", "--yes")
    assert run("trust", "allow", "--mcp", "odd", "--yes").returncode == 0
    assert run("mcp-servers", "tools", "odd").returncode == 0
    allowed = run(*line)
    assert (allowed.returncode, '"{"sum":5}"' in allowed.stdout) == (0, True), allowed
    assert run("mcp-servers", "revoke", "odd", "--yes").returncode == 0
    denied = run(*line)
    assert denied.returncode == 1
    assert "boruna-ls trust allow mcp-server" in denied.stderr
    (workspace / ".mcp.json").rename(workspace / "other.json")
    assert f"there is no {workspace}/.mcp.json" in run("mcp-servers", "call", "odd", "add", "{}").stderr


def test_only_what_is_configured_is_allowed_and_it_is_shown(workspace: Path) -> None:
    def entries() -> list[str]:
        shown = run("trust", "show", "--json").stdout
        return [entry for ceiling in json.loads(shown)["workspace"].values() for entry in ceiling["mcp_servers"]]

    denied = run("run", "a.ax", "--live", "--yes").stderr
    pin = denied.partition("allow mcp-server '")[2].partition("'")[0]
    assert pin.startswith("odd#")
    allowed = run("trust", "allow", "mcp-server", pin, "--yes")
    assert (allowed.returncode, entries()) == (0, [pin])
    assert sys.executable in allowed.stderr

    configured = json.loads((workspace / ".mcp.json").read_text())
    configured["mcpServers"]["odd"]["args"].append("more")
    (workspace / ".mcp.json").write_text(json.dumps(configured))
    changed = run("trust", "allow", "mcp-server", pin, "--yes")
    assert (changed.returncode, entries()) == (1, [pin])
    assert "is configured differently now" in changed.stderr
    assert run("mcp-servers", "allow", "odd", "--yes").returncode == 0
    assert len(entries()) == 1
    assert entries() != [pin]

    # A file that cannot be read, or has no such server, leads to no entry that would allow any configuration.
    assert run("mcp-servers", "revoke", "odd", "--yes").returncode == 0
    for text in ("{", '{"mcpServers": {"odd": {}}}', '{"mcpServers": {}}'):
        (workspace / ".mcp.json").write_text(text)
        for line in (("trust", "allow", "--mcp", "odd"), ("mcp-servers", "allow", "odd")):
            assert run(*line, "--yes").returncode == 1
    assert entries() == []


def test_a_recording_knows_servers_that_the_program_did_not_call(workspace: Path) -> None:
    configured = json.loads((workspace / ".mcp.json").read_text())
    configured["mcpServers"]["spare"] = configured["mcpServers"]["unlisted"] = configured["mcpServers"]["odd"]
    (workspace / ".mcp.json").write_text(json.dumps(configured))
    assert run("trust", "allow", "--mcp", "spare", "--yes").returncode == 0
    assert run("mcp-servers", "tools", "spare").returncode == 0
    called = "    match spare::add(2, 3).json() { Ok(text) => text, Err(reason) => reason }\n"
    other = f"fn other() -> String !{{mcp.call}} {{\n{called}}}\n"
    (workspace / "a.ax").write_text(f'import mcp.spare\nimport mcp.unlisted\n{other}fn main() -> String {{ "x" }}\n')
    recorded = run("run", "a.ax", "--record", "log.json")
    assert recorded.returncode == 0, recorded.stderr + recorded.stdout
    assert run("run", "a.ax", "--replay", "log.json").returncode == 0
    (workspace / ".mcp.json").unlink()
    replayed = run("run", "a.ax", "--replay", "log.json")
    assert (replayed.returncode, replayed.stdout.splitlines()[0]) == (0, '"x"'), replayed.stderr


ASKING = """import mcp.odd
fn main() -> String !{llm.call, mcp.call} {
    let word = llm_call("Name?")
    match odd::add(2, 3).json() { Ok(text) => word ++ text, Err(reason) => reason }
}
"""


def test_an_execution_of_the_owner_that_was_begun_live_goes_on_live(workspace: Path) -> None:
    (workspace / "a.ax").write_text(ASKING)
    assert run("trust", "allow", "--mcp", "odd", "--yes").returncode == 0
    begun = run("exec", "run", "a.ax", "-p", "allow-all", "--live", "--yes", "--id", "one")
    assert "boruna-ls exec resume one --live" in begun.stderr
    resumed = run("exec", "resume", "one", "--live", "--yes", stdin="sum ")
    assert resumed.stdout == 'sum {"sum":5}\n', resumed.stderr


def test_live_is_refused_where_the_owner_did_not_write_the_policy(workspace: Path) -> None:
    (workspace / "a.ax").write_text(ASKING)
    run("exec", "run", "a.ax", "-p", "allow-all", "--id", "one")
    for line in (("resume", "one"), ("answer", "one", "sum ")):
        refused = run("exec", *line, "--live", "--yes")
        assert (refused.returncode, "was not started with exec run --live" in refused.stderr) == (2, True)
    assert json.loads(run("exec", "show", "one", "--json").stdout)["state"] == "AWAITING_COGNITIVE_RESULT"
