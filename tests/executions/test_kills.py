"""A short run of `python -m tests.executions.kills`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.executions.kills import killed


def test_nothing_is_lost_and_nothing_repeated_when_servers_are_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    for variable in ("XDG_CONFIG_HOME", "BORUNA_LS_STATE"):
        monkeypatch.setenv(variable, str(tmp_path))  # so that they are put back
    problems, counts = killed(2, seed, tmp_path)
    assert problems == []
    assert (counts["kills"], counts["effects"] > 0) == (2, True)
