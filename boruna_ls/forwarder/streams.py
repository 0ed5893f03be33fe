"""The standard streams of a forwarder, read and written without blocking: a peer that does not read must not stop our reading.

The modes of a pipe or terminal are shared with other processes and are not changed. If `select` supports only sockets, threads
copy the bytes between the streams and sockets.
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
"""Maximum bytes of one read from a client."""
_PIPE_SIZE = 1 << 20
_INPUT_SIZE = 1 << 19
"""Room for the escaped text of a file of 10,000 lines; the system limits the total for all pipes of a user."""
_SET_PIPE_SIZE = 1031
"""F_SETPIPE_SZ, for which Python 3.11 has no name on every system; used only on Linux."""


def has_no_reader(descriptor: int) -> bool:
    """True if the other end of a pipe or socket is closed permanently; False if unknown."""
    if sys.platform == "win32" or descriptor < 0 or not hasattr(select, "poll"):
        return False
    poll = select.poll()
    try:
        poll.register(descriptor, 0)
        return any(events & (select.POLLERR | select.POLLHUP) for _, events in poll.poll(0))
    except OSError:
        return False


class Input:
    """Standard input; read it when `select` reports it."""

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor
        if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            widen(descriptor, _INPUT_SIZE)

    def fileno(self) -> int:
        """Descriptor for `select`."""
        return self._descriptor

    def read(self) -> bytes | None:
        """Available bytes; b"" at the end, None if there are none."""
        try:
            return os.read(self._descriptor, _INPUT_BLOCK)
        except BlockingIOError:
            return None
        except OSError:
            return b""


class Output:
    """Standard output; `write` writes what is possible without waiting."""

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
        """Waits at most `seconds` until all accepted bytes are written."""

    def _open_pipe(self) -> None:
        """Opens the pipe again: other processes may share the given descriptor and block when they write."""
        if sys.platform == "win32":
            raise OSError("a pipe cannot be opened again there")
        try:
            self._descriptor = os.open(f"/proc/self/fd/{self._descriptor}", os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            # A ready pipe takes this many bytes without waiting.
            self._most, self._waits = getattr(select, "PIPE_BUF", 512), True
            return
        widen(self._descriptor, _PIPE_SIZE)


def widen(pipe: int, size: int) -> None:
    """From now on long messages, such as the diagnostics or the text of a long file, fit into the pipe at once instead of a dozen
    pieces with a process switch between them. Does nothing if pipes have a fixed size."""
    if sys.platform != "linux":
        return
    import fcntl

    with contextlib.suppress(OSError):
        fcntl.fcntl(pipe, _SET_PIPE_SIZE, size)


def standard_streams() -> tuple[Input, Output]:
    """The streams of this process. Raises OSError if it has none."""
    return (Input(), Output()) if HAS_SELECT else bridged_streams()


def bridged_streams(read_from: int = 0, write_to: int = 1) -> tuple[Input, Output]:
    """The streams, each through a thread and a pair of sockets."""
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
    """A socket connected to the standard input and output of a process, both of them pipes."""
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
    """Copies bytes from a stream to a socket until one of them ends, and closes the socket."""
    with contextlib.suppress(OSError):
        while data := os.read(descriptor, _BLOCK):
            end.sendall(data)
    end.close()


def _drain(end: socket.socket, descriptor: int) -> None:
    """Copies bytes from a socket to a stream until one of them ends, and closes the socket."""
    with contextlib.suppress(OSError):
        while data := end.recv(_BLOCK):
            while data:
                data = data[os.write(descriptor, data) :]
    end.close()


def say(text: str) -> None:
    """Write one line to standard error, without waiting for a reader."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        print(f"boruna-ls: {text}", file=sys.stderr, flush=True)
