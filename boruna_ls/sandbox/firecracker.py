"""Sandboxes as microVMs: a Firecracker process for each, set up through its API socket, reached through its vsock socket.

The guest's image must start `boruna_ls.sandbox.inside.guest` as its first process; docs/sandboxes.md says how one is made. The
image is shared and read-only: writable files lie in the guest's memory, and disappear with it.
"""

from __future__ import annotations

import sys

assert sys.platform == "linux"

import contextlib
import http.client
import json
import os
import secrets
import shutil
import socket
import subprocess
import time
from typing import Any, Final

from boruna_ls import lock_order
from boruna_ls.rendezvous import atomic
from boruna_ls.sandbox import identity
from boruna_ls.sandbox.backend import MIB, Closable, SandboxError, Spec
from boruna_ls.sandbox.settings import Settings, root_of

KVM: Final = "/dev/kvm"
AGENT_PORT: Final = 5252
GUEST: Final = 3
"""The guest's address on its own vsock."""
BOOT: Final = "console=off reboot=k panic=1 pci=off quiet random.trust_cpu=on init=/sbin/boruna-guest"
_EXTRA_MIB: Final = 64
"""Memory for the guest's kernel and its first process."""
_PATIENCE: Final = 10.0
_NO_NETWORK: Final = "Sandboxes of Firecracker have no network: leave `network` out, or use bubblewrap"
_PAUSE: Final = 0.01
_LONGEST_SOCKET: Final = 100
_API, _VSOCK, _MARK = "api.sock", "vsock.sock", "owner"


class Machine:
    """One microVM: its process, and its folder with the two sockets."""

    def __init__(self, process: subprocess.Popen[bytes], folder: str, end: socket.socket) -> None:
        self.process = process
        self.folder = folder
        self.socket = end
        self._lock = lock_order.leaf()

    def begin(self, spec: Spec) -> dict[str, Any]:
        return {
            "limits": {
                "memory": spec.memory_mib * MIB,
                "disk": spec.disk_mib * MIB,
                "inodes": spec.inodes,
                "processes": spec.processes,
                "cpus": [],
            },
            "proxy": False,
            "guest": True,
            "languages": dict(spec.languages),
            "path": "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
        }

    def begun(self, descriptors: list[int]) -> None:
        if descriptors:
            raise SandboxError("the sandbox sent descriptors: call again")

    def proxy(self, hosts: tuple[str, ...]) -> Closable:
        raise SandboxError(_NO_NETWORK)

    def facts(self) -> dict[str, Any]:
        return {"backend": "firecracker", "memory": "microvm"}

    def usage(self, limit: int) -> tuple[int, int] | None:
        # The machine cannot take more than it was given.
        return None

    def overran(self) -> bool:
        return False

    @property
    def home(self) -> int:
        return -1

    def destroy(self) -> None:
        with self._lock:
            self.process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(_PATIENCE)
            shutil.rmtree(self.folder, ignore_errors=True)


