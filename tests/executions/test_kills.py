"""Short runs of `python -m tests.executions.kills`, of `daemon_kills`, `instruction_kills` and `combined_kills`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.executions import combined_kills, daemon_kills
from tests.executions.combined_kills import Kill
from tests.executions.kills import killed


def test_nothing_is_lost_and_nothing_repeated_when_servers_are_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    for variable in ("XDG_CONFIG_HOME", "BORUNA_LS_STATE"):
        monkeypatch.setenv(variable, str(tmp_path))  # so that they are put back
    problems, counts = killed(2, seed, tmp_path)
    assert problems == []
    assert (counts["kills"], counts["effects"] > 0) == (2, True)


def test_a_daemon_that_is_killed_behind_its_forwarder_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    for variable in ("XDG_CONFIG_HOME", "BORUNA_LS_STATE", "BORUNA_LS_DIR"):
        monkeypatch.setenv(variable, str(tmp_path))  # so that they are put back
    problems, counts = daemon_kills.killed(1, seed, tmp_path)
    assert problems == []
    # A kill can come after the call it was meant for has ended, and the next one follows.
    assert (counts["kills"] >= 1, counts["effects"] > 0) == (True, True)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_an_answer_is_taken_whole_or_not_wherever_its_process_dies(seed: int) -> None:
    line = [sys.executable, "-m", "tests.executions.instruction_kills", "--every", "60", "--first", str(1 + seed % 60)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_program_that_combines_tools_and_minds_survives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("XDG_CONFIG_HOME", "BORUNA_LS_STATE"):
        monkeypatch.setenv(variable, str(tmp_path))  # so that they are put back
    assert combined_kills.killed([Kill(2, "during")], tmp_path) == []
