"""Files written whole: old content or new content, the mode that was asked for, nothing left behind."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from boruna_ls.rendezvous import atomic
from boruna_ls.workspace import applying


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755])
def test_content_and_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file"
    for content in (b"one", b"two"):
        atomic.write(path, content, mode, is_durable=content == b"two")
        assert path.read_bytes() == content
        assert os.name == "nt" or stat.S_IMODE(path.stat().st_mode) == mode
    assert os.listdir(tmp_path) == ["file"]


def test_a_failure_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        atomic.write(tmp_path / "folder", b"content")
    with pytest.raises(FileNotFoundError):
        atomic.write(tmp_path / "missing" / "file", b"content")
    assert os.listdir(tmp_path) == ["folder"]


def test_a_new_file_appears_whole_and_replaces_none(tmp_path: Path) -> None:
    path = tmp_path / "file"
    atomic.write(path, b"first", None, is_new=True)
    with pytest.raises(FileExistsError):
        atomic.write(path, b"second", None, is_new=True)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        atomic.write(tmp_path / "link", b"third", None, is_new=True)
    assert path.read_bytes() == b"first"
    assert sorted(os.listdir(tmp_path)) == ["file", "link"]


@pytest.mark.parametrize("before", [None, "old"])
def test_a_change_that_the_disk_refuses_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str | None
) -> None:
    path = tmp_path / "a.ax"
    if before is not None:
        path.write_text(before)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        applying._write(applying.FileChange(str(path), before, "new"))
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == ([] if before is None else [("a.ax", before)])
