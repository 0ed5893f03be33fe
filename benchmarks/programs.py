"""Generated programs to measure with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_GENERATOR = Path(__file__).resolve().parents[1] / "tests" / "bench" / "generate_ax.py"


def generated(lines: int, functions_with_errors: int = 0, seed: int | None = None) -> str:
    """A program of so many lines; the same arguments always give the same text."""
    command = [sys.executable, str(_GENERATOR), "--lines", str(lines), "--functions-with-errors", str(functions_with_errors)]
    command += ["--seed", str(seed)] if seed is not None else []
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def with_callers(callers: int, lines: int) -> str:
    """A program in which so many functions call `target`, with a generated program of so many lines behind them."""
    parts = [
        "fn target(a: Int, b: Int) -> Int {\n    a + b\n}\n",
        *(
            f"fn caller_{number}(x: Int) -> Int {{\n    let y: Int = x * {number}\n    let z = target(x, y)\n"
            "    if z > 3 {\n        target(z, 1)\n    } else {\n        y\n    }\n}\n"
            for number in range(callers)
        ),
    ]
    return "\n".join(parts) + "\n" + generated(lines)
