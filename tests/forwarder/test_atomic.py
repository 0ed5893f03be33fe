"""Files written whole: old content or new content, the mode that was asked for, nothing left behind."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from boruna_ls.rendezvous import atomic


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
