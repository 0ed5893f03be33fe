"""The installed commands, run as a person, an editor or an agent runs them."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from pathlib import Path


def _as_anybody() -> list[str] | None:
    if os.name != "posix" or os.geteuid() != 0:
        return [] if os.name == "posix" else None
    line = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]
    try:
        is_possible = subprocess.run([*line, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        is_possible = False
    return line if is_possible else None


AS_ANYBODY = _as_anybody()
"""Prefix that runs a command as a user to whom permissions apply; None where the superuser cannot become one."""


def command(name: str) -> str:
    """The path of an installed command (`boruna-ls`, `boruna-mcp`, `boruna-lsp`) of the tests' own environment."""
    return str(Path(sysconfig.get_path("scripts")) / name)


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process whatever it is at, and closes its pipes."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def run(
    *arguments: str, cwd: Path | None = None, stdin: str | None = None, timeout: float = 60
) -> subprocess.CompletedProcess[str]:
    """Runs `boruna-ls ARGUMENTS` and returns its exit status and output."""
    return subprocess.run(
        [command("boruna-ls"), *arguments], cwd=cwd, input=stdin, capture_output=True, encoding="utf-8", timeout=timeout
    )
