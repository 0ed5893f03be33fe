"""Agents over HTTP, served by the daemon: they see what editors show, and their address outlives a daemon."""

from __future__ import annotations

import os
import re
import signal
import socket
from pathlib import Path

import pytest

from tests.support.commands import run
from tests.support.daemon import PATIENCE, clients, editor, is_running, status, until
from tests.support.http_server import http_server
from tests.support.kills import kill
from tests.support.live import Editor
from tests.support.lsp import edit
from tests.support.mcp_lines import initialize

PROGRAM = "fn main() -> Int {\n    41 + 1\n}\n"


async def test_agents_over_http_see_unsaved_text(place: Path, tmp_path: Path) -> None:
    file = tmp_path / "program.ax"
    file.write_text(PROGRAM)
    with http_server(cwd=tmp_path) as server, editor(tmp_path) as client:
        client.initialize()
        client.open(file.as_uri(), PROGRAM)
        client.change(file.as_uri(), 2, edit((1, 4), (1, 6), "fourty"))
        client.published(file.as_uri(), 2)
        async with server.client() as agent:
            answer = (await agent.call_tool("boruna_check", {"path": "program.ax"})).structured_content
        assert isinstance(answer, dict)
        assert (answer["diagnostics_count"], answer["freshness"]["source"]) == (1, "editor")
        shown = {one["protocol"]: one for one in status(place)["clients"]}
        assert shown["http"]["url"] == server.url
        assert shown["lsp"]["open"] == [str(file)]


def test_the_address_outlives_the_daemon(place: Path, tmp_path: Path) -> None:
    with http_server(cwd=tmp_path) as server:
        first = status(place)["pid"]
        os.kill(first, signal.SIGKILL)
        until(lambda: f"serves agents again at {server.url}" in server.errors)
        assert status(place)["pid"] != first
        assert server.post(initialize()).status_code == 200


def test_an_editor_has_its_diagnostics_before_a_new_daemon_serves_agents_over_http(place: Path, tmp_path: Path) -> None:
    file, killed = tmp_path / "program.ax", 3
    with Editor(tmp_path) as client, http_server(cwd=tmp_path) as server:
        client.show(file, PROGRAM.replace("41", "fourty"))
        client.await_diagnostics(file, 0)
        dead: list[int] = []
        first = 0
        while len(dead) < killed:
            served = server.errors.count("serves agents again")
            dead.append(kill(place, *dead))
            client.await_diagnostics(file, 0)
            first += server.errors.count("serves agents again") == served
            until(lambda: server.errors.count("serves agents again") == len(dead))
        # Beside other tests this process may see the diagnostics later than they came.
        assert first > 0


def test_the_end_of_the_command_is_the_end_of_the_address(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_IDLE", "0")
    with http_server(cwd=tmp_path) as server:
        pid = status(place)["pid"]
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(PATIENCE) == 0
        until(lambda: not is_running(pid))
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", server.port), PATIENCE)


def test_what_the_daemon_cannot_serve_is_said(place: Path, tmp_path: Path) -> None:
    with http_server(cwd=tmp_path) as server:
        taken = run("serve", "--http", "--port", str(server.port))
        assert taken.returncode == 1
        assert re.fullmatch(rf"boruna-ls: cannot listen at 127\.0\.0\.1:{server.port}: .+ in use\n", taken.stderr)
        unknown = run("serve", "--http", "--port", "0", "--tools", "boruna_chek")
        assert (unknown.returncode, "no tool is named 'boruna_chek'" in unknown.stderr) == (2, True)
        assert clients(place) == 1


def test_alone_it_needs_no_daemon(place: Path, tmp_path: Path) -> None:
    with http_server("--standalone", cwd=tmp_path) as server:
        assert server.post(initialize()).status_code == 200
        assert not place.exists()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 0
