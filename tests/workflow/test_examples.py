"""The workflows of docs/examples: valid, run to their end with every gate approved, and run again from their evidence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.commands import run

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
FOLDERS = sorted(path.parent for path in EXAMPLES.glob("*/workflow.json"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_examples_run_and_their_evidence_runs_again(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))
    answer = json.loads(run("workflow", "validate", str(folder), "--json").stdout)
    assert (answer["valid"], answer.get("problems")) == (True, None)
    data = ("--data-dir", str(tmp_path / "data"))
    output = run("workflow", "run", str(folder), *data)
    (name,) = re.findall(r"run_id: (\w+)", output.stdout)
    while waiting := re.findall(r"step '(\w+)': AwaitingApproval", output.stdout):
        for step in waiting:
            assert run("workflow", "approve", name, step, "--as", "ann", *data).returncode == 0
        output = run("workflow", "resume", name, *data)
    assert "resume: Completed" in output.stdout
    assert run("workflow", "watch", name, *data).stdout.endswith("run: completed\n")
    assert run("evidence", "export", name, "--output-dir", str(tmp_path / "out"), *data).returncode == 0
    again = run("evidence", "replay", str(tmp_path / "out" / name))
    assert (again.returncode, "have the recorded outputs" in again.stdout) == (0, True), again.stderr


def test_there_are_examples() -> None:
    assert FOLDERS


def test_a_literate_workflow_is_extracted_run_and_decided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))
    folder, data = tmp_path / "onboarding", ("--data-dir", str(tmp_path / "data"))
    made = run("workflow", "extract", str(EXAMPLES / "onboarding.md"), "--out-dir", str(folder))
    assert (made.returncode, "Extracted 4 block(s)" in made.stdout) == (0, True), made.stderr
    (tmp_path / "key.json").write_text(json.dumps({"billing_key": "k-20661-x"}))
    output = run("workflow", "run", str(folder), "--input", "customer=Ann", "--inputs", str(tmp_path / "key.json"), *data)
    name = re.findall(r"run_id: (\w+)", output.stdout)[0]
    assert run("workflow", "approve", name, "sign_off", "--as", "lee", *data).returncode == 0
    (token,) = re.findall(r"--token (\w+)", run("workflow", "resume", name, *data).stderr)
    sent = run("workflow", "trigger", name, "paid", "--token", token, "--payload", '{"amount": 40}', *data)
    assert sent.returncode == 0, sent.stderr
    assert "resume: Completed" in run("workflow", "resume", name, *data).stdout
    written = json.loads((tmp_path / "data" / "runs" / name / "outputs" / "welcome" / "result.json").read_text())
    assert written["String"].startswith('{"String":"Welcome: ')
    assert "amount" in written["String"]
