"""Budgets: descriptors, memory of a call, and what `daemon status` says of them. And an analysis thread that does not react."""

from __future__ import annotations

import asyncio
import gc
import json
import shlex
import subprocess
import threading
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

from mcp.shared.exceptions import MCPError

from analysis.database import retain
from boruna_ls.lsp.session import MOST_OPEN
from boruna_ls.mcp.calls import Calls
from boruna_ls.mcp.live_resources import DIAGNOSTICS, read
from boruna_ls.mcp.toolsets import select
from boruna_ls.workspace import FileUnavailable, Host, Priority, Worker, ask
from tests.support.commands import command, end
from tests.support.daemon import status
from tests.support.live import Agent, Editor
from tests.support.mcp_lines import call, line_server

VISITED = 200
LIMIT = 36
"""Descriptors that the daemon of the test may have."""


def test_with_few_descriptors_those_who_are_there_are_served(tmp_path: Path, place: Path) -> None:
    line = f"ulimit -n {LIMIT}; exec {shlex.quote(command('boruna-ls'))} mcp"
    starter = subprocess.Popen(["sh", "-c", line], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path)
    agents: list[Agent] = []
    try:
        began = time.monotonic()
        # The daemon is started by the one whose limit it takes over.
        while not place.exists() or not any(place.glob("*.sock")):
            assert time.monotonic() - began < 30
            time.sleep(0.05)
        with line_server("--standalone") as lone:
            began = time.monotonic()
            lone.open()
            alone = time.monotonic() - began
        waits = []
        for _ in range(12):
            began = time.monotonic()
            agent = Agent(tmp_path)
            agents.append(agent)
            assert agent.tool("boruna_check", source="fn main() -> Int { 1 }")["success"] is True
            waits.append(time.monotonic() - began)
        found, shown = status(place), subprocess.check_output([command("boruna-ls"), "daemon", "status"], text=True)
        assert agents[0].tool("boruna_run", source="fn main() -> Int { 7 }")["result"] == 7
        log = Path(found["log"]).read_text()
    finally:
        for agent in agents:
            end(agent.process)
        end(starter)
    assert len(found["clients"]) < 13
    assert found["refused"] > 0
    assert "(ulimit -n): each of them runs its own server" in shown
    assert "no descriptor left" in log
    # Who is refused serves itself, as if there were no daemon; the call of a tool is twice of that at most.
    assert max(waits) < 4 * alone, (waits, alone)


def test_a_call_has_a_budget_of_text(tmp_path: Path, place: Path) -> None:
    (tmp_path / "main.ax").write_text("fn main() -> Int { 1 }\n")
    with Agent(tmp_path) as agent:
        candidates = [{"label": str(n), "text": f"fn f{n}() -> Int {{ {n} }}\n" * 6000} for n in range(30)]
        refused = agent.ask(call("large", "try_edits", path="main.ax", candidates=candidates))
        assert "characters of new text" in json.dumps(refused)
        assert status(place)["memory"] < 500 << 20


def test_the_state_says_what_clients_hold(tmp_path: Path, place: Path) -> None:
    editor = Editor(tmp_path)
    try:
        with Agent(tmp_path) as agent:
            editor.show(tmp_path / "main.ax", "x" * 1000)
            editor.settle()
            agent.tool("boruna_check", source="y" * 500)
            found = status(place)
            held = {one["protocol"]: one["characters"] for one in found["clients"]}
    finally:
        end(editor.process)
    assert held == {"lsp": 1000, "mcp": 500}
    assert 0 < found["memory"] < found["memory_limit"]


def test_an_editor_has_a_ceiling_on_open_text(tmp_path: Path, place: Path) -> None:
    """Each document is below the size of a message; together they are above what one editor may have open."""
    large = "// " + "x" * 22_000_000
    with Editor(tmp_path) as editor:
        for number in range(4):
            editor.show(tmp_path / f"large_{number}.ax", large)
        editor.settle()
        (one,) = status(place)["clients"]
        assert one["refused"] == 2
        assert one["characters"] <= MOST_OPEN
        # What was refused is as if it were not open; what is small is served, and room that was made is given.
        editor.replace(tmp_path / "large_3.ax", "fn main() -> Int { 1 }\n")
        editor.show(tmp_path / "small.ax", "fn main() -> Int { missing }\n")
        editor.shut(tmp_path / "large_0.ax")
        editor.shut(tmp_path / "large_3.ax")
        editor.show(tmp_path / "large_3.ax", large)
        while not editor.shown.get(tmp_path / "small.ax"):
            editor.receive()
        editor.settle()
        (one,) = status(place)["clients"]
    assert one["refused"] == 2
    assert [Path(path).name for path in one["open"]] == ["large_1.ax", "small.ax", "large_3.ax"]


def test_a_job_that_does_not_react_is_noticed() -> None:
    worker, go = Worker(), threading.Event()
    deaf = worker.submit(lambda: go.wait(60), Priority.BACKGROUND)
    time.sleep(0.05)
    assert worker.deaf_for() == 0.0
    other = worker.submit(lambda: 7, Priority.TYPING)
    time.sleep(0.2)
    assert worker.deaf_for() > 0.1
    go.set()
    assert deaf.result(60)
    assert other.result(60) == 7
    assert worker.deaf_for() == 0.0
    worker.stop()


async def test_what_a_call_came_to_is_freed_with_it() -> None:
    """The collector looks at everything in idle minutes only: an answer in a cycle of references would stay until then."""
    host = Host()
    client = host.connect()
    calls = Calls(host, client, select(), 30.0)

    async def work() -> None:
        await calls.answer("boruna_check", {"source": "fn main() -> Int { missing }"})
        await calls.answer("boruna_run", {"source": "fn main() -> Int { 1 }"})
        for refused in ({"path": "/nowhere/a.ax"}, {"source": 3}):
            with suppress(MCPError):
                await calls.answer("boruna_check", refused)
            with suppress(MCPError):
                await calls.answer("find_references", {**refused, "symbol": "main"})
        await asyncio.sleep(0.2)

    await work()
    gc.collect()
    gc.disable()
    try:
        await work()
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        kinds = {type(found).__name__ for found in gc.garbage}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
        host.worker.stop()
    assert not kinds & {"Answer", "Call", "Future", "Memo", "Run", "Task", "frame", "traceback"}


async def test_missing_files_that_a_client_asked_about_go_with_it() -> None:
    host = Host()

    async def visit(number: int) -> int:
        """Objects of the process after a client has asked about other missing files, and left."""
        client = host.connect()
        calls = Calls(host, client, select(), 30.0)
        for file in range(VISITED):
            path = f"/nowhere/{number}/{file}.ax"
            with suppress(MCPError):
                await calls.answer("boruna_check", {"path": path})
            with suppress(FileUnavailable):
                await asyncio.wrap_future(ask(host, partial(read, client=client, uri=f"{DIAGNOSTICS}{path}"), client=client.id))
        host.disconnect(client)
        for _ in retain(host.db, 0):
            continue
        gc.collect()
        gc.unfreeze()
        return len(gc.get_objects())

    try:
        await visit(0)
        before = await visit(1)
        after = await visit(2)
    finally:
        host.worker.stop()
        # As at the end of the collection of tests (`conftest.py`).
        gc.freeze()
    # Each kept 8 KB once: some hundred objects.
    assert after - before < 2 * VISITED
