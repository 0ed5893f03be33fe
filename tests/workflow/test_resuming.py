"""Runs go on from any folder, and with the definition that they were begun with if it has changed since."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.commands import run

DOCUMENT = {
    "schema_version": 1,
    "name": "ship",
    "version": "1",
    "steps": {
        "sign": {"kind": "approval_gate", "required_role": "lead"},
        "pack": {"kind": "source", "source": "pack.ax", "depends_on": ["sign"]},
    },
    "edges": [],
}


def test_a_run_goes_on_elsewhere_and_after_edits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))
    folder, other = tmp_path / "flow", tmp_path / "other"
    for place, text in ((folder, "1"), (other / "flow", "2")):
        place.mkdir(parents=True)
        (place / "pack.ax").write_text(f"fn main() -> Int {{\n    {text}\n}}\n")
        (place / "workflow.json").write_text(json.dumps({**DOCUMENT, "version": text}))
    data = ["--data-dir", str(tmp_path / "data")]
    run_id = re.findall(r"run_id: (\w+)", run("workflow", "run", "flow", *data, cwd=tmp_path).stdout)[0]
    # Below another folder there is another workflow of this name.
    assert run("workflow", "approve", run_id, "sign", *data, cwd=other).returncode == 0
    (folder / "workflow.json").write_text(json.dumps({**DOCUMENT, "version": "3"}))
    refused = run("workflow", "resume", run_id, *data, cwd=other)
    assert (refused.returncode, "workflow hash mismatch" in refused.stderr) == (1, True)
    resumed = run("workflow", "resume", run_id, "--recorded-definition", *data, cwd=other)
    assert "resume: Completed" in resumed.stdout
    assert json.loads(run("workflow", "show", run_id, "--json", *data).stdout)["steps"][0]["output_json_preview"] == '{"Int":1}'
