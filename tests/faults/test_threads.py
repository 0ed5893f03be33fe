"""Threads that work for agents and threads that open files for editors: the ones do not use the others up."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from tests.support.commands import end
from tests.support.live import Agent, Editor
from tests.support.mcp_lines import call, line_server, request

AT_ONCE = 40
"""More than a pool of threads has."""
WORKFLOW = {
    "schema_version": 1,
    "name": "endless",
    "version": "1",
    "steps": {
        "a": {"kind": "source", "source": "a.ax"},
        "b": {"kind": "approval_gate", "required_role": "anybody", "depends_on": ["a"]},
    },
    "edges": [],
}
ENDLESS = "fn main() -> Int { let mut n = 0 while true { n = n + 1 } n }"


def test_rehearsals_of_an_agent_do_not_keep_editors_from_opening_files(tmp_path: Path, place: Path) -> None:
    rehearsal = {
        "workflow_json": json.dumps(WORKFLOW),
        "source_files": {"a.ax": ENDLESS},
        "approvals": {"b": "approved"},
        "max_steps": 10**10,
    }
    with Agent(tmp_path) as agent:
        editor = Editor(tmp_path)
        try:
            for _ in range(AT_ONCE):
                agent.begin("boruna_workflow_run", **rehearsal)
            time.sleep(1.0)
            waits = []
            for number in range(5):
                path = tmp_path / f"opened_{number}.ax"
                began = time.monotonic()
                editor.show(path, "fn main() -> Int { missing }\n")
                while path not in editor.shown:
                    editor.receive()
                waits.append(time.monotonic() - began)
        finally:
            end(editor.process)
            agent.process.kill()
    assert max(waits) < 10.0, waits


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_calls_that_may_be_cancelled_start_no_threads_while_they_run() -> None:
    """One timer looks after all deadlines and cancellations: once each look was a thread."""
    hard = "".join(f"fn f{n}(a: Int) -> Int {{ a + undefinedd{n} + unknownn{n} }}\n" for n in range(12_000))
    with line_server("--standalone") as server:
        server.open()
        for number in range(AT_ONCE):
            server.send(call(number, "boruna_check", source=f"{hard}// {number}"))
        time.sleep(0.5)
        threads: set[str] = set()
        ends = time.monotonic() + 1.0
        while time.monotonic() < ends:
            threads |= set(os.listdir(f"/proc/{server.process.pid}/task"))
        for number in range(AT_ONCE):
            server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        assert server.ask(request("ping", "ping"))["id"] == "ping"
    assert len(threads) < AT_ONCE, len(threads)
