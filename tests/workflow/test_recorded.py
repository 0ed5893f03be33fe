"""A sample of the recorded command-line scenarios: documents and bundles that are judged, workflows that are run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.corpus import unpacked
from tests.support.improvements import improvements
from tests.workflow.recorded import Recorded

RUNS = ("run-linear", "fail-siblings-in-chunk", "trigger-full-cycle", "real-three-pauses")
"""`python -m tests.workflow.recorded` plays the others, too."""
QUICK = ("cli-", "hash-", "bundle-")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return Recorded(unpacked("workflows", tmp_path_factory.mktemp("corpus")))


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))


def test_documents_and_bundles_are_judged_as_recorded(recorded: Recorded) -> None:
    names = [name for name in recorded.scenarios if name.startswith(QUICK)][::3]
    allowed = improvements("workflow-runs")
    wrong = {name: found for name in names if ((found := recorded.difference(name)) is None) == (name in allowed)}
    assert wrong == {}
    assert len(names) > 12


@pytest.mark.parametrize("name", RUNS)
def test_runs_go_as_recorded(recorded: Recorded, name: str) -> None:
    assert recorded.difference(name) is None


def test_improvements_name_scenarios(recorded: Recorded) -> None:
    assert set(improvements("workflow-runs")) <= set(recorded.scenarios)
