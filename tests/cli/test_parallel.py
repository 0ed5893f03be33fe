"""Many files are checked in several processes: the same answers in the same order, and nothing lost where a process dies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import command

FILES = 12
BODY = "".join(f"fn f{n}(a: Int) -> Int {{\n    let b = a + {n}\n    b\n}}\n\n" for n in range(300))
NEEDS_TWO = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="nothing is checked beside something else"
)
DYING = """
import os, signal, sys
from boruna_ls.cli import parallel
from boruna_ls.cli.programs import Program, Session
parallel._begin = lambda: signal.raise_signal(signal.SIGKILL)
programs = [Program(name, os.path.abspath(name)) for name in sys.argv[1:]]
assert parallel._processes(programs) > 1
assert parallel._processes(programs[:1]) == parallel._processes([*programs, Program("<stdin>", None)]) == 1
assert parallel._processes([Program("p03.ax", os.path.abspath("p03.ax"))] * 2) == 1, "little is checked in one process"
checked = parallel.check_programs(Session(), programs)
print(*[one.program.name for one in checked])
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "boruna.toml").write_text("[check]\nselekt = []\n", encoding="utf-8")
    for number in range(FILES):
        (tmp_path / f"p{number:02}.ax").write_text(f"{BODY}fn own{number}() -> Int {{ missing{number} }}\n", encoding="utf-8")
    (tmp_path / "p03.ax").write_bytes(b"\xff")
    return tmp_path


def checked(folder: Path, processors: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command's output where it has so many processors."""
    line = [command("boruna-ls"), "check", "--disk", *arguments]
    chosen = sorted(os.sched_getaffinity(0))[:processors]
    pinned = [sys.executable, "-c", f"import os, sys; os.sched_setaffinity(0, {chosen}); os.execv(sys.argv[1], sys.argv[1:])"]
    return subprocess.run([*pinned, *line], cwd=folder, capture_output=True, encoding="utf-8", timeout=60)


def without_revision(answer: dict[str, Any]) -> dict[str, Any]:
    return {**answer, "freshness": {**answer.get("freshness", {}), "revision": ""}}


@NEEDS_TWO
def test_several_processes_say_what_one_says(folder: Path) -> None:
    alone, together = checked(folder, 1), checked(folder, 2)
    assert (together.returncode, together.stdout, together.stderr) == (1, alone.stdout, alone.stderr)
    assert [f"missing{number}" in together.stdout for number in range(FILES)] == [number != 3 for number in range(FILES)]
    assert together.stderr.count("warning: ") == 1
    one, two = (json.loads(checked(folder, number, "--json").stdout) for number in (1, 2))
    assert two["summary"] == one["summary"]
    assert list(map(without_revision, two["files"])) == list(map(without_revision, one["files"]))


@NEEDS_TWO
def test_a_process_that_dies_costs_time_only(folder: Path) -> None:
    names = sorted(path.name for path in folder.glob("*.ax"))
    done = subprocess.run([sys.executable, "-c", DYING, *names], cwd=folder, capture_output=True, encoding="utf-8", timeout=60)
    assert (done.stdout.split(), done.stderr) == (names, "")
