"""The pre-commit hooks and the GitHub Action: their command lines, run as the two run them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from analysis.syntax.lexer import KEYWORDS
from tests.support.commands import run

ROOT = Path(__file__).resolve().parents[2]
HOOKS = re.split(r"^- ", (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"), flags=re.MULTILINE)[1:]
ENTRIES = {re.findall(r"^id: (.+)", hook)[0]: re.findall(r"entry: (.+)", hook)[0] for hook in HOOKS}
ACTION = (ROOT / "action.yml").read_text("utf-8")
BASH = shutil.which("bash")
TYPO = "fn main() -> Int {\n    let total = 1\n    totl\n}\n"
needs_bash = pytest.mark.skipif(BASH is None, reason="no bash")


def hook(name: str, *files: str, cwd: Path) -> int:
    """Runs a hook's entry; pre-commit puts the changed files behind it."""
    program, *arguments = ENTRIES[name].split()
    assert program == "boruna-ls"
    return run(*arguments, *files, cwd=cwd).returncode


def test_hooks(tmp_path: Path) -> None:
    (tmp_path / "bad.ax").write_text(TYPO)
    (tmp_path / "good.ax").write_text(TYPO.replace("totl", "total"))
    assert set(ENTRIES) == {"boruna-check", "boruna-fmt"}
    assert hook("boruna-check", "good.ax", cwd=tmp_path) == 0
    assert hook("boruna-check", "good.ax", "bad.ax", cwd=tmp_path) == 1
    (tmp_path / "ugly.ax").write_text("fn main()->Int{1}\n")
    assert hook("boruna-fmt", "ugly.ax", "good.ax", cwd=tmp_path) == 0
    # That a file has changed is what pre-commit reports as a failure.
    assert (tmp_path / "ugly.ax").read_text() == "fn main() -> Int {\n    1\n}\n"
    assert (tmp_path / "good.ax").read_text() == TYPO.replace("totl", "total")
    assert all(r"files: \.ax$" in text and "language: python" in text for text in HOOKS)


def action(cwd: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Runs the last step of the action with the given inputs."""
    assert BASH is not None
    defaults = dict(re.findall(r'^  ([a-z-]+):\n    description: .*\n    default: "(.*)"', ACTION, re.MULTILINE))
    step = ACTION[ACTION.index("- name: Check") :]
    variables = {
        name: (defaults | inputs)[key] for name, key in re.findall(r"(BORUNA_[A-Z]+): \$\{\{ inputs\.([a-z-]+) \}\}", step)
    }
    assert set(variables) == {"BORUNA_PATHS", "BORUNA_FORMAT", "BORUNA_SARIF"}
    script = step[step.index("run: |\n") + len("run: |\n") :]
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    environment = {**os.environ, **variables, "PATH": path}
    # As the runner starts `shell: bash`.
    line = [BASH, "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script]
    return subprocess.run(line, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", timeout=120)


@needs_bash
def test_action(tmp_path: Path) -> None:
    (tmp_path / "with blank").mkdir()
    (tmp_path / "with blank" / "bad.ax").write_text(TYPO)
    (tmp_path / "good.ax").write_text("fn main()->Int{1}\n")
    everything = action(tmp_path)
    assert everything.returncode == 1, everything.stderr
    assert re.search(r"^::error .*file=with blank/bad\.ax,line=3", everything.stdout, re.MULTILINE)
    assert action(tmp_path, paths="good.ax").returncode == 0
    assert action(tmp_path, paths="good.ax", format="true").returncode == 1
    reported = action(tmp_path, paths="good.ax\nwith blank/bad.ax\n", sarif="out.sarif")
    assert reported.returncode == 1
    assert '"E003"' in (tmp_path / "out.sarif").read_text("utf-8")
    harmless = action(tmp_path, paths="good.ax; touch stolen")
    assert harmless.returncode == 1
    assert not (tmp_path / "stolen").exists()


def test_sublime_knows_every_keyword() -> None:
    text = (ROOT / "editors" / "sublime" / "Boruna.sublime-syntax").read_text("utf-8")
    lists = re.findall(r"\\b\(([A-Za-z|]+)\)\\b", text)
    assert {word for words in lists for word in words.split("|")} >= KEYWORDS
