"""A disk that does not answer: a real mount whose server says nothing. It holds up nobody who works elsewhere."""

from __future__ import annotations

import ctypes
import errno
import os
import select
import statistics
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.commands import end
from tests.support.daemon import status
from tests.support.live import Agent, Editor

_DETACH = 2
CAN_MOUNT = sys.platform == "linux" and os.geteuid() == 0 and os.access("/dev/fuse", os.W_OK)


_INIT, _STATFS, _GETATTR, _LOOKUP = 26, 17, 3, 1
"""Requests of the kernel (FUSE)."""


def serve_state(server: int, is_over: threading.Event, knows_names: bool) -> None:
    """A server that tells the state of the disk and of its root, perhaps that it has no file of a new name, and nothing else."""
    poll = select.poll()
    poll.register(server, select.POLLIN)
    with suppress(OSError):
        while not is_over.is_set():
            # Who waited in `read` would keep the connection from being closed.
            if not poll.poll(50):
                continue
            request = os.read(server, 1 << 20)
            _, kind, number, node = struct.unpack("<IIQQ", request[:24])
            if kind == _INIT:
                _reply(server, number, struct.pack("<IIIIHHIIHHI", 7, 26, 65536, 0, 12, 9, 65536, 1, 0, 0, 0) + bytes(28))
            elif kind == _STATFS:
                _reply(server, number, struct.pack("<QQQQQIIII", 1000, 500, 500, 100, 50, 4096, 255, 4096, 0) + bytes(24))
            elif kind == _GETATTR and node == 1:
                attributes = struct.pack("<QQQQQQIIIIIIIIII", 1, 0, 0, 0, 0, 0, 0, 0, 0, 0o40755, 2, 0, 0, 0, 4096, 0)
                _reply(server, number, struct.pack("<QII", 1, 0, 0) + attributes)
            elif kind == _LOOKUP and knows_names and request[40:].startswith(b".boruna-ls-"):
                os.write(server, struct.pack("<IiQ", 16, -errno.ENOENT, number))


def _reply(server: int, number: int, data: bytes) -> None:
    os.write(server, struct.pack("<IiQ", 16 + len(data), 0, number) + data)


@pytest.fixture(params=["nothing", "state", "names"])
def hung(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder on such a disk, whose server answers nothing, tells its state only, or answers who asks whether it is there."""
    folder = tmp_path / "hung"
    folder.mkdir()
    system = ctypes.CDLL(None, use_errno=True)
    server = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={server},rootmode=40000,user_id=0,group_id=0".encode()
    assert system.mount(b"hung", os.fsencode(folder), b"fuse", 0, options) == 0, os.strerror(ctypes.get_errno())
    is_over = threading.Event()
    thread = threading.Thread(target=serve_state, args=(server, is_over, request.param == "names"), daemon=True)
    if request.param != "nothing":
        thread.start()
    yield folder
    is_over.set()
    if request.param != "nothing":
        thread.join()
    system.umount2(os.fsencode(folder), _DETACH)
    # Whoever waits for the disk gets an error now.
    os.close(server)


def key(editor: Editor, path: Path, number: int) -> float:
    """Seconds from an edit to its diagnostics."""
    began = time.monotonic()
    editor.replace(path, f"fn main() -> Int {{ missing_{number} }}\n")
    while editor.receive().get("params", {}).get("uri") != path.as_uri():
        continue
    return time.monotonic() - began


@pytest.mark.skipif(not CAN_MOUNT, reason="no such disk can be mounted: needs root on Linux and /dev/fuse")
def test_a_disk_that_does_not_answer_is_left_alone(tmp_path: Path, place: Path, hung: Path) -> None:
    (tmp_path / "here").mkdir()
    path = tmp_path / "here" / "main.ax"
    editor, other = Editor(tmp_path / "here"), Editor(tmp_path / "here")
    try:
        with Agent(tmp_path / "here") as agent:
            editor.show(path, "fn main() -> Int { 0 }\n")
            other.show(hung / "lost.ax", "fn main() -> Int { missing }\n")
            asked = agent.begin("boruna_check", path=str(hung / "other.ax"))
            waits = [key(editor, path, number) for number in range(50)]
            with suppress(AssertionError):
                agent.answer(asked)
            began = time.monotonic()
            agent.send({"jsonrpc": "2.0", "id": "again", "method": "tools/call"} | _check(hung / "other.ax"))
            refused = agent.receive(20)
            took = time.monotonic() - began
            # What is open there is checked as a file that stands alone.
            while hung / "lost.ax" not in other.shown:
                other.receive(20)
            silent = status(place)["silent_disks"]
            waits += [key(editor, path, number) for number in range(50)]
    finally:
        end(editor.process)
        end(other.process)
    assert "does not answer" in str(refused)
    assert took < 1.0
    assert [one["code"] for one in other.shown[hung / "lost.ax"]] == ["E003"]
    assert silent == [str(hung)]
    assert statistics.median(waits) < 0.1
    assert max(waits) < 0.5


def _check(path: Path) -> dict[str, object]:
    return {"params": {"name": "boruna_check", "arguments": {"path": str(path)}}}
