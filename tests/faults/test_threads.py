"""Threads that work for agents and threads that open files for editors: the ones do not use the others up."""

from __future__ import annotations

import json
import time
from pathlib import Path

from tests.support.commands import end
from tests.support.live import Agent, Editor

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
