"""The terminal sessions of the README, carried out: `make transcripts` writes their output anew.

A session is a fenced block of plain text whose first line begins with `$ `. `$ cat FILE` shows a file, which the other commands
of the session find in their folder.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.support.commands import command

README: Final = Path(__file__).resolve().parents[2] / "README.md"
_SESSION: Final = re.compile(r"(?<=^```text\n)\$ .*?(?=^```$)", re.MULTILINE | re.DOTALL)
PATIENCE: Final = 60.0


def sessions(page: str) -> list[str]:
    """The sessions of a page, as they are written."""
    return _SESSION.findall(page)


def carried_out(session: str) -> str:
    """A session with what its commands print now."""
    with tempfile.TemporaryDirectory() as folder:
        return "".join(_carried_out(session, Path(folder)))


def _carried_out(session: str, folder: Path) -> Iterator[str]:
    for step in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        line, _, output = step.partition("\n")
        name, *words = shlex.split(line)
        if name == "cat":
            (folder / words[0]).write_text(output, "utf-8")
        else:
            done = subprocess.run(
                [command(name), *words],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                timeout=PATIENCE,
            )
            output = done.stdout + done.stderr
        yield f"$ {line}\n{output}"


if __name__ == "__main__":
    text = README.read_text("utf-8")
    README.write_text(_SESSION.sub(lambda match: carried_out(match[0]), text), "utf-8")
