"""The daemon: one process for editors and agents, its folder, its end."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import command, run
from tests.support.lsp import RawClient, edit
from tests.support.mcp_lines import LineServer, call, request

CLEAN = "fn main() -> Int {\n    5 + 6\n}\n"
PATIENCE = 30.0


def started(folder: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([command("boruna-ls"), "serve", "--socket", str(folder)], stderr=subprocess.PIPE)
    deadline = time.monotonic() + PATIENCE
    while served_by(folder) != process.pid:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return process


def served_by(folder: Path) -> int | None:
    endpoint = folder / "endpoint.json"
    return int(json.loads(endpoint.read_text())["pid"]) if endpoint.exists() else None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder at which a daemon serves; a test that breaks it fails the ones after it."""
    place = tmp_path_factory.mktemp("serve") / "daemon"
    process = started(place)
    yield place
    process.kill()
    process.communicate()


class Agent(LineServer):
    """An MCP client behind a forwarder."""

    def __init__(self, folder: Path, cwd: Path) -> None:
        connect = ["connect", "mcp", "--socket", str(folder)]
        super().__init__(*connect, program="boruna-ls", cwd=str(cwd))


def editor(folder: Path, cwd: Path) -> RawClient:
    return RawClient(cwd, [command("boruna-ls"), "connect", "lsp", "--socket", str(folder)])


def checked(agent: LineServer, **arguments: Any) -> dict[str, Any]:
    result = agent.ask(call(1, "boruna_check", **arguments))["result"]
    return dict(result["structuredContent"])


def test_agent_sees_what_the_editor_has_not_saved(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "program.ax"
    file.write_text(CLEAN, encoding="utf-8")
    with editor(folder, tmp_path) as client:
        agent = Agent(folder, tmp_path).open()
        assert checked(agent, path="program.ax")["freshness"]["source"] == "disk"
        client.initialize()
        client.open(file.as_uri(), CLEAN)
        assert client.published(file.as_uri(), 1) == []
        client.change(file.as_uri(), 2, edit((1, 4), (1, 5), "five"))
        (shown,) = client.published(file.as_uri(), 2)
        answer = checked(agent, path="program.ax")
        assert [one["message"] for one in answer["diagnostics"]] == ["undefined variable: five"]
        assert shown["message"].startswith("undefined variable: five")
        assert (answer["freshness"]["source"], answer["freshness"]["unsaved"]) == ("editor", True)
        client.notify("textDocument/didClose", {"textDocument": {"uri": file.as_uri()}})
        assert client.published(file.as_uri()) == []
        answer = checked(agent, path="program.ax")
        assert (answer["diagnostics"], answer["freshness"]["source"]) == ([], "disk")
        assert agent.end() == (0, [])


def test_buffers_of_an_editor_that_died_are_forgotten(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "program.ax"
    file.write_text(CLEAN, encoding="utf-8")
    agent = Agent(folder, tmp_path).open()
    with editor(folder, tmp_path) as client:
        client.initialize()
        client.open(file.as_uri(), "fn main() -> Int { oops }\n")
        client.published(file.as_uri(), 1)
        assert checked(agent, path="program.ax")["diagnostics_count"] == 1
    deadline = time.monotonic() + PATIENCE
    while checked(agent, path="program.ax")["diagnostics_count"]:
        assert time.monotonic() < deadline
    agent.end()


def test_relative_paths_count_from_each_client_s_own_folder(folder: Path, tmp_path: Path) -> None:
    for name, text in (("one", CLEAN), ("two", "fn main() -> Int { oops }\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "program.ax").write_text(text, encoding="utf-8")
    for name, count in (("one", 0), ("two", 1)):
        agent = Agent(folder, tmp_path / name).open()
        assert checked(agent, path="program.ax")["diagnostics_count"] == count
        agent.end()


def test_everything_that_was_sent_is_answered_before_the_forwarder_ends(folder: Path, tmp_path: Path) -> None:
    agent = Agent(folder, tmp_path).open()
    agent.send(*(call(number, "boruna_symbols", source=CLEAN) for number in range(100)))
    status, messages = agent.end()
    assert (status, sorted(message["id"] for message in messages)) == (0, list(range(100)))


def test_second_daemon_is_refused_and_the_first_goes_on(folder: Path, tmp_path: Path) -> None:
    second = run("serve", "--socket", str(folder))
    assert (second.returncode, "another process serves" in second.stderr) == (1, True)
    agent = Agent(folder, tmp_path).open()
    assert agent.ask(request(1, "ping"))["result"] == {}
    agent.end()


def test_folder_belongs_to_its_user_alone(folder: Path, tmp_path: Path) -> None:
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "endpoint.json").stat().st_mode) == 0o600
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    refused = run("serve", "--socket", str(shared))
    assert (refused.returncode, "0700" in refused.stderr) == (1, True)


@pytest.mark.parametrize("hello", [b"nonsense\n", b"[]\n", b"{}\n", b'{"protocol": "ftp"}\n', b"\xff\n", b"x" * 3_000_000, b""])
def test_strangers_are_dropped(folder: Path, tmp_path: Path, hello: bytes) -> None:
    code = (
        "import sys; from pathlib import Path; from boruna_ls.forward import connect\n"
        "c = connect(Path(sys.argv[1])); c.sendall(sys.stdin.buffer.read()); c.close()"
    )
    subprocess.run([sys.executable, "-c", code, str(folder)], input=hello, timeout=PATIENCE, stderr=subprocess.DEVNULL)
    agent = Agent(folder, tmp_path).open()
    assert agent.ask(request(1, "ping"))["result"] == {}
    agent.end()


def test_forwarder_without_a_daemon(tmp_path: Path) -> None:
    done = run("connect", "mcp", "--socket", str(tmp_path / "nobody"), "--wait", "0", stdin="")
    assert (done.returncode, done.stdout) == (1, "")
    assert "no process serves" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_the_daemon_and_frees_its_folder(tmp_path: Path, number: signal.Signals) -> None:
    place = tmp_path / "daemon"
    process = started(place)
    agent = Agent(place, tmp_path).open()
    process.send_signal(number)
    said = process.communicate(timeout=PATIENCE)[1].decode()
    assert (process.returncode, said) == (0, f"boruna-ls serves at {place}\n")
    assert os.listdir(place) == []
    agent.end()
    process = started(place)
    process.kill()
    process.communicate()
    # What a killed daemon leaves behind does not keep the next one away.
    assert served_by(place) == process.pid
    assert run("connect", "mcp", "--socket", str(place), "--wait", "0", stdin="").returncode == 1
    process = started(place)
    process.kill()
    process.communicate()
