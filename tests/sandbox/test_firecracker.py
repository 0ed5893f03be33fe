"""Firecracker without Firecracker: a stand-in for its API socket and vsock socket, written from its documentation."""

from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.sandbox.backend import Network, SandboxError, Spec
from boruna_ls.sandbox.firecracker import BOOT, Firecracker
from boruna_ls.sandbox.settings import Settings
from tests.sandbox.places import LINUX_ONLY

pytestmark = LINUX_ONLY
FAKE = Path(__file__).with_name("fake_firecracker.py")


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A short one: paths of sockets have a limit."""
    with tempfile.TemporaryDirectory(prefix="fc-") as folder:
        yield Path(folder)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    for name in ("kernel", "rootfs", "kvm"):
        (tmp_path / name).write_bytes(b"")
    program = tmp_path / "firecracker"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {FAKE} "$@"\n')
    program.chmod(0o755)
    kernel, rootfs = str(tmp_path / "kernel"), str(tmp_path / "rootfs")
    return Settings(root=str(tmp_path / "vms"), firecracker=str(program), kernel=kernel, rootfs=rootfs)


def backend(settings: Settings, tmp_path: Path) -> Firecracker:
    return Firecracker(settings, kvm=str(tmp_path / "kvm"))


def changed(settings: Settings, **values: Any) -> Settings:
    return settings.model_copy(update=values)


def test_what_is_missing_is_named(settings: Settings, tmp_path: Path) -> None:
    assert backend(settings, tmp_path).problem() == ""
    for values, words in (
        ({"firecracker": ""}, "BORUNA_SANDBOX_FIRECRACKER"),
        ({"firecracker": "firecracker"}, "absolute path"),
        ({"firecracker": "/nowhere/firecracker"}, "is not a program"),
        ({"kernel": ""}, "BORUNA_SANDBOX_KERNEL"),
        ({"rootfs": ""}, "BORUNA_SANDBOX_ROOTFS"),
        ({"rootfs": "/nowhere.ext4"}, "cannot be read"),
    ):
        assert words in backend(changed(settings, **values), tmp_path).problem(), values
    assert "is missing: it needs KVM" in Firecracker(settings, kvm="/dev/no-kvm").problem()


def test_the_machine_is_set_up_in_order_and_reached(settings: Settings, tmp_path: Path) -> None:
    made = backend(settings, tmp_path)
    place = made.start(Spec(memory_mib=128, vcpu_count=2, disk_mib=64))
    try:
        log = [json.loads(line) for line in (Path(place.folder) / "requests.log").read_text().splitlines()]
        assert [(one["method"], one["path"]) for one in log] == [
            ("PUT", "/machine-config"),
            ("PUT", "/boot-source"),
            ("PUT", "/drives/rootfs"),
            ("PUT", "/vsock"),
            ("PUT", "/actions"),
        ]
        bodies = [one["body"] for one in log]
        assert bodies[0] == {"vcpu_count": 2, "mem_size_mib": 256, "smt": False}
        assert bodies[1] == {"kernel_image_path": settings.kernel, "boot_args": BOOT}
        assert bodies[2] == {"drive_id": "rootfs", "path_on_host": settings.rootfs, "is_root_device": True, "is_read_only": True}
        assert bodies[3] == {"guest_cid": 3, "uds_path": os.path.join(place.folder, "vsock.sock")}
        assert bodies[4] == {"action_type": "InstanceStart"}
        # The agent's own bytes follow the line of the vsock socket at once: none is lost.
        assert place.socket.recv(5) == b"hello"
        assert stat.S_IMODE(os.stat(place.folder).st_mode) == 0o700
        assert place.begin(Spec())["guest"] is True
    finally:
        place.destroy()
    assert place.process.poll() is not None
    assert os.listdir(settings.root) == []


@pytest.mark.parametrize(
    "fault, words",
    [
        ("refuse:/boot-source", "/boot-source: The kernel file cannot be opened"),
        ("refuse:/actions", "/actions: Internal error while starting microVM"),
        ("garbage", "status 500"),
        ("die", "its process ended with status 3"),
        ("silent", "its guest does not answer at vsock port 5252"),
        ("no-socket", "does not open its API socket"),
    ],
)
def test_faults_are_told_and_leave_nothing(
    settings: Settings, tmp_path: Path, fault: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boruna_ls.sandbox.firecracker._PATIENCE", 1.0 if fault in ("silent", "no-socket") else 10.0)
    (tmp_path / "rootfs").write_text(fault)
    with pytest.raises(SandboxError, match=words):
        backend(settings, tmp_path).start(Spec())
    assert os.listdir(settings.root) == []
    assert not [name for name in os.listdir("/proc") if name.isdigit() and str(tmp_path) in _line(name)]


def test_no_network_and_no_open_folder(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="no network"):
        backend(settings, tmp_path).start(Spec(network=Network(("example.org",))))
    with pytest.raises(SandboxError, match="too long for the path of a socket"):
        backend(changed(settings, root=str(tmp_path / ("x" * 90))), tmp_path).start(Spec())
    os.makedirs(settings.root)
    os.chmod(settings.root, 0o755)
    with pytest.raises(SandboxError, match="not yours alone"):
        backend(settings, tmp_path).start(Spec())


def test_machines_of_a_daemon_that_is_gone_are_swept(settings: Settings, tmp_path: Path) -> None:
    made = backend(settings, tmp_path)
    place = made.start(Spec())
    assert made.sweep() == 0
    (Path(place.folder) / "owner").write_text("boruna-sandbox-of:1:1:00000000")
    assert made.sweep() == 1
    try:
        place.process.wait(10)
        assert not os.path.exists(place.folder)
    finally:
        place.destroy()


def _line(pid: str) -> str:
    try:
        return Path("/proc", pid, "cmdline").read_bytes().decode("utf-8", "replace").replace("pytest", "")
    except OSError:
        return ""
