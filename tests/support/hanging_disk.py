"""A disk that can stop to respond: a real mount (FUSE) with files kept in memory, served by a process of its own.

Requests of the chosen kinds about the chosen files wait until the disk is released.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import select
import struct
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

CAN_MOUNT: Final = sys.platform == "linux" and os.geteuid() == 0 and os.access("/dev/fuse", os.W_OK)
WHY_NOT: Final = "no such disk can be mounted: needs root on Linux and /dev/fuse"

LOOK_UP, STATUS, OPEN, READ, OPEN_FOLDER, LIST = 1, 3, 14, 15, 27, 28
"""Requests of the kernel that are answered, by their numbers."""
_STATE, _RELEASE, _FLUSH, _INIT, _RELEASE_FOLDER = 17, 18, 25, 26, 29
_UNANSWERED: Final = frozenset({2, 36, 42})
"""Requests that have no answer: to forget files, to interrupt a request."""
_DETACH: Final = 2
_HEADER: Final = 40
_DIRECT: Final = 1
"""The flag that makes the kernel ask for the content at each read."""


class Disk:
    """The disk for a test: files by their paths on it ("shop/main.ax"); folders follow from them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        root = Path(__file__).resolve().parents[2]
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.support.hanging_disk", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=root,
        )
        assert self._tell() == []

    def write(self, path: str, text: str) -> None:
        """A file has this text from now on; its times change."""
        self._tell(write=[path, text])

    @contextmanager
    def hanging(self, kinds: Collection[int], names: Collection[str]) -> Iterator[None]:
        """While the block runs, requests of these kinds about files or folders of these names are not answered."""
        self._tell(hang=[sorted(kinds), sorted(names)])
        try:
            yield
        finally:
            self._tell(hang=[[], []])

    def asked(self) -> list[list[Any]]:
        """Requests that wait: kinds and paths."""
        return list(self._tell())

    def end(self) -> None:
        """The disk goes; whoever waits for it gets an error."""
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait(20)

    def _tell(self, **command: Any) -> Any:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(command).encode() + b"\n")
        self._server.stdin.flush()
        return json.loads(self._server.stdout.readline())


class _Server:
    """The process that serves the disk; it must not touch the mount itself."""

    def __init__(self, device: int) -> None:
        self._device = device
        self._files: dict[str, tuple[bytes, int]] = {}
        self._paths: dict[int, str] = {1: ""}
        self._hangs: tuple[list[int], list[str]] = ([], [])
        self._held: list[bytes] = []

    def serve(self) -> None:
        """Answers the kernel, and the commands in the lines of standard input, until that ends."""
        commands = sys.stdin.fileno()
        while True:
            ready, _, _ = select.select([self._device, commands], [], [])
            if commands in ready:
                line = sys.stdin.buffer.readline()
                if not line:
                    return
                self._obey(json.loads(line))
                print(json.dumps([self._asked(request) for request in self._held]), flush=True)
            if self._device in ready:
                self._take(os.read(self._device, 1 << 20))

    def _obey(self, command: dict[str, Any]) -> None:
        if "write" in command:
            path, text = command["write"]
            self._files[path] = text.encode(), time.time_ns()
        if "hang" in command:
            self._hangs = command["hang"]
            held, self._held = self._held, []
            for request in held:
                self._take(request)

    def _asked(self, request: bytes) -> tuple[int, str]:
        _, kind, _, node = struct.unpack("<IIQQ", request[:24])
        path = self._paths.get(node, "")
        return kind, _joined(path, request[_HEADER:].rstrip(b"\0").decode()) if kind == LOOK_UP else path

    def _take(self, request: bytes) -> None:
        kind, path = self._asked(request)
        if kind in _UNANSWERED:
            return
        if kind in self._hangs[0] and path.rpartition("/")[2] in self._hangs[1]:
            self._held.append(request)
            return
        number = struct.unpack("<Q", request[8:16])[0]
        data, error = self._answer(kind, path, request[_HEADER:])
        # Whoever asked may have given up.
        with suppress(OSError):
            os.write(self._device, struct.pack("<IiQ", 16 + len(data), -error, number) + data)

    def _answer(self, kind: int, path: str, body: bytes) -> tuple[bytes, int]:
        if kind == _INIT:
            return struct.pack("<IIIIHHIIHHI", 7, 26, 65536, 0, 12, 9, 65536, 1, 0, 0, 0) + bytes(28), 0
        if kind == _STATE:
            return struct.pack("<QQQQQIIII", 1000, 500, 500, 100, 50, 4096, 255, 4096, 0) + bytes(24), 0
        if kind in (LOOK_UP, STATUS):
            if path and path not in self._files and not self._is_folder(path):
                return b"", errno.ENOENT
            head = struct.pack("<QQQQII", self._node(path), 0, 0, 0, 0, 0) if kind == LOOK_UP else struct.pack("<QII", 0, 0, 0)
            return head + self._attributes(path), 0
        if kind in (OPEN, OPEN_FOLDER):
            return struct.pack("<QII", 0, _DIRECT if kind == OPEN else 0, 0), 0
        if kind == READ:
            _, offset, size = struct.unpack("<QQI", body[:20])
            return self._files[path][0][offset : offset + size], 0
        if kind == LIST:
            return self._listed(path, struct.unpack("<QQ", body[:16])[1]), 0
        return b"", 0 if kind in (_RELEASE, _FLUSH, _RELEASE_FOLDER) else errno.ENOSYS

    def _is_folder(self, path: str) -> bool:
        return not path or any(other.startswith(f"{path}/") for other in self._files)

    def _node(self, path: str) -> int:
        number = next((number for number, known in self._paths.items() if known == path), len(self._paths) + 1)
        self._paths[number] = path
        return number

    def _attributes(self, path: str) -> bytes:
        data, changed = self._files.get(path, (b"", max((written for _, written in self._files.values()), default=0)))
        seconds, rest = divmod(changed, 10**9)
        kind = 0o40755 if self._is_folder(path) else 0o100644
        times = (seconds, seconds, seconds, rest, rest, rest)
        return struct.pack("<QQQQQQIIIIIIIIII", self._node(path), len(data), 1, *times, kind, 1, 0, 0, 0, 4096, 0)

    def _listed(self, path: str, offset: int) -> bytes:
        start = f"{path}/" if path else ""
        names = sorted({other[len(start) :].partition("/")[0] for other in self._files if other.startswith(start)})
        rows = b""
        for number, name in enumerate(names[offset:], offset + 1):
            inner, raw = start + name, name.encode()
            kind = 4 if self._is_folder(inner) else 8
            rows += struct.pack("<QQII", self._node(inner), number, len(raw), kind) + raw + bytes(-len(raw) % 8)
        return rows


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def main() -> None:
    """Mounts the disk at the folder that the command line names, serves and unmounts it."""
    folder = os.fsencode(sys.argv[1])
    system = ctypes.CDLL(None, use_errno=True)
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0".encode()
    if system.mount(b"far", folder, b"fuse", 0, options) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    try:
        _Server(device).serve()
    finally:
        system.umount2(folder, _DETACH)
        os.close(device)


if __name__ == "__main__":
    main()
