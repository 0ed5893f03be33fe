"""The standard streams of a forwarder, read and written without ever waiting: a peer that does not read must not stop us reading.

What others share (the modes of a pipe or terminal) is left as it is. Where `select` knows sockets only, threads move the bytes
between the streams and sockets.
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
    import subprocess
    import threading

HAS_SELECT = sys.platform != "win32"
"""True if `select` supports pipes and files."""
_BLOCK = 1 << 18
_INPUT_BLOCK = 1 << 19
"""Bytes that are read of a client at once."""
_PIPE_SIZE = 1 << 20
_INPUT_SIZE = 1 << 19
"""The text of a file of 10,000 lines with all that is escaped in it; the system allows each user a sum for all pipes."""
_SET_PIPE_SIZE = 1031
"""F_SETPIPE_SZ, which Python 3.11 has no name for everywhere; elsewhere than on Linux we do not get here."""


def has_no_reader(descriptor: int) -> bool:
    """True if the other end of a pipe or socket is closed for good; False if unknown."""
    if sys.platform == "win32" or descriptor < 0 or not hasattr(select, "poll"):
        return False
    poll = select.poll()
    try:
        poll.register(descriptor, 0)
        return any(events & (select.POLLERR | select.POLLHUP) for _, events in poll.poll(0))
    except OSError:
        return False


class Input:
    """Standard input; to be read when `select` says so."""

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor
        if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            widen(descriptor, _INPUT_SIZE)

    def fileno(self) -> int:
        """Descriptor for `select`."""
        return self._descriptor

    def read(self) -> bytes | None:
        """Available bytes; b"" at the end, None if there are none after all."""
        try:
            return os.read(self._descriptor, _INPUT_BLOCK)
        except BlockingIOError:
            return None
        except OSError:
            return b""


class Output:
    """Standard output; `write` takes what can be taken at once."""

    def __init__(self, descriptor: int = 1) -> None:
        self._descriptor = descriptor
        self._socket: _socket.socket | None = None
        self._most = _PIPE_SIZE
        self._waits = False
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISSOCK(mode):
            self._socket = _socket.socket(fileno=os.dup(descriptor))
        elif stat.S_ISFIFO(mode):
            self._open_pipe()

    def fileno(self) -> int:
        """Descriptor for `select`."""
        return self._descriptor

    def write(self, data: bytearray) -> int:
        """Write some bytes and return their number, possibly 0. Raises OSError if the other end is closed."""
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
        if sys.platform == "win32":
            raise OSError("a pipe cannot be opened again there")
        try:
            self._descriptor = os.open(f"/proc/self/fd/{self._descriptor}", os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            # So much a pipe that is ready takes without waiting.
            self._most, self._waits = getattr(select, "PIPE_BUF", 512), True
            return
        widen(self._descriptor, _PIPE_SIZE)


def widen(pipe: int, size: int) -> None:
    """Long messages, such as the diagnostics or the text of a long file, go through a pipe at once from now on, not in a dozen
    pieces with the other end's turn between them. Nothing where pipes have one size."""
    if sys.platform != "linux":
        return
    import fcntl

    with contextlib.suppress(OSError):
        fcntl.fcntl(pipe, _SET_PIPE_SIZE, size)


def standard_streams() -> tuple[Input, Output]:
    """The streams of this process. Raises OSError if it has none."""
    return (Input(), Output()) if HAS_SELECT else bridged_streams()


def bridged_streams(read_from: int = 0, write_to: int = 1) -> tuple[Input, Output]:
    """The streams through a thread and a pair of sockets each."""
    import socket
    import threading

    source, into = socket.socketpair()
    sink, out_of = socket.socketpair()
    threading.Thread(target=_feed, args=(read_from, into), daemon=True).start()
    writer = threading.Thread(target=_drain, args=(out_of, write_to), daemon=True)
    writer.start()
    return SocketInput(source), SocketOutput(sink, writer)


class SocketInput(Input):
    """Input whose other end a thread writes."""

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
    """Output whose other end a thread reads."""

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


def bridged_process(process: subprocess.Popen[bytes]) -> _socket.socket:
    """A socket that leads to the standard input of a process and comes from its standard output, both of them pipes."""
    import socket
    import threading

    near, far = socket.socketpair()
    assert process.stdin is not None
    assert process.stdout is not None
    into, out_of = process.stdin, process.stdout

    def feed() -> None:
        _feed(out_of.fileno(), far.dup())
        with contextlib.suppress(OSError):
            far.shutdown(_socket.SHUT_WR)

    def drain() -> None:
        _drain(far.dup(), into.fileno())
        with contextlib.suppress(OSError):
            into.close()

    for work in (feed, drain):
        threading.Thread(target=work, name="server of its own", daemon=True).start()
    return near


def _feed(descriptor: int, end: socket.socket) -> None:
    """Moves what a stream gives to a socket until one of them ends, and closes the socket."""
    with contextlib.suppress(OSError):
        while data := os.read(descriptor, _BLOCK):
            end.sendall(data)
    end.close()


def _drain(end: socket.socket, descriptor: int) -> None:
    """Moves what a socket gives to a stream until one of them ends, and closes the socket."""
    with contextlib.suppress(OSError):
        while data := end.recv(_BLOCK):
            while data:
                data = data[os.write(descriptor, data) :]
    end.close()


def say(text: str) -> None:
    """Write one line to standard error, without waiting for a reader."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        print(f"boruna-ls: {text}", file=sys.stderr, flush=True)
