"""Control groups (v2) as the kernel of this machine has them: found, made, entered, removed.

Which controllers there are depends on the machine: what bounds memory is tested where some are delegated (`test_workers.py`).
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from boruna_ls.isolation import cgroup

ROOT = cgroup.hierarchy()
MAY_MAKE = ROOT is not None and os.access(ROOT, os.W_OK)
needs_groups = pytest.mark.skipif(not MAY_MAKE, reason="no control groups (v2) can be made by this user")


@pytest.fixture
def scope() -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    """A group with a process in it, as a scope of systemd is."""
    assert ROOT is not None
    group = Path(ROOT, f"test-{os.getpid()}.scope")
    group.mkdir()
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    assert cgroup.enter(str(group), process.pid)
    yield group, process
    process.kill()
    process.wait()
    # The last child of a process that was killed may need a moment to end.
    ended = time.monotonic() + 10
    while group.exists() and time.monotonic() < ended:
        for folder in (*(one for one in group.iterdir() if one.is_dir()), group):
            cgroup.remove(str(folder))
        time.sleep(0.01)
    assert not group.exists()


@needs_groups
def test_a_scope_is_divided_so_that_sandboxes_have_groups_of_their_own(scope: tuple[Path, subprocess.Popen[bytes]]) -> None:
    group, process = scope
    above = cgroup.scope_of(process.pid, ())
    assert above == str(group)
    assert cgroup.group_of(process.pid) == f"{group}/first"
    made = cgroup.new_group(None, None, above)
    assert made is not None
    assert cgroup.enter(made, process.pid)
    assert Path(made, "cgroup.procs").read_text().split() == [str(process.pid)]
    # With somebody in it, it stays.
    cgroup.remove(made)
    assert Path(made).exists()
    assert cgroup.enter(f"{group}/first", process.pid)
    cgroup.remove(made)
    assert not Path(made).exists()


FORKS = "import os\nwhile True:\n    pid = os.fork()\n    if not pid: os._exit(0)\n    os.waitpid(pid, 0)\n"


@needs_groups
def test_a_scope_is_divided_while_processes_in_it_begin_and_end(scope: tuple[Path, subprocess.Popen[bytes]]) -> None:
    group, process = scope
    forks = subprocess.Popen([sys.executable, "-c", FORKS])
    try:
        for _ in range(200):
            assert cgroup.enter(str(group), forks.pid)
            assert cgroup.scope_of(process.pid, ()) == str(group)
    finally:
        forks.kill()
        forks.wait()


@needs_groups
def test_a_bound_that_the_kernel_does_not_have_leaves_no_group(scope: tuple[Path, subprocess.Popen[bytes]]) -> None:
    group, _ = scope
    # Without the controller of memory the group has no such file.
    assert cgroup.new_group(1 << 30, None, str(group)) is None
    assert [one for one in group.iterdir() if one.is_dir()] == []


@needs_groups
def test_our_own_group_is_never_divided() -> None:
    assert cgroup.scope_of(os.getpid(), ()) is None


@pytest.mark.skipif(not cgroup.in_scope(), reason="no systemd manager that makes scopes")
def test_systemd_makes_a_scope_that_bounds_memory() -> None:
    process = subprocess.Popen([*cgroup.in_scope(), "/bin/sleep", "60"], env=cgroup.scope_environment())
    try:
        above = None
        while above is None and process.poll() is None:
            above = cgroup.scope_of(process.pid)
        made = cgroup.new_group(64 << 20, 20, above)
        assert made is not None
        assert cgroup.enter(made, process.pid)
        assert Path(made, "memory.max").read_text() == f"{64 << 20}\n"
    finally:
        process.kill()
        process.wait()
