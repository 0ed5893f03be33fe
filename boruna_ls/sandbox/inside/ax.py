"""`.ax` inside a sandbox: a process that has the compiler and the machine loaded, and is forked for each program.

The first process starts it when the first program comes; it is one of the sandbox's processes like any other, as untrusted as
they. Programs run as by `boruna-ls run`, with mocked effects.
"""

from __future__ import annotations

import sys

assert sys.platform == "linux"

import contextlib
import importlib
import os
import signal
import socket
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from boruna_ls.sandbox.inside.commands import OPEN_FILES, Start, become
from boruna_ls.sandbox.messages import Malformed, Messages, packed

_WARM: Final = "fn add(a: Int, b: Int) -> Int { a + b }\nfn main() -> Int { add(1, 2) }\n"
_LONGEST: Final = 65_536
_KEPT: Final = OPEN_FILES - 2
"""The descriptor of the socket in the forked process; `become` closes those below `OPEN_FILES - 4`."""
Begun = Callable[[int], None]
"""Receives the process id of a program, 0 if there is none."""


class Server:
    """The first process's side. Its answers come by `read`, which the first process calls when the socket can be read."""

    def __init__(
        self,
        start: Start,
        warm: str,
        proc: int,
        watch: Callable[[socket.socket], None],
        forget: Callable[[socket.socket], object],
    ):
        self._start = start
        self._warm = warm
        self._proc = proc
        self._watch = watch
        self._forget = forget
        self._socket: socket.socket | None = None
        self._waiting: deque[Begun] = deque()
        self._answers = b""

    def ask(self, descriptors: tuple[int, int, int], start: Start, begun: Begun) -> None:
        """Has `boruna-ls` run with the arguments of `start.argv`, as a child of the first process. Raises OSError."""
        message = packed({"argv": list(start.argv), "folder": start.folder, "seconds": start.seconds, "data": start.data})
        for attempt in range(2):
            if self._socket is None:
                self._begin()
            assert self._socket is not None
            try:
                socket.send_fds(self._socket, [message], list(descriptors))
            except OSError:
                # It has been killed, by its neighbours or by us.
                self._end()
                if attempt:
                    raise
                continue
            self._waiting.append(begun)
            return

    def read(self) -> None:
        """An answer has come, or the end."""
        assert self._socket is not None
        try:
            data = self._socket.recv(_LONGEST)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._end()
            return
        *lines, self._answers = (self._answers + data).split(b"\n")
        for line in lines[: len(self._waiting)]:
            self._waiting.popleft()(int(line) if line.isdigit() else 0)

    def _begin(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        pid = os.fork()
        if pid:
            theirs.close()
            ours.setblocking(False)
            self._socket = ours
            self._watch(ours)
            return
        try:
            os.dup2(theirs.fileno(), _KEPT)
            null = os.open(os.devnull, os.O_RDWR)
            become((null, null, null), self._start, self._proc)
            with contextlib.suppress(OSError, Malformed):
                _serve(socket.socket(fileno=_KEPT), self._warm)
        finally:
            os._exit(0)

    def _end(self) -> None:
        if self._socket is not None:
            self._forget(self._socket)
            self._socket.close()
            self._socket = None
        self._answers = b""
        while self._waiting:
            self._waiting.popleft()(0)


def _serve(requests: socket.socket, warm: str) -> None:
    commands = _loaded()
    with open(warm, "w", encoding="utf-8") as file:
        file.write(_WARM)
    # Once in this process: what the first program needs, every later one finds made.
    sys.argv = ["boruna-ls", "run", "--disk", warm]
    commands.main()
    os.unlink(warm)
    messages = Messages()
    while True:
        data, descriptors, _, _ = socket.recv_fds(requests, _LONGEST, 3)
        if not data:
            return
        for header, _ in messages.feed(data):
            start = Start(header["argv"], {}, header["folder"], b"", header["seconds"], 0, header["data"])
            between = os.fork()
            if not between:
                _fork_and_leave(requests, (descriptors[0], descriptors[1], descriptors[2]), start)
            os.waitpid(between, 0)
            for descriptor in descriptors:
                os.close(descriptor)


def _loaded() -> Any:
    """The command line of boruna-ls. By its name: it stands above us, and runs here as any program would."""
    importlib.import_module("boruna_ls.cli.run")
    return importlib.import_module("boruna_ls.cli.main")


def _fork_and_leave(requests: socket.socket, descriptors: tuple[int, int, int], start: Start) -> None:
    """Forks once more and ends, so that the program's process becomes a child of the first one, which waits for commands."""
    try:
        pid = os.fork()
        if not pid:
            requests.close()
            _run(descriptors, start)
        requests.send(b"%d\n" % pid)
    except OSError:
        requests.send(b"0\n")
    finally:
        os._exit(0)


def _run(descriptors: tuple[int, int, int], start: Start) -> None:
    status = 1
    try:
        become(descriptors, start)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(n, mode, encoding="utf-8") for n, mode in enumerate("rww"))
        sys.argv = ["boruna-ls", *start.argv]
        status = _loaded().main() or 0
        sys.stdout.flush()
        sys.stderr.flush()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    finally:
        os._exit(status)
