"""The files that a worker process is started from: whether they exist, and their bytecode."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import subprocess
import sys
from typing import Final

GONE: Final = "the installation of boruna-ls was removed"
_COMPILING: Final = 60.0


def missing_files() -> str:
    """Message naming the first missing file that every process needs; "" if all exist."""
    needed = (sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py"))
    return next((f"{GONE} ({path} is missing)" for path in needed if not os.path.exists(path)), "")


def compile_once(is_needed: bool) -> None:
    """Has the bytecode of what workers import written, if nobody did. Needed behind isolation: there workers cannot write it
    themselves, and each start would take a second."""
    module = importlib.util.find_spec("boruna_ls.runtime.execute")
    if not is_needed or sys.dont_write_bytecode or module is None or os.path.exists(module.cached or ""):
        return
    line = [sys.executable, "-I", "-c", "import boruna_ls.runtime.execute, boruna_ls.runtime.worker"]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(line, capture_output=True, stdin=subprocess.DEVNULL, timeout=_COMPILING, check=False)
