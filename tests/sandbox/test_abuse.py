"""Each way to use too much ends as an answer in time, and the sandbox goes on working. `abuse.py` holds the cases."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from boruna_ls.sandbox.box import Box
from boruna_ls.sandbox.manager import Sandboxes
from tests.sandbox.abuse import CASES, GRACE, usable
from tests.sandbox.places import box_of, marked, needs_bubblewrap, ran, sandboxes

pytestmark = needs_bubblewrap
SECONDS = 1.0
LONGER = {"inode bomb": 8.0, "memory by many": 8.0, "shared memory": 8.0, "orphans": 8.0, "full disk": 10.0}
QUICK = ("fork bomb", "fork bomb in sessions of their own", "memory in one piece", "memory by many", "shared memory", "full disk",
         "inode bomb", "endless print", "sleep for ever", "ignores signals", "zombies", "orphans")  # fmt: skip

ASK = """
import time, urllib.request
for _ in range(100):
    try:
        print(urllib.request.urlopen("http://127.0.0.1:8000").status)
        break
    except OSError:
        time.sleep(0.1)
"""


@pytest.fixture(scope="module")
def manager() -> Iterator[Sandboxes]:
    with sandboxes(disk_mib=64) as made:
        yield made


@pytest.fixture(scope="module")
def box(manager: Sandboxes) -> Box:
    return box_of(manager, inodes=4000)


@pytest.mark.parametrize("name", QUICK)
def test_abuse_ends_as_an_answer(box: Box, name: str) -> None:
    case, seconds = CASES[name], LONGER.get(name, SECONDS)
    began = time.monotonic()
    made = ran(box, case.text, case.language, seconds=seconds)
    assert case.ends(made), made._replace(stdout=made.stdout[-200:], stderr=made.stderr[-400:])
    assert time.monotonic() - began < seconds + GRACE
    assert usable(box)


def test_eight_at_once_and_no_ninth(manager: Sandboxes, box: Box) -> None:
    others = [box_of(manager) for _ in range(7)]
    with pytest.raises(Exception, match="destroy one"):
        box_of(manager)
    results: list[str] = []
    threads = [
        threading.Thread(target=lambda b=b: results.append(ran(b, "while true; do :; done", seconds=1).ended_by)) for b in others
    ]
    for thread in threads:
        thread.start()
    # One that asks for little is served while the others compute.
    assert ran(box, "echo served", seconds=20).stdout == b"served\n"
    for thread in threads:
        thread.join()
    assert results == ["timeout"] * 7
    for other in others:
        manager.destroy(other.owner, other.name)


def test_background_processes_live_between_calls_and_die_with_the_sandbox(manager: Sandboxes) -> None:
    box = box_of(manager)
    ran(box, "python3 -m http.server 8000 >/dev/null 2>&1 & sleep 0.1")
    made = ran(box, ASK, "python")
    assert made.stdout == b"200\n", made
    assert box.usage().processes >= 1
    inner = box.place.inner  # type: ignore[attr-defined]
    manager.destroy(box.owner, box.name)
    assert inner not in marked()
