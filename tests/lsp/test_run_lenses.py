"""Lenses of a workflow follow what the command line does to its runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.lsp.test_whole_workspace import next_message
from tests.support.commands import run
from tests.support.lsp import ALONE, RawClient

DOCUMENT = {
    "schema_version": 1,
    "name": "ship",
    "version": "1",
    "steps": {"sign": {"kind": "approval_gate", "required_role": "lead"}},
    "edges": [],
}


def titles(editor: RawClient, uri: str) -> list[str]:
    """Titles of the document's lenses, without the ids of runs."""
    lenses = editor.call("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return [re.sub(r" \(?[0-9a-f]{8}\)?$", "", lens["command"]["title"]) for lens in lenses]


def test_an_editor_is_asked_to_look_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))
    folder = tmp_path / "flow"
    folder.mkdir()
    (folder / "workflow.json").write_text(json.dumps(DOCUMENT, indent=2))
    uri = (folder / "workflow.json").as_uri()
    with RawClient(line=ALONE) as editor:
        editor.initialize({"workspace": {"codeLens": {"refreshSupport": True}}})
        editor.open(uri, json.dumps(DOCUMENT, indent=2))
        assert titles(editor, uri) == ["Run"]
        begun = run("workflow", "run", str(folder), "--shared").stdout
        next_message(editor, "workspace/codeLens/refresh")
        assert titles(editor, uri) == ["Run", "Resume", "Approve", "Reject"]
        run_id = re.findall(r"run_id: (\w+)", begun)[0]
        run("workflow", "reject", run_id, "sign", "--shared")
        run("workflow", "resume", run_id, "--shared")
        while titles(editor, uri) != ["Run"]:
            next_message(editor, "workspace/codeLens/refresh")
