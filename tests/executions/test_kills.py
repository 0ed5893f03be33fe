"""Short runs of `python -m tests.executions.kills` and of `python -m tests.executions.combined_kills`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.executions import combined_kills
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


def test_a_program_that_combines_tools_and_minds_survives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("XDG_CONFIG_HOME", "BORUNA_LS_STATE"):
        monkeypatch.setenv(variable, str(tmp_path))  # so that they are put back
    assert combined_kills.killed([Kill(2, "during")], tmp_path) == []
