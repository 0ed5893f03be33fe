"""The types of the project: mypy, strict, here and as Windows and macOS see the packages."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_types_hold_on_every_platform() -> None:
    # At lower priority: other tests wait for answers meanwhile.
    answer = subprocess.run(
        ["nice", "-n", "5", "make", "--no-print-directory", "types"], cwd=ROOT, capture_output=True, encoding="utf-8"
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert answer.stdout.count("Success: ") == 3
