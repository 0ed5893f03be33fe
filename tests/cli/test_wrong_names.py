"""What is named wrongly on a command line: the error names it and says what to do, with one exit status."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import run

FINE = "fn main() -> Int {\n    1\n}\n"
WORKFLOW = '{"schema_version": 1, "name": "w", "version": "1", "steps": {}, "edges": []}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "fine.ax").write_text(FINE)
    (tmp_path / "empty").mkdir()
    (tmp_path / "workflow.json").write_text(WORKFLOW)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (("run", "empty"), "error: empty: is a folder; name one file"),
        (("repair", "--apply", "nosuch", "fine.ax"), "no patch 'nosuch' could be applied"),
        (("doc", "lst"), "did you mean std-list?"),
    ],
)
def test_the_error_names_what_was_meant(folder: Path, line: tuple[str, ...], words: str) -> None:
    done = run(*line, cwd=folder)
    assert done.returncode == 1
    assert words in done.stderr


def test_a_log_that_is_none_is_reported_once(folder: Path) -> None:
    done = run("replay", "fine.ax", "fine.ax", cwd=folder)
    assert done.returncode == 1
    assert done.stderr.count("error:") == 1


def test_a_workflow_may_be_named_by_its_document(folder: Path) -> None:
    assert "cannot read" not in run("workflow", "validate", "workflow.json", cwd=folder).stderr
