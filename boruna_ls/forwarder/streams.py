"""The standard streams of a forwarder, read and written without ever waiting: who does not read must not stop us reading.

What others share (the modes of a pipe or terminal) is left as it is.
"""

from __future__ import annotations

import _socket
import contextlib
import os
import select
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    import threading

_BLOCK = 1 << 18
_PIPE_SIZE = 1 << 20
_SET_PIPE_SIZE = 1031
"""F_SETPIPE_SZ, which Python 3.11 has no name for everywhere; elsewhere than on Linux we do not get here."""


class Input:
    """Standard input; to be read when `select` says so."""

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        """What to give to `select`."""
        return self._descriptor

    def read(self) -> bytes | None:
        """What there is; b"" at the end, None if there is nothing after all."""
        try:
            return os.read(self._descriptor, _BLOCK)
        except BlockingIOError:
            return None
        except OSError:
            return b""


class Output:
    """Standard output; `write` takes what can be taken at once."""

    def __init__(self, descriptor: int = 1) -> None:
        self._descriptor = descriptor
        self._socket: _socket.socket | None = None
        self._most = _BLOCK
        self._waits = False
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISSOCK(mode):
            self._socket = _socket.socket(fileno=os.dup(descriptor))
        elif stat.S_ISFIFO(mode):
            self._open_pipe()

    def fileno(self) -> int:
        """What to give to `select`."""
        return self._descriptor

    def write(self, data: bytearray) -> int:
        """How many bytes were taken, possibly none. Raises OSError if nobody will ever read."""
        if self._waits and not select.select([], [self._descriptor], [], 0)[1]:
            return 0
        with memoryview(data) as view:
            try:
                if self._socket is not None:
                    return self._socket.send(view[: self._most], getattr(_socket, "MSG_DONTWAIT", 0))
                return os.write(self._descriptor, view[: self._most])
            except BlockingIOError:
                return 0

    def finish(self, seconds: float) -> None:
        """Waits at most so long until everything is written that was taken."""

    def _open_pipe(self) -> None:
        """A way of our own into a pipe, since others may hold the one that we were given, and wait when they write."""
        try:
            self._descriptor = os.open(f"/proc/self/fd/{self._descriptor}", os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            # So much a pipe that is ready takes without waiting.
            self._most, self._waits = getattr(select, "PIPE_BUF", 512), True
            return
        import fcntl

        with contextlib.suppress(OSError):
            # The findings of a long file go through at once, not in a dozen pieces with the client's turn between them.
            fcntl.fcntl(self._descriptor, _SET_PIPE_SIZE, _PIPE_SIZE)


def standard_streams() -> tuple[Input, Output]:
    """The streams of this process. Raises OSError if it has none."""
    if sys.platform == "win32":
        return bridged_streams()
    return Input(), Output()


def bridged_streams(read_from: int = 0, write_to: int = 1) -> tuple[Input, Output]:
    """The streams through a thread and a pair of sockets each, where `select` knows sockets only."""
    import socket
    import threading

    source, into = socket.socketpair()
    sink, out_of = socket.socketpair()
    threading.Thread(target=_feed, args=(read_from, into), daemon=True).start()
    writer = threading.Thread(target=_drain, args=(out_of, write_to), daemon=True)
    writer.start()
    return SocketInput(source), SocketOutput(sink, writer)


class SocketInput(Input):
    """What a thread reads."""

    def __init__(self, end: socket.socket) -> None:
        super().__init__(end.fileno())
        self._end = end
        end.setblocking(False)

    def read(self) -> bytes | None:
        try:
            return self._end.recv(_BLOCK)
        except BlockingIOError:
            return None
        except OSError:
            return b""


class SocketOutput(Output):
    """What a thread writes."""

    def __init__(self, end: socket.socket, thread: threading.Thread) -> None:
        self._end = end
        self._thread = thread
        end.setblocking(False)

    def fileno(self) -> int:
        return self._end.fileno()

    def write(self, data: bytearray) -> int:
        with memoryview(data) as view:
            try:
                return self._end.send(view[:_BLOCK])
            except BlockingIOError:
                return 0

    def finish(self, seconds: float) -> None:
        with contextlib.suppress(OSError):
            self._end.shutdown(_socket.SHUT_WR)
        self._thread.join(seconds)


def _feed(descriptor: int, end: socket.socket) -> None:
    try:
        while data := os.read(descriptor, _BLOCK):
            end.sendall(data)
    except OSError:
        pass
    end.close()


def _drain(end: socket.socket, descriptor: int) -> None:
    try:
        while data := end.recv(_BLOCK):
            while data:
                data = data[os.write(descriptor, data) :]
    except OSError:
        pass
    end.close()
