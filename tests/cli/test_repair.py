"""`boruna-ls repair` as a process: what it writes, what it only shows, what its exit status tells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import run

TYPO = "fn main() -> Int {\n    let total = 1\n    totl\n}\n"
MENDED = TYPO.replace("totl", "total")
HOPELESS = "fn main() -> Int {\n    zzzzzzzzz()\n}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "typo.ax").write_text(TYPO)
    return tmp_path


def test_in_place(folder: Path) -> None:
    done = run("repair", "typo.ax", cwd=folder)
    assert done.returncode == 0
    assert done.stdout.startswith("typo.ax: applied 1 patch\n  [E003] E003-rename-totl: rename 'totl' to 'total'\n")
    assert (folder / "typo.ax").read_text() == MENDED
    done = run("repair", "typo.ax", cwd=folder)
    assert done.stdout.startswith("typo.ax: no patches applied\n")
    assert done.returncode == 0


def test_diff_writes_nothing(folder: Path) -> None:
    done = run("repair", "--diff", cwd=folder)
    assert done.returncode == 0
    assert done.stdout.startswith("--- a/typo.ax\n+++ b/typo.ax\n")
    assert "-    totl\n+    total\n" in done.stdout
    assert (folder / "typo.ax").read_text() == TYPO


def test_json(folder: Path) -> None:
    answer = json.loads(run("repair", "--json", "--diff", "typo.ax", cwd=folder).stdout)
    assert answer["repaired_source"] == MENDED
    assert answer["applied"][0]["patch_id"] == "E003-rename-totl"
    assert (folder / "typo.ax").read_text() == TYPO
    answer = json.loads(run("repair", "--json", cwd=folder).stdout)
    assert [one["file"] for one in answer["files"]] == ["typo.ax"]
    assert answer["summary"] == {"files": 1, "patches_applied": 1, "files_with_errors": 0}
    assert (folder / "typo.ax").read_text() == MENDED


def test_one_patch_by_its_id(folder: Path) -> None:
    done = run("repair", "--apply", "E003-rename-totl", "typo.ax", cwd=folder)
    assert done.returncode == 0
    assert (folder / "typo.ax").read_text() == MENDED
    (folder / "typo.ax").write_text(TYPO)
    done = run("repair", "--apply", "E003-rename-other", "typo.ax", cwd=folder)
    assert done.returncode == 1
    assert "skipped all: no applicable patches found" in done.stdout
    assert (folder / "typo.ax").read_text() == TYPO


def test_standard_input(folder: Path) -> None:
    done = run("repair", "-", stdin=TYPO, cwd=folder)
    assert (done.returncode, done.stdout) == (0, MENDED), done.stderr


def test_the_status_tells_what_is_left(folder: Path) -> None:
    (folder / "hopeless.ax").write_text(HOPELESS)
    done = run("repair", cwd=folder)
    assert done.returncode == 1
    assert (folder / "typo.ax").read_text() == MENDED
    assert (folder / "hopeless.ax").read_text() == HOPELESS


def test_what_cannot_be_read_is_not_written(folder: Path) -> None:
    (folder / "bytes.ax").write_bytes(b"fn main() { totl }\xff")
    done = run("repair", "bytes.ax", "missing.ax", cwd=folder)
    assert done.returncode == 1
    assert done.stderr == (
        "error: bytes.ax: file is not valid UTF-8: byte 0xFF at offset 18\nerror: missing.ax: no such file or directory\n"
    )
    assert (folder / "bytes.ax").read_bytes() == b"fn main() { totl }\xff"


def test_line_ends_stay(folder: Path) -> None:
    (folder / "typo.ax").write_bytes(TYPO.replace("\n", "\r\n").encode())
    assert run("repair", "typo.ax", cwd=folder).returncode == 0
    assert (folder / "typo.ax").read_bytes() == MENDED.replace("\n", "\r\n").encode()
