"""A real Emacs with `editors/emacs` and eglot: diagnostics come, a rename is applied, an agent sees it before it is saved."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.editors.layout import LAYOUT
from tests.support.daemon import until
from tests.support.live import Agent

EDITORS = Path(__file__).resolve().parents[2] / "editors"
EMACS = shutil.which("emacs")
PROGRAM = "fn main() -> Int {\n    let total = 1\n    totl + total\n}\n"


@pytest.mark.skipif(EMACS is None, reason="no Emacs: apt-get install emacs-nox")
def test_the_mode_without_a_server(tmp_path: Path) -> None:
    assert EMACS is not None
    file = tmp_path / "a.ax"
    file.write_text(LAYOUT)
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "BORUNA_FILE": str(file),
        "BORUNA_MODE": str(EDITORS / "emacs" / "boruna-mode.el"),
    }
    line = [EMACS, "-q", "--batch", "-l", str(Path(__file__).with_name("emacs_mode.el"))]
    done = subprocess.run(line, env=environment, capture_output=True, encoding="utf-8", timeout=60)
    seen = json.loads(done.stdout)
    assert seen["indented"] == LAYOUT
    faces = [name.removeprefix("font-lock-").removesuffix("-face") for name in seen["faces"]]
    assert faces == ["keyword", "type", "function-name", "variable-name", "comment", "string", "builtin", "constant"]
    assert seen["comment"] == "// let mut found = 0"
    assert {"low", "Types"} <= set(seen["index"])
    copy = shutil.copy(EDITORS / "emacs" / "boruna-mode.el", tmp_path)
    compile_it = [EMACS, "-q", "--batch", "-f", "batch-byte-compile", copy]
    compiled = subprocess.run(compile_it, env=environment, capture_output=True, encoding="utf-8", timeout=60)
    assert compiled.returncode == 0, compiled.stderr


def has_eglot() -> bool:
    """True if an installed Emacs has eglot among its packages."""
    if EMACS is None:
        return False
    probe = "(kill-emacs (if (require 'eglot nil t) 0 1))"
    return subprocess.run([EMACS, "-q", "--batch", "--eval", probe], capture_output=True, timeout=60).returncode == 0


@pytest.mark.skipif(not has_eglot(), reason="no Emacs with eglot: apt-get install emacs-nox elpa-eglot")
def test_diagnostics_and_rename(tmp_path: Path, place: Path) -> None:
    assert EMACS is not None
    root = tmp_path / "ws"
    root.mkdir()
    (root / "boruna.toml").touch()
    file = root / "a.ax"
    file.write_text(PROGRAM)
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)]),
        "BORUNA_EL": str(EDITORS / "emacs" / "boruna.el"),
        "BORUNA_FILE": str(file),
        "BORUNA_GO": str(tmp_path / "go"),
        "BORUNA_RESULT": str(tmp_path / "seen.json"),
    }
    mode = tmp_path / ".emacs.d" / "boruna"
    mode.mkdir(parents=True)
    shutil.copy(EDITORS / "emacs" / "boruna-mode.el", mode)
    line = [EMACS, "-q", "--batch", "-l", str(Path(__file__).with_name("emacs.el"))]
    with subprocess.Popen(line, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as emacs:
        try:
            until(lambda: (tmp_path / "go.ready").exists() or emacs.poll() is not None)
            with Agent(root) as agent:
                answer = agent.tool("boruna_check", path="a.ax")
                text = agent.resource("file", file)
            (tmp_path / "go").touch()
            said = emacs.communicate(timeout=60)[0].decode("utf-8", "replace")
        finally:
            emacs.kill()
    seen = json.loads((tmp_path / "seen.json").read_text("utf-8"))
    assert seen["problem"] is None, f"{seen}\n{said}"
    assert seen["mode"] == "boruna-mode"
    ((message, first, last),) = seen["found"]
    assert ("[E003]: undefined variable: totl" in message, first, last) == (True, 3, 3)
    assert seen["text"] == PROGRAM.replace("totl", "amount").replace("total", "amount")
    assert (text, seen["modified"]) == (seen["text"], True)
    assert (answer["diagnostics"], answer["freshness"]["source"], answer["freshness"]["unsaved"]) == ([], "editor", True)
    assert file.read_text() == PROGRAM
