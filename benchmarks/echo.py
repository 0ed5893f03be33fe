"""Framed messages there and back through two processes that do nothing else, as a key goes through forwarder and daemon and back.

Pipes, sockets and the scheduler differ more between machines than plain Python does, so figures through processes are compared by
their ratio to this. The relay reads and writes as the forwarder does; the last process answers with as many bytes as it is asked
for. Needs POSIX. `python -m benchmarks.echo` prints the time of a small message.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from statistics import median
from types import TracebackType
from typing import Final

SMALL: Final = 300
"""Bytes of a message about one key."""
MESSAGES: Final = 100
_WARM: Final = 10
_PAUSE: Final = 0.002
"""Seconds between two: all sleep meanwhile, as they do while a key is computed, and waking them is part of it."""
_RELAY: Final = """
import fcntl, os, select, socket, sys
if sys.platform == "linux":
    for descriptor, size in ((0, 1 << 18), (1, 1 << 20)):
        try:
            fcntl.fcntl(descriptor, 1031, size)
        except OSError:
            pass
daemon = socket.socket(fileno=int(sys.argv[1]))
while True:
    readable = select.select([0, daemon], [], [])[0]
    if daemon in readable:
        data = daemon.recv(1 << 20)
        while data:
            data = data[os.write(1, data):]
    if 0 in readable:
        data = os.read(0, 1 << 18)
        if not data:
            break
        daemon.sendall(data)
"""
_LAST: Final = """
import socket, sys
client = socket.socket(fileno=int(sys.argv[1]))
stream = client.makefile("rb")
while header := stream.readline():
    stream.readline()
    sent, wanted = map(int, header.split(b":")[1].split())
    stream.read(sent)
    client.sendall(b"Content-Length: %d\\r\\n\\r\\n%b" % (wanted, b"y" * wanted))
"""


class Echo:
    """The processes, from `with` to its end."""

    def __init__(self) -> None:
        near, far = socket.socketpair()
        with near, far:
            for end in (near, far):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
            self._last = subprocess.Popen([sys.executable, "-c", _LAST, str(far.fileno())], pass_fds=[far.fileno()])
            self._relay = subprocess.Popen(
                [sys.executable, "-c", _RELAY, str(near.fileno())],
                pass_fds=[near.fileno()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )

    def __enter__(self) -> Echo:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._relay.communicate()
        self._last.wait()

    def ms(self, sent: int = SMALL, wanted: int = SMALL, messages: int = MESSAGES) -> float:
        """Milliseconds from sending so many bytes until the answer was read, the median of many."""
        return median([self._once(sent, wanted) for _ in range(_WARM + messages)][_WARM:]) * 1e3

    def _once(self, sent: int, wanted: int) -> float:
        assert self._relay.stdin is not None
        assert self._relay.stdout is not None
        body = b"x" * sent
        time.sleep(_PAUSE)
        begun = time.perf_counter()
        self._relay.stdin.write(b"Content-Length: %d %d\r\n\r\n%b" % (sent, wanted, body))
        self._relay.stdin.flush()
        length = int(self._relay.stdout.readline().split(b":")[1])
        self._relay.stdout.readline()
        assert len(self._relay.stdout.read(length)) == wanted
        return time.perf_counter() - begun


if __name__ == "__main__":
    with Echo() as echo:
        print(f"{echo.ms():.3f} ms")
