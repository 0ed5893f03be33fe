"""Clients that die, crash their daemon or print without end: what they asked for ends with them, and nobody else notices."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.rendezvous import places
from tests.support.commands import command, end
from tests.support.daemon import status, until
from tests.support.http_server import http_server
from tests.support.kills import kill
from tests.support.live import Agent, Editor
from tests.support.mcp_lines import INITIALIZED, LineServer, call, envelope, initialize

ENDLESS: dict[str, Any] = {
    "source": "fn main() -> Int { let mut n = 0 while true { n = n + 1 } n }",
    "max_steps": 10**12,
}
SHORT = {"source": "fn main() -> Int { 7 }"}


def fill(agent: LineServer, folder: Path) -> None:
    """Has the agent run programs without end in all worker processes, and some more that wait."""
    agent.send(*(call(f"endless {number}", "boruna_run", **ENDLESS) for number in range(12)))
    until(lambda: status(folder)["runs"] >= 12)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_what_a_dead_agent_runs_ends_with_it(tmp_path: Path, place: Path, how: signal.Signals) -> None:
    with Agent(tmp_path) as other:
        other.tool("boruna_run", **SHORT)
        agent = Agent(tmp_path)
        fill(agent, place)
        agent.process.send_signal(how)
        died = time.monotonic()
        assert other.tool("boruna_run", **SHORT)["result"] == 7
        took = time.monotonic() - died
        end(agent.process)
    assert took < 5.0


def test_what_an_agent_runs_that_dies_behind_its_forwarder_ends_with_it(tmp_path: Path, place: Path) -> None:
    with Agent(tmp_path) as other:
        other.tool("boruna_run", **SHORT)
        pipe = subprocess.PIPE
        forwarder = subprocess.Popen([command("boruna-ls"), "mcp"], stdin=pipe, stdout=pipe, cwd=tmp_path)
        assert forwarder.stdin is not None
        assert forwarder.stdout is not None
        lines = [initialize(), INITIALIZED, *(call(number, "boruna_run", **ENDLESS) for number in range(12))]
        forwarder.stdin.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        forwarder.stdin.flush()
        until(lambda: status(place)["runs"] >= 12)
        # Its pipes have no other end now.
        forwarder.stdin.close()
        forwarder.stdout.close()
        died = time.monotonic()
        assert other.tool("boruna_run", **SHORT)["result"] == 7
        took = time.monotonic() - died
        forwarder.wait(10)
        lingered = time.monotonic() - died
    assert took < 5.0
    assert lingered < 5.0


def test_endless_runs_of_an_agent_that_lives_or_closes_its_input_stop_nobody_elses(tmp_path: Path, place: Path) -> None:
    with Agent(tmp_path) as other, Agent(tmp_path) as agent:
        fill(agent, place)
        began = time.monotonic()
        assert other.tool("boruna_run", **SHORT)["result"] == 7
        beside_it = time.monotonic() - began
        assert agent.process.stdin is not None
        agent.process.stdin.close()
        began = time.monotonic()
        assert other.tool("boruna_run", **SHORT)["result"] == 7
        beside_its_rest = time.monotonic() - began
        assert status(place)["runs"] >= 12
        agent.process.kill()
    assert beside_it < 5.0
    assert beside_its_rest < 5.0


def test_an_agent_that_closes_its_input_keeps_no_process_that_others_wait_for(tmp_path: Path, place: Path) -> None:
    with Agent(tmp_path) as other, Agent(tmp_path) as agent:
        fill(agent, place)
        assert agent.process.stdin is not None
        agent.process.stdin.close()
        # Its one process beside the others is taken: the short program needs one of those.
        other.begin("boruna_run", **ENDLESS)
        assert other.tool("boruna_run", **SHORT)["result"] == 7
        # The agent still reads: what it has asked for goes on, with one process.
        assert status(place)["runs"] == 12 + 1
        agent.process.kill()


def test_a_script_gets_its_answers_beside_others_that_wait(tmp_path: Path, place: Path) -> None:
    """`printf '…' | boruna-mcp`, with programs that run for a while."""
    with Agent(tmp_path) as busy, Agent(tmp_path) as script:
        fill(busy, place)
        asked = [script.begin("boruna_run", source=_counting(300_000 + n)) for n in range(3)]
        status_, messages = script.end()
        assert status(place)["runs"] == 12
    assert status_ == 0
    found = {message["id"]: message["result"]["structuredContent"].get("result") for message in messages if "id" in message}
    assert [found[number] for number in asked] == [300_000, 300_001, 300_002]


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
def test_a_request_over_http_whose_connection_is_closed_ends(tmp_path: Path, place: Path, version: str) -> None:
    with http_server("--deadline", "600", cwd=tmp_path) as server:
        body = call(7, "boruna_run", **ENDLESS)
        session = server.post(initialize(1)).headers["mcp-session-id"]
        headers = {"mcp_protocol_version": version, "mcp_session_id": session}
        if version == "2026-07-28":
            body["params"]["_meta"] = envelope()
            headers = {"mcp_protocol_version": version, "mcp_method": "tools/call", "mcp_name": "boruna_run"}
        with server.begin(body, **headers):
            until(lambda: status(place)["runs"] == 1)
        # Not by its deadline, which is ten minutes.
        until(lambda: status(place)["runs"] == 0)
        answer = server.post(call(8, "boruna_run", **SHORT), mcp_session_id=session, mcp_protocol_version="2025-06-18").text
        assert '\\"result\\":7,' in answer


def test_an_agent_that_only_closes_its_input_gets_its_answers(tmp_path: Path, place: Path) -> None:
    with Agent(tmp_path) as agent:
        number = agent.begin("boruna_run", source=_counting(300_000))
        status_, messages = agent.end()
    assert status_ == 0
    assert [message["result"]["structuredContent"]["result"] for message in messages if message.get("id") == number] == [300000]


def test_what_programs_print_does_not_fill_the_daemons_folder(tmp_path: Path, place: Path) -> None:
    noisy = 'fn main() -> Int { let mut n = 0 while n < 20000 { __builtin_debug("' + "x" * 200 + '") n = n + 1 } n }'
    with Agent(tmp_path) as agent:
        agent.tool("boruna_run", source=noisy, max_steps=10**9)
        size = sum(path.stat().st_size for path in place.iterdir() if path.is_file())
        assert Path(places.errors_path(str(place))).stat().st_size == 0
    assert size < 100_000


def test_after_a_crash_agents_see_the_buffer_that_was_edited_last(tmp_path: Path, place: Path) -> None:
    path = tmp_path / "main.ax"
    path.write_text("fn main() -> Int { 0 }\n")
    dead: list[int] = []
    with Agent(tmp_path) as agent:
        editors = [Editor(tmp_path), Editor(tmp_path), Editor(tmp_path)]
        try:
            for editor in editors:
                editor.show(path, "fn main() -> Int { 0 }\n")
            for turn in range(3):
                last = editors[(turn * 2 + 1) % 3]
                for editor in [*(one for one in editors if one is not last), last]:
                    editor.replace(path, f"fn main() -> Int {{ {turn}{editors.index(editor)} }}\n")
                    editor.settle()
                dead.append(kill(place, *dead))
                for editor in editors:
                    editor.settle()
                assert agent.resource("file", path) == last.texts[path]
        finally:
            for editor in editors:
                end(editor.process)


def test_a_trial_behind_a_full_pool_is_answered_in_time(tmp_path: Path, place: Path) -> None:
    (tmp_path / "main.ax").write_text(SHORT["source"])
    with Agent(tmp_path) as busy, LineServer("mcp", "--deadline", "3", program="boruna-ls", cwd=str(tmp_path)) as hasty:
        hasty.open()
        fill(busy, place)
        hasty.send(*(call(f"endless {number}", "boruna_run", **ENDLESS) for number in range(12)))
        until(lambda: status(place)["runs"] >= 24)
        began = time.monotonic()
        candidates = [{"label": "a", "text": "fn main() -> Int { 8 }"}]
        answer = hasty.ask(call(1, "try_edits", path="main.ax", candidates=candidates, run={}))
        took = time.monotonic() - began
    assert took < 4.0
    assert "ran out of time before this program finished" in answer["result"]["content"][0]["text"]


def _counting(most: int) -> str:
    return f"fn main() -> Int {{ let mut n = 0 while n < {most} {{ n = n + 1 }} n }}"
