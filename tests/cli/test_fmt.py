"""`boruna-ls fmt` as a process; the exact texts for one file are the corpus's (tests/conformance/test_format.py)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.support.commands import command, run

LOOSE = "fn main() -> Int { 0 } // why\n"
TIDY = "fn main() -> Int {\n    0\n} // why\n"
BROKEN = "fn main( {\n"


def written(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_ax", ".ax")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder


def test_folders_are_walked_but_not_those_of_tools(tmp_path: Path) -> None:
    files = {"a_ax": LOOSE, "sub__b_ax": TIDY, "_git__c_ax": LOOSE, "node_modules__d_ax": LOOSE, "e.txt": LOOSE}
    written(tmp_path, **files)
    (tmp_path / "_git").rename(tmp_path / ".git")
    done = run("fmt", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout == "formatted a.ax\n"
    assert done.stderr == "1 file formatted, 1 file already formatted\n"
    assert (tmp_path / "a.ax").read_text() == TIDY
    for untouched in (".git/c.ax", "node_modules/d.ax", "e.txt"):
        assert (tmp_path / untouched).read_text() == LOOSE


def test_several_files_go_on_behind_a_bad_one(tmp_path: Path) -> None:
    written(tmp_path, a_ax=BROKEN, b_ax=LOOSE)
    done = run("fmt", "missing.ax", "a.ax", "b.ax", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == "formatted b.ax\n"
    assert done.stderr == (
        "error: missing.ax: No such file or directory (os error 2)\n"
        "boruna fmt: parse failed in a.ax at line 1: expected identifier, found LBrace\n"
        "1 file formatted, 2 files skipped\n"
    )
    assert (tmp_path / "a.ax").read_text() == BROKEN
    assert (tmp_path / "b.ax").read_text() == TIDY


def test_standard_input(tmp_path: Path) -> None:
    done = run("fmt", "-", stdin=LOOSE, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, TIDY, "")
    done = run("fmt", "--check", "-", stdin=LOOSE, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("boruna fmt: <stdin> is not formatted.\n  first diff at line")
    assert run("fmt", "--check", "-", stdin=TIDY, cwd=tmp_path).returncode == 0
    assert run("fmt", "-", stdin=BROKEN, cwd=tmp_path).returncode == 2


def test_diff_writes_nothing_and_can_be_applied(tmp_path: Path) -> None:
    text = "fn a() {}\nfn b() {}"
    written(tmp_path, a_ax=text)
    done = run("fmt", "--diff", "a.ax", cwd=tmp_path)
    assert done.returncode == 1
    assert (tmp_path / "a.ax").read_text() == text
    subprocess.run(["git", "apply", "-p1"], cwd=tmp_path, input=done.stdout, text=True, check=True)
    assert (tmp_path / "a.ax").read_text() == "fn a() {\n}\n\nfn b() {\n}\n"
    done = run("fmt", "--diff", "a.ax", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")


def test_windows_line_ends_and_permissions_stay(tmp_path: Path) -> None:
    path = written(tmp_path, a_ax="fn main() -> Int {\r\n0\r\n}\r\n") / "a.ax"
    path.chmod(0o751)
    link = tmp_path / "link.ax"
    link.symlink_to("a.ax")
    assert run("fmt", "link.ax", cwd=tmp_path).returncode == 0
    assert link.is_symlink()
    assert path.read_bytes() == b"fn main() -> Int {\r\n    0\r\n}\r\n"
    assert path.stat().st_mode & 0o777 == 0o751
    assert sorted(os.listdir(tmp_path)) == ["a.ax", "link.ax"]


def test_what_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.ax").write_bytes(b"fn \xff")
    done = run("fmt", "a.ax", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: a.ax: not valid UTF-8: byte 0xFF at offset 3\n"
    answer = subprocess.run([command("boruna-ls"), "fmt", "-"], input=b"\xff", capture_output=True)
    assert answer.returncode == 1
    assert answer.stderr == b"error: <stdin>: not valid UTF-8: byte 0xFF at offset 0\n"


def test_a_folder_without_programs(tmp_path: Path) -> None:
    done = run("fmt", "--check", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "no .ax files in .\n")
