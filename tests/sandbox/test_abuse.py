"""A few ways to use too much, each in its own sandbox, end as an answer; `python -m tests.sandbox.abuse` tries all of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from boruna_ls.sandbox.backend import SandboxError
from tests.sandbox.abuse import CASES, usable
from tests.sandbox.places import box_of, marked, needs_bubblewrap, ran, sandboxes

pytestmark = needs_bubblewrap
QUICK = {
    "fork bomb": 5.0,
    "endless print": 1.0,
    "sleep for ever": 0.3,
    "full disk": 20.0,
    "memory that a crowd shares": 20.0,
    "tables of pages": 5.0,
}
"""Cases, each with its seconds: enough on a busy machine for those that must get somewhere."""

ASK = """
import time, urllib.request
for _ in range(300):
    try:
        print(urllib.request.urlopen("http://127.0.0.1:8000").status)
        break
    except OSError:
        time.sleep(0.1)
"""
ELSEWHERE = """
from boruna_ls.sandbox.box import Command
from boruna_ls.sandbox.manager import Sandboxes
import boruna_ls
manager = Sandboxes()
box = manager.create("owner", manager.spec())
made = box.start(Command("fn main() -> Int { 42 }", "ax", seconds=60)).future.result(90)
print(boruna_ls.__file__, made.stdout.decode().split("\\n")[0], made.stderr.decode()[-400:])
manager.close()
"""


@pytest.mark.parametrize("name", QUICK)
def test_abuse_ends_as_an_answer(name: str) -> None:
    with sandboxes(disk_mib=16) as manager:
        box = box_of(manager)
        made = ran(box, CASES[name].text, CASES[name].language, seconds=QUICK[name])
        assert CASES[name].ends(made), made._replace(stdout=made.stdout[-200:], stderr=made.stderr[-400:])
        assert usable(box)


def test_an_installation_in_a_temporary_folder_serves_sandboxes_too(tmp_path: Path) -> None:
    for name in ("analysis", "boruna_ls"):
        shutil.copytree(name, tmp_path / name)
    line = [sys.executable, "-c", ELSEWHERE]
    made = subprocess.run(
        line, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, timeout=120
    )
    assert made.stdout.startswith(f"{tmp_path}/boruna_ls/__init__.py 42 "), made


def test_there_is_a_most() -> None:
    with sandboxes(max=2) as manager:
        first = box_of(manager)
        box_of(manager)
        with pytest.raises(SandboxError, match="destroy one"):
            box_of(manager)
        manager.destroy(first.owner, first.name)
        assert ran(box_of(manager), "echo served").stdout == b"served\n"


def test_background_processes_live_between_calls_and_die_with_the_sandbox() -> None:
    with sandboxes() as manager:
        box = box_of(manager)
        ran(box, "python3 -m http.server 8000 >/dev/null 2>&1 & sleep 0.1")
        made = ran(box, ASK, "python", seconds=60)
        assert made.stdout == b"200\n", made
        assert box.usage().processes >= 1
        inner = box.place.inner  # type: ignore[attr-defined]
        manager.destroy(box.owner, box.name)
        assert inner not in marked()
