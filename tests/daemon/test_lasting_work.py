"""Work that was begun ends, whether its client is there or not: it keeps the daemon alive."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path

import pytest

from tests.support.daemon import Agent, is_running, status, until
from tests.support.mcp_lines import call

LOOP = "    let mut n = 0\n    while n < {} {{ n = n + 1 }}\n"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of what lasts; the daemon would end at once when its client has left."""
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("BORUNA_LS_IDLE", "0")
    return tmp_path / "state"


def left_with_its_work(agent: Agent, place: Path) -> float:
    """The client dies; how many seconds the daemon has gone on for then."""
    pid, began = status(place)["pid"], time.monotonic()
    agent.process.kill()
    until(lambda: not is_running(pid))
    return time.monotonic() - began


def test_a_workflow_goes_on_without_its_client(place: Path, tmp_path: Path, state: Path) -> None:
    steps = {"a": {"kind": "source", "source": "a.ax"}}
    definition = json.dumps({"schema_version": 1, "name": "long", "version": "1", "steps": steps, "edges": []})
    sources = {"a.ax": "fn main() -> Int {\n" + LOOP.format(2_000_000) + "    n\n}\n"}
    with Agent(tmp_path) as agent:
        agent.open()
        run = call(1, "boruna_workflow_run", workflow_json=definition, source_files=sources, max_steps=10**10)
        agent.send(run)
        store = state / "workflows" / "runs.db"
        until(lambda: store.exists() and ("running",) in rows(store, "SELECT status FROM runs"))
        went_on = left_with_its_work(agent, place)
    assert rows(store, "SELECT status FROM runs") == [("completed",)], went_on


def test_an_execution_goes_on_to_its_next_task(place: Path, tmp_path: Path, state: Path) -> None:
    source = "fn main() -> String !{llm.call} {\n" + LOOP.format(20_000_000) + '    llm_call("Next?")\n}\n'
    load: dict[str, object] = {"programId": "p", "source": source}
    start: dict[str, object] = {"programId": "p", "executionId": "e", "budgets": {"steps": 10**12}}
    with Agent(tmp_path, "--toolsets", "executions") as agent:
        agent.open()
        for number, (name, arguments) in enumerate([("load", load), ("start", start)]):
            assert not agent.ask(call(number, name, **arguments))["result"].get("isError")
        agent.send(call(9, "getTask"))
        until(lambda: ("RUNNING",) in rows(state / "executions" / "executions.db", "SELECT state FROM executions"))
        left_with_its_work(agent, place)
    with Agent(tmp_path, "--toolsets", "executions") as agent:
        agent.open()
        answer = agent.ask(call(1, "status", executionId="e"))["result"]["structuredContent"]
        assert answer["state"] == "AWAITING_COGNITIVE_RESULT", answer


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    """Rows of a database, while others use it."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        try:
            return connection.execute(query).fetchall()
        except sqlite3.OperationalError:
            return []
