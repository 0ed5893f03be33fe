"""The demo is a test, too: it compares what an editor and an agent are told by one process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).resolve().parent.parent / "demo"


def test_every_comparison_of_the_demo_holds() -> None:
    programs = {file: file.read_bytes() for file in (DEMO / "workspace").rglob("*") if file.is_file()}
    done = subprocess.run(
        [sys.executable, str(DEMO / "run.py")], capture_output=True, encoding="utf-8", timeout=120, cwd=DEMO.parent
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "✔ editor and agent are told the same" in done.stdout
    assert "✘" not in done.stdout
    assert programs == {file: file.read_bytes() for file in programs}
