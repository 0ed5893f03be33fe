"""`boruna-ls literate extract`: what the recorded command lines do not show."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.commands import run


def test_nothing_is_written_if_a_later_fence_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "doc.md").write_text("```ax a.ax +=\nfn a() {}\n```\n\n```ax b.ax\n```\n")
    done = run("literate", "extract", "doc.md", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: [literate.invalid_fence] invalid fence header on line 5: ")
    assert not (tmp_path / "gen").exists()


def test_two_spellings_of_a_name_are_one_file(tmp_path: Path) -> None:
    (tmp_path / "doc.md").write_text("```ax ./f.ax +=\none\n```\n```ax f.ax +=\ntwo\n```\n```ax a//f.ax +=\n```\n")
    done = run("literate", "extract", "doc.md", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["files_written"] == ["./f.ax", "a//f.ax"]
    assert (tmp_path / "gen/f.ax").read_text() == "one\ntwo\n"
    assert (tmp_path / "gen/a/f.ax").read_text() == "\n"


def test_the_line_is_the_first_of_the_body_wherever_it_stands(tmp_path: Path) -> None:
    (tmp_path / "doc.md").write_text("> ```ax a.ax\n> one\n> two\n> ```\n")
    assert "on line 2: " in run("literate", "extract", "doc.md", cwd=tmp_path).stderr
    (tmp_path / "doc.md").write_bytes(b"```ax a.ax =\r\none\r\ntwo\r\n```\r\n")
    assert "on line 2: " in run("literate", "extract", "doc.md", cwd=tmp_path).stderr


def test_what_cannot_be_read_or_written(tmp_path: Path) -> None:
    (tmp_path / "bytes.md").write_bytes(b"\xff")
    done = run("literate", "extract", "bytes.md", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "error: cannot read bytes.md: stream did not contain valid UTF-8\n")
    (tmp_path / "doc.md").write_text("```ax a.ax +=\n```\n```ax a.ax/b.ax +=\n```\n")
    done = run("literate", "extract", "doc.md", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: [literate.io] io error (")
    assert run("literate", cwd=tmp_path).returncode == 2