class Firecracker:
    """The backend. `kvm` is the device without which there is no machine."""

    name = "firecracker"

    def __init__(self, settings: Settings, kvm: str = KVM) -> None:
        self._settings = settings
        self._kvm = kvm
        self._root = os.path.abspath(root_of(settings))

    def problem(self) -> str:
        given = self._settings
        if not given.firecracker:
            return "Firecracker: set the path of its program (BORUNA_SANDBOX_FIRECRACKER, or `firecracker` in sandbox.toml)"
        if not os.path.isabs(given.firecracker) or not os.access(given.firecracker, os.X_OK):
            return f"Firecracker: {given.firecracker} is not a program (BORUNA_SANDBOX_FIRECRACKER must be its absolute path)"
        if not os.access(self._kvm, os.R_OK | os.W_OK):
            what = "cannot be opened: add the user to the group kvm" if os.path.exists(self._kvm) else "is missing: it needs KVM"
            return f"Firecracker: {self._kvm} {what}"
        for name, path in (("KERNEL", given.kernel), ("ROOTFS", given.rootfs)):
            if not path:
                return f"Firecracker: set the path of its {name.lower()} (BORUNA_SANDBOX_{name}); see docs/sandboxes.md"
            if not os.path.isabs(path) or not os.access(path, os.R_OK):
                return f"Firecracker: {path} cannot be read (BORUNA_SANDBOX_{name} must be an absolute path)"
        return ""

    def start(self, spec: Spec) -> Machine:
        if spec.network is not None:
            raise SandboxError(_NO_NETWORK)
        folder = self._folder()
        process = None
        try:
            line = [self._settings.firecracker, "--api-sock", os.path.join(folder, _API), "--id", os.path.basename(folder)]
            process = subprocess.Popen(
                line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={}, cwd=folder,
                start_new_session=True,
            )  # fmt: skip
            self._set_up(process, folder, spec)
            return Machine(process, folder, self._connected(process, folder))
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise SandboxError(f"Firecracker: the machine cannot be started: {error}") from None
        except BaseException:
            raise
        finally:
            if sys.exc_info()[0] is not None:
                if process is not None:
                    process.kill()
                    process.wait()
                shutil.rmtree(folder, ignore_errors=True)

    def requests(self, folder: str, spec: Spec) -> list[tuple[str, dict[str, Any]]]:
        """Requests to the API, in order: path and JSON of each."""
        given = self._settings
        drive = {"drive_id": "rootfs", "path_on_host": given.rootfs, "is_root_device": True, "is_read_only": True}
        memory = spec.memory_mib + spec.disk_mib + _EXTRA_MIB
        return [
            ("/machine-config", {"vcpu_count": spec.vcpu_count, "mem_size_mib": memory, "smt": False}),
            ("/boot-source", {"kernel_image_path": given.kernel, "boot_args": BOOT}),
            ("/drives/rootfs", drive),
            ("/vsock", {"guest_cid": GUEST, "uds_path": os.path.join(folder, _VSOCK)}),
            ("/actions", {"action_type": "InstanceStart"}),
        ]

    def rest(self) -> None:
        return

    def close(self) -> None:
        return

    def sweep(self) -> int:
        """Ends machines whose daemon has ended, and removes their folders."""
        count = 0
        with contextlib.suppress(OSError):
            for name in os.listdir(self._root):
                folder = os.path.join(self._root, name)
                try:
                    with open(os.path.join(folder, _MARK), encoding="ascii") as file:
                        mark = file.read()
                except OSError:
                    continue
                if not identity.is_alive(mark):
                    _end_machine_of(folder)
                    shutil.rmtree(folder, ignore_errors=True)
                    count += 1
        return count

    def _folder(self) -> str:
        try:
            os.makedirs(self._root, 0o700, exist_ok=True)
            status = os.lstat(self._root)
            if status.st_uid != os.geteuid() or status.st_mode & 0o077:
                raise SandboxError(f"{self._root} is not yours alone: chmod 700, or name another folder (BORUNA_SANDBOX_ROOT)")
            # The id of a machine has letters, digits and hyphens only.
            folder = os.path.join(self._root, f"vm-{secrets.token_hex(8)}")
            if len(os.fsencode(folder)) + len(_VSOCK) > _LONGEST_SOCKET:
                raise SandboxError(f"{self._root} is too long for the path of a socket: name a shorter BORUNA_SANDBOX_ROOT")
            os.mkdir(folder, 0o700)
            atomic.write(os.path.join(folder, _MARK), identity.mark().encode("ascii"))
        except OSError as error:
            raise SandboxError(f"{self._root} cannot be used (BORUNA_SANDBOX_ROOT): {error.strerror or error}") from None
        return folder

    def _set_up(self, process: subprocess.Popen[bytes], folder: str, spec: Spec) -> None:
        path = os.path.join(folder, _API)
        _until(lambda: os.path.exists(path), process, "does not open its API socket")
        for place, value in self.requests(folder, spec):
            _put(path, place, value)

    def _connected(self, process: subprocess.Popen[bytes], folder: str) -> socket.socket:
        """A connection to the guest's agent, through the socket that stands for its vsock."""
        connections: list[socket.socket] = []

        def is_there() -> bool:
            end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            end.settimeout(2)
            try:
                end.connect(os.path.join(folder, _VSOCK))
                end.sendall(f"CONNECT {AGENT_PORT}\n".encode())
                # One byte at a time: what follows the line is the agent's.
                line = b""
                while not line.endswith(b"\n") and len(line) < 64 and (byte := end.recv(1)):
                    line += byte
            except OSError:
                line = b""
            if not line.startswith(b"OK "):
                end.close()
                return False
            end.settimeout(None)
            connections.append(end)
            return True

        _until(is_there, process, f"starts, but its guest does not answer at vsock port {AGENT_PORT}: is it an image of ours?")
        return connections[0]


class _Connection(http.client.HTTPConnection):
    """HTTP at a Unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=_PATIENCE)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(_PATIENCE)
        self.sock.connect(self._path)


def _put(path: str, place: str, value: dict[str, Any]) -> None:
    """Raises OSError with what the API says is wrong."""
    with contextlib.closing(_Connection(path)) as connection:
        connection.request("PUT", place, json.dumps(value), {"Content-Type": "application/json", "Accept": "application/json"})
        answer = connection.getresponse()
        text = answer.read(65_536)
    if answer.status not in (200, 204):
        try:
            reason = str(json.loads(text)["fault_message"])
        except (ValueError, KeyError, TypeError):
            reason = f"status {answer.status}"
        raise OSError(f"{place}: {reason}")


def _until(condition: Any, process: subprocess.Popen[bytes], failure: str) -> None:
    ends = time.monotonic() + _PATIENCE
    while not condition():
        if process.poll() is not None:
            raise OSError(f"its process ended with status {process.returncode}")
        if time.monotonic() > ends:
            raise OSError(f"it {failure}")
        time.sleep(_PAUSE)


def _end_machine_of(folder: str) -> None:
    """Process that was started for one of our folders; its command line names the socket there."""
    wanted = os.fsencode(os.path.join(folder, _API))
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/cmdline", "rb") as file:
            if wanted in file.read(65_536).split(b"\0"):
                os.kill(int(name), 9)
