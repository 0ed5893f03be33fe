"""Programs that arguments select, and the writing of files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from boruna_ls.cli import programs
from boruna_ls.cli.programs import Program, select, write_file
from boruna_ls.workspace import FileUnavailable
from boruna_ls.workspace import programs as walked


def test_each_program_once_in_the_order_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b.ax", "sub/a.ax", "sub/.hidden/c.ax"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    selection = select(["sub", "b.ax", "./b.ax", "-", "sub/a.ax", "-"])
    assert selection.programs == (
        Program("sub/a.ax", str(tmp_path / "sub/a.ax")),
        Program("b.ax", str(tmp_path / "b.ax")),
        Program("<stdin>", None),
    )
    assert not selection.single
    assert [program.name for program in select([]).programs] == ["b.ax", "sub/a.ax"]
    # Also one that is named through a link.
    (tmp_path / "link").symlink_to(tmp_path)
    assert [program.name for program in select(["link/b.ax", "b.ax", "link/sub", "sub/a.ax"]).programs] == [
        "link/b.ax",
        "link/sub/a.ax",
    ]
    (tmp_path / "link").unlink()
    assert select(["b.ax"]).single
    assert select(["-"]).single
    assert not select(["."]).single


def test_a_folder_with_too_many_programs_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.ax").write_text("")
    for module in (programs, walked):
        monkeypatch.setattr(module, "FILES_LIMIT", 1)
    select([str(tmp_path)]).tell_gaps()
    assert capsys.readouterr().err == ""
    (tmp_path / "b.ax").write_text("")
    select([str(tmp_path)]).tell_gaps()
    assert "has more than 1 .ax files" in capsys.readouterr().err


def test_a_file_that_changed_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "a.ax"
    path.write_text("new")
    with pytest.raises(FileUnavailable, match="changed during the check"):
        write_file(str(path), "formatted", b"old")
    assert path.read_text() == "new"
    write_file(str(path), "formatted", b"new")
    assert path.read_text() == "formatted"
    assert os.listdir(tmp_path) == ["a.ax"]


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileUnavailable, match="cannot be written: no such file or directory"):
        write_file(str(tmp_path / "gone.ax"), "formatted", b"")
