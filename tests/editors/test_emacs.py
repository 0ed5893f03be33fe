"""A real Emacs with `editors/emacs` and eglot: diagnostics come, a rename is applied, an agent sees it before it is saved."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.support.daemon import until
from tests.support.live import Agent

EDITORS = Path(__file__).resolve().parents[2] / "editors"
EMACS = shutil.which("emacs")
PROGRAM = "fn main() -> Int {\n    let total = 1\n    totl + total\n}\n"


def has_eglot() -> bool:
    """Whether an Emacs is here whose packages include eglot."""
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
