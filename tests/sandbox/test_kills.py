"""A few kills of a server with sandboxes; `kills.py` makes many."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from boruna_ls.sandbox import identity
from boruna_ls.sandbox.backend import SandboxError
from tests.sandbox.kills import rounds
from tests.sandbox.places import box_of, needs_bubblewrap, ran, sandboxes

pytestmark = needs_bubblewrap


def test_nothing_is_left_of_a_server_that_was_killed(seed: int) -> None:
    _, faults = rounds(1, seed)
    assert faults == []


def test_what_another_process_left_is_swept() -> None:
    gone = subprocess.Popen([sys.executable, "-c", "pass"])
    gone.wait()
    mark = identity.mark().replace(f":{os.getpid()}:", f":{gone.pid}:")
    left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)", mark])
    with sandboxes() as manager:
        box = box_of(manager)
        while not any(pid == left.pid for pid, _ in identity.marked()):
            time.sleep(0.01)
        assert manager.backend.sweep() == 1
        assert left.wait(10) == -signal.SIGKILL
        # Ours goes on.
        assert ran(box, "echo fine").stdout == b"fine\n"


def test_an_idle_sandbox_is_destroyed_and_its_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boruna_ls.sandbox.manager._LOOK", 0.1)
    with sandboxes(idle_s=1) as manager:
        box = box_of(manager)
        inner = box.place.inner  # type: ignore[attr-defined]
        ran(box, "sleep 1.2")  # one that works is not idle
        assert manager.of(box.owner) == [box]
        deadline = time.monotonic() + 10
        while manager.of(box.owner) and time.monotonic() < deadline:
            time.sleep(0.05)
        with pytest.raises(SandboxError, match="it was idle for 1 s"):
            manager.find(box.owner, box.name)
        while os.path.exists(f"/proc/{inner}") and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not os.path.exists(f"/proc/{inner}")


def test_a_first_process_ends_with_its_socket() -> None:
    with sandboxes() as manager:
        box = box_of(manager)
        inner = box.place.inner  # type: ignore[attr-defined]
        box.place.socket.shutdown(socket.SHUT_RDWR)
        deadline = time.monotonic() + 10
        while os.path.exists(f"/proc/{inner}") and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not os.path.exists(f"/proc/{inner}/fd") or not os.listdir(f"/proc/{inner}/fd")
