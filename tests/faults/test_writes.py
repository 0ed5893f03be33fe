"""Files that are formatted or repaired are whole at every moment: full disks, write protection, interruptions, other writers."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from pathlib import Path
from random import Random

import pytest

from tests.support.commands import command, run

LOOSE = "fn main() -> Int { 0 } // why\n"
TIDY = "fn main() -> Int {\n    0\n} // why\n"
TYPO = "fn main() -> Int {\n    let total = 1\n    totl\n}\n"
COMMANDS = pytest.mark.parametrize(("arguments", "text"), [(("fmt",), LOOSE), (("repair",), TYPO), (("check", "--fix"), TYPO)])


def _files(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


@COMMANDS
def test_full_disk(tmp_path: Path, arguments: tuple[str, ...], text: str) -> None:
    text += "// filler\n" * 100
    (tmp_path / "a.ax").write_text(text)

    def almost_full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))

    # Coverage could not write its data either; of compiled modules the interpreter would keep the first bytes, for all to come.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    done = subprocess.run(
        [command("boruna-ls"), *arguments, "a.ax"],
        cwd=tmp_path,
        preexec_fn=almost_full,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "file too large" in done.stderr.lower() + done.stdout.lower()
    assert (tmp_path / "a.ax").read_text() == text
    assert _files(tmp_path) == {"a.ax"}


@COMMANDS
def test_write_protection(tmp_path: Path, arguments: tuple[str, ...], text: str) -> None:
    file = tmp_path / "a.ax"
    file.write_text(text)
    file.chmod(0o444)
    done = run(*arguments, "a.ax", cwd=tmp_path)
    assert done.returncode == 1
    assert "permission denied" in done.stderr.lower() + done.stdout.lower()
    assert file.read_text() == text
    assert _files(tmp_path) == {"a.ax"}


def test_mode_and_links_are_kept(tmp_path: Path) -> None:
    (tmp_path / "a.ax").write_text(LOOSE)
    (tmp_path / "a.ax").chmod(0o750)
    (tmp_path / "link.ax").symlink_to("a.ax")
    assert run("fmt", "link.ax", cwd=tmp_path).returncode == 0
    assert (tmp_path / "link.ax").is_symlink()
    assert (tmp_path / "a.ax").read_text() == TIDY
    assert (tmp_path / "a.ax").stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_interrupted(tmp_path: Path, seed: int, number: signal.Signals) -> None:
    chosen = Random(f"{seed}/{number}")
    names = {f"f{index:03}.ax" for index in range(200)}
    for _ in range(2):
        for name in names:
            (tmp_path / name).write_text(LOOSE)
        process = subprocess.Popen([command("boruna-ls"), "fmt"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        first = tmp_path / "f000.ax"
        while process.poll() is None and first.read_text() == LOOSE:
            time.sleep(0.002)
        time.sleep(chosen.uniform(0, 0.05))
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
        assert b"Traceback" not in errors
        texts = {name: (tmp_path / name).read_text() for name in names}
        assert set(texts.values()) <= {LOOSE, TIDY}
        assert TIDY in texts.values()
        left = _files(tmp_path) - names
        if number != signal.SIGKILL:
            assert not left
        # What a kill leaves behind is no program: nobody formats or checks it.
        assert run("fmt", cwd=tmp_path).returncode == 0
        assert {(tmp_path / name).read_text() for name in names} == {TIDY}
        assert _files(tmp_path) == names | left
        for name in left:
            (tmp_path / name).unlink()


@pytest.mark.parametrize("arguments", [("fmt",), ("repair",), ("check", "--fix")], ids=" ".join)
def test_file_that_changes_meanwhile_is_left_alone(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    file = tmp_path / "a.ax"
    functions = "".join(f"fn f{number}() -> Int {{ let total{number} = 1  totl{number} }}\n" for number in range(300))
    process = None
    for wait in (0.2, 0.5, 0.9):
        file.write_text(functions)
        process = subprocess.Popen([command("boruna-ls"), *arguments, "a.ax"], cwd=tmp_path, stdout=subprocess.PIPE)
        time.sleep(wait)
        with file.open("a") as writing:
            writing.write("// MINE\n")
        process.communicate(timeout=60)
        assert "// MINE" in file.read_text(), f"overwritten after {wait} s"
        assert _files(tmp_path) == {"a.ax"}
