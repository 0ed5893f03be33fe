"""Completions and the manual page, made from the commands: what the shells themselves offer, what `mandoc` says of the page."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from boruna_ls.cli.main import COMMANDS
from boruna_ls.cli.shells import SHELLS, completion, manual

PATH = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])


def output_of(folder: Path, *line: str) -> list[str]:
    environment = {"PATH": PATH, "HOME": str(folder), "BORUNA_LS_DIR": str(folder / "d")}
    done = subprocess.run(line, cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash(tmp_path: Path) -> None:
    (tmp_path / "boruna").write_text(completion("bash"))
    # A file of the current folder, named at the prompt, is not executed to complete it.
    planted = tmp_path / "boruna-ls"
    planted.write_text("#!/bin/sh\ntouch executed\n")
    planted.chmod(0o755)
    script = """source ./boruna; COMP_WORDS=(./boruna-ls app v); COMP_CWORD=2
    _boruna_ls_completion ./boruna-ls; printf '%s\n' "${COMPREPLY[@]}" """
    assert output_of(tmp_path, "bash", "-c", script)[0] == "validate"
    assert not (tmp_path / "executed").exists()


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish")
def test_fish(tmp_path: Path) -> None:
    folder = tmp_path / ".config" / "fish" / "completions"
    folder.mkdir(parents=True)
    (folder / "boruna-ls.fish").write_text(completion("fish"))
    offered = output_of(tmp_path, "fish", "-c", 'complete -C "boruna-ls check --js"')
    assert offered[0].split("\t")[0] == "--json"


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh")
def test_zsh(tmp_path: Path) -> None:
    (tmp_path / "_boruna-ls").write_text(completion("zsh"))
    script = f"fpath=({tmp_path} $fpath); autoload -U compinit; compinit -u -D; print $_comps[boruna-ls]"
    assert output_of(tmp_path, "zsh", "-f", "-c", script)[0] == "_boruna-ls"


@pytest.mark.parametrize("asked", ["bash_source", "nonsense", "", "tcsh_complete"])
def test_a_variable_of_somebody_else(tmp_path: Path, asked: str) -> None:
    environment = {"PATH": PATH, "HOME": str(tmp_path), "_BORUNA_LS_COMPLETE": asked}
    done = subprocess.run(["boruna-ls", "codes"], env=environment, capture_output=True, encoding="utf-8", timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


def test_the_manual_page(tmp_path: Path) -> None:
    page = manual()
    assert all(f".SS boruna\\-ls {name}" in page for name in COMMANDS if "-" not in name)
    assert "\\fB\\-\\-json\\fR" in page
    # A line of help that begins with a dot would be a request of roff.
    requests = {line.split()[0] for line in page.split("\n") if line.startswith(".")}
    assert requests == {".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".BR"}
    assert set(SHELLS) == {"bash", "zsh", "fish"}
    if shutil.which("mandoc") is not None:
        (tmp_path / "page.1").write_text(page)
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "error", str(tmp_path / "page.1")], capture_output=True, timeout=60)
        assert done.returncode == 0, done.stdout
