"""The patches that an answer lists for its first errors and warnings leave less wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.documents.file_diagnostics import file_diagnostics
from analysis.fixes.trial import measured
from boruna_ls.answers.accompany import accompanying
from boruna_ls.answers.check import MOST_TRIED, check_answer
from boruna_ls.answers.diagnostics_text import DiagnosticsText
from boruna_ls.answers.envelope import as_text
from boruna_ls.workspace import Host

DRAFTS = Path(__file__).parents[1] / "bench" / "drafts"
SETS = ("python_ts_go", "rust_swift_kotlin", "elm_ocaml")


def patched(text: str, patch: dict[str, Any]) -> str:
    """The text after a patch, whose edits do not overlap."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    spans = []
    for edit in patch["edits"]:
        at = starts[edit["line"] - 1] + edit["column"]
        assert text.startswith(edit["old_text"], at)
        spans.append((at, at + len(edit["old_text"]), edit["new_text"]))
    for start, end, new in sorted(spans, reverse=True):
        text = text[:start] + new + text[end:]
    return text


@pytest.mark.parametrize("drafts", SETS)
def test_patches_of_drafts_leave_less_wrong(drafts: str) -> None:
    tried, host, other = 0, Host(), Host()
    for path in sorted((DRAFTS / drafts).glob("*.ax")):
        text = path.read_text("utf-8")
        file = host.inline(text)
        before = measured(file_diagnostics(host.db, file))
        rows = [row for row in check_answer(host.db, file, "a.ax")["diagnostics"] if row["severity"] in ("error", "warning")]
        for row in rows[:MOST_TRIED]:
            for patch in row.get("patches", ()):
                after = measured(file_diagnostics(other.db, other.inline(patched(text, patch))))
                total = sum(before[:2]), sum(after[:2])
                assert total[1] < total[0] if row["id"] == "E002" else after < before, (path.name, row["message"], patch)
                tried += 1
    assert tried > 40


def test_answers_about_other_things_list_the_same_objects() -> None:
    text, host = (DRAFTS / SETS[0] / "d01.ax").read_text("utf-8"), Host()
    file = host.inline(text)
    checked = check_answer(host.db, file, "a.ax")["diagnostics"]
    beside = accompanying(host.db, {file: "a.ax"})["diagnostics"]
    assert beside
    assert [one for one in beside if one not in checked] == []
    assert json.loads(as_text(DiagnosticsText().answer(host.db, file, "a.ax", None)))["diagnostics"] == checked
