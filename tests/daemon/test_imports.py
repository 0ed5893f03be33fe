"""Imports take a quarter of a second and cannot give way: in a daemon that serves clients nobody else waits for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.daemon import Agent, clients, editor, stopped, until
from tests.support.lsp import edit
from tests.support.mcp_lines import call

DAEMON = Path(__file__).with_name("importing_daemon.py")
PROGRAM = "fn main() -> Int {\n    41 + 1\n}\n"
FOREIGN = "fn main() -> Int {\n    for (i, x) in [1].iter().enumerate() { println!(x) }\n    lenght([1]) }\n"
HEAVY = ("mcp", "pydantic", "starlette", "uvicorn", "lsprotocol", "pygls", "analysis.fixes", "analysis.suggestions.broken")


@pytest.mark.parametrize("first", ["lsp", "mcp"])
def test_no_client_waits_for_an_import_of_another(place: Path, tmp_path: Path, first: str) -> None:
    file, notes = tmp_path / "program.ax", tmp_path / "notes"
    file.write_text(PROGRAM)
    notes.write_text("")
    process = subprocess.Popen([sys.executable, "-P", str(DAEMON), str(notes), "--folder", str(place), "--first", first])
    try:
        until((place / "daemon-1.log").exists)
        until(lambda: clients(place) == 0 and "serves at" in (place / "daemon-1.log").read_text())
        with editor(tmp_path) as client:
            client.initialize()
            client.open(file.as_uri(), PROGRAM)
            agent = Agent(tmp_path).open()
            assert agent.check(source=FOREIGN)["diagnostics_count"]
            assert agent.ask(call(1, "boruna_repair", source=FOREIGN))["result"]
            assert agent.ask(call(2, "boruna_run", source=PROGRAM))["result"]["structuredContent"]["result"] == 42
            client.change(file.as_uri(), 2, edit((1, 4), (1, 6), "println!(41"))
            assert len(client.published(file.as_uri(), 2)) >= 1
            agent.leave()
    finally:
        stopped(place)
        process.wait(30)
    lines = notes.read_text().splitlines()
    assert any(line.endswith("first") for line in lines)
    waited = [line for line in lines if line.endswith("later") and line.split()[1].startswith(HEAVY)]
    assert waited == []
