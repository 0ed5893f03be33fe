"""The types of the project: mypy, strict, here and as Windows and macOS see `boruna_ls`."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_types_hold_on_every_platform() -> None:
    answer = subprocess.run(["make", "--no-print-directory", "types"], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert answer.stdout.count("Success: ") == 3


def test_analysis_is_the_same_on_every_platform() -> None:
    """Why its types are checked once. The import contracts keep out the modules that differ, `os` and `socket` among them."""
    asks = re.compile(
        r"\bplatform\b.*(?:==|startswith)|\bgetwindowsversion\b|^\s*(?:import|from) (?:os|posix|nt|winreg|platform)\b", re.M
    )
    assert [path.name for path in (ROOT / "analysis").rglob("*.py") if asks.search(path.read_text("utf-8"))] == []
