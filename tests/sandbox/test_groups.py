"""Control groups (v2) around sandboxes, where some are delegated to us; elsewhere `python -m tests.sandbox.machine` has some."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from boruna_ls.isolation import cgroup
from boruna_ls.sandbox.box import Box
from tests.sandbox.abuse import CASES, usable
from tests.sandbox.places import box_of, needs_bubblewrap, ran, sandboxes

pytestmark = [
    needs_bubblewrap,
    pytest.mark.skipif(not cgroup.delegated() and not cgroup.in_scope(), reason="no control groups (v2) are delegated to us"),
]
BURST = "import os\nfor _ in range(8): os.fork()\nx = bytearray(b'x') * (40 << 20)\nimport time; time.sleep(60)\n"
"""More memory at once than is there for memory and files together."""
ALONE = (
    "import ctypes, mmap\nm = mmap.mmap(-1, 2000 << 20)\n"
    "ctypes.memset(ctypes.addressof(ctypes.c_char.from_buffer(m)), 1, 2000 << 20)\n"
)


@pytest.fixture
def box() -> Iterator[Box]:
    with sandboxes(memory_mib=64, disk_mib=16) as manager:
        yield box_of(manager)


def group_of(box: Box) -> str:
    found = cgroup.group_of(box.place.inner)  # type: ignore[attr-defined]
    assert found is not None
    return found


def number(group: str, name: str) -> int:
    with open(os.path.join(group, name), encoding="ascii") as file:
        return int(file.read())


def test_a_sandbox_has_a_group_that_bounds_it_and_goes_with_it(box: Box) -> None:
    assert box.facts["memory"] == "cgroup"
    group = group_of(box)
    assert (number(group, "memory.max"), number(group, "pids.max")) == ((64 + 16) << 20, box.spec.processes + 8)
    ran(box, "sleep 50 & sleep 0.1")
    assert number(group, "pids.current") >= 2
    box.destroy()
    assert not os.path.exists(group)


@pytest.mark.parametrize(
    "text", [BURST, ALONE, CASES["memory by many in sessions of their own"].text], ids=["burst", "alone", "many"]
)
def test_memory_ends_as_an_answer_and_never_exceeds_the_group(box: Box, text: str) -> None:
    made = ran(box, text, "python", seconds=20)
    assert made.ended_by in ("memory", "processes"), made
    assert number(group_of(box), "memory.peak") <= (64 + 16) << 20
    assert usable(box)


def test_processes_are_bounded_by_the_group(box: Box) -> None:
    made = ran(box, CASES["fork bomb"].text, "bash", seconds=5)
    assert CASES["fork bomb"].ends(made), made
    assert usable(box)
