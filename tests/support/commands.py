"""The installed commands, run as a person, an editor or an agent runs them."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path


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
