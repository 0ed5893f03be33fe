"""`boruna-ls workflow watch` at a terminal: a bar for each step, followed while another process drives the run."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import termios
from pathlib import Path

import pytest

from tests.support.commands import command, run

ONE = "fn main() -> Int {\n    1\n}\n"
PATIENCE = 60.0
"""Seconds in which a command writes something, or ends."""
NAME = "pack\u202e"


def at_terminal(rows: int, *line: str) -> str:
    """Output of a command on a terminal of this number of rows until it ends, without its control sequences."""
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 120, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": str(rows)}
    with subprocess.Popen([command("boruna-ls"), *line], stdin=inner, stdout=inner, stderr=inner, env=environment) as process:
        os.close(inner)
        written = b""
        while select.select([outer], [], [], PATIENCE)[0]:
            try:
                part = os.read(outer, 65536)
            except OSError:
                # Nobody has the terminal any more.
                break
            written += part
        else:
            process.kill()
    os.close(outer)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written.decode())


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))
    return str(tmp_path / "data")


def begun(folder: Path, data: str, count: int) -> str:
    """A run that waits at a gate behind a step, with so many steps behind the gate."""
    steps: dict[str, object] = {NAME: {"kind": "source", "source": "one.ax"}}
    steps["sign"] = {"kind": "approval_gate", "required_role": "lead", "depends_on": [NAME]}
    for number in range(count):
        steps[f"after{number:03}"] = {"kind": "source", "source": "one.ax", "depends_on": ["sign"]}
    (folder / "one.ax").write_text(ONE)
    document = {"schema_version": 1, "name": "ship", "version": "1", "steps": steps, "edges": []}
    (folder / "workflow.json").write_text(json.dumps(document))
    output = run("workflow", "run", str(folder), "--data-dir", data).stdout
    return str(re.findall(r"run_id: (\w+)", output)[0])


def test_each_step_has_a_bar(data: str, tmp_path: Path) -> None:
    run_id = begun(tmp_path, data, 30)
    lines = at_terminal(10, "workflow", "watch", run_id, "--data-dir", data).split("\n")
    text = "\n".join(lines)
    done = next(line for line in lines if "pack" in line)
    assert re.match(r"✓ pack\\u\{202e\} +█+ +\d+\.\d s  completed", done), text
    assert re.search(r"\? sign +█+ +\d+\.\d s  awaiting approval", text)
    assert "○ after000" in text
    # What has no room is counted.
    assert "… and 25 more steps" in text
    assert "ship: paused, 1 of 32 steps" in text


def test_on_a_pipe_each_change_is_a_line(data: str, tmp_path: Path) -> None:
    run_id = begun(tmp_path, data, 1)
    written = run("workflow", "watch", run_id, "--data-dir", data).stdout
    assert written.splitlines() == ["pack\\u{202e}: completed", "sign: awaiting_approval", "run: paused"]
