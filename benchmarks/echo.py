"""A small framed message there and back through two processes that do nothing else, as a key goes through forwarder and daemon.

Pipes, sockets and the scheduler differ more between machines than plain Python does, so figures through processes are compared by
their ratio to this. The relay reads and writes as the forwarder does; the last process answers with what it was sent.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from statistics import median
from typing import Final

MESSAGES: Final = 400
_WARM: Final = 50
_PAUSE: Final = 0.002
"""Seconds between two: all sleep meanwhile, as they do while a key is computed, and waking them is part of it."""
_BODY: Final = b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"text": "%b"}}' % (b"x" * 200)
_RELAY: Final = """
import os, select, socket, sys
daemon = socket.socket(fileno=int(sys.argv[1]))
while True:
    readable = select.select([0, daemon], [], [])[0]
    if daemon in readable:
        os.write(1, daemon.recv(1 << 18))
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
    client.sendall(b"%b\\r\\n%b" % (header, stream.read(int(header.split(b":")[1]))))
"""


def echo_ms(messages: int = MESSAGES) -> float:
    """Milliseconds until such a message is back, the median of many."""
    near, far = socket.socketpair()
    with near, far:
        last = subprocess.Popen([sys.executable, "-c", _LAST, str(far.fileno())], pass_fds=[far.fileno()])
        relay = subprocess.Popen(
            [sys.executable, "-c", _RELAY, str(near.fileno())],
            pass_fds=[near.fileno()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
    try:
        return median([_once(relay) for _ in range(_WARM + messages)][_WARM:]) * 1e3
    finally:
        relay.communicate()
        last.wait()


def _once(relay: subprocess.Popen[bytes]) -> float:
    assert relay.stdin is not None
    assert relay.stdout is not None
    time.sleep(_PAUSE)
    begun = time.perf_counter()
    relay.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(_BODY), _BODY))
    relay.stdin.flush()
    length = int(relay.stdout.readline().split(b":")[1])
    relay.stdout.readline()
    assert relay.stdout.read(length) == _BODY
    return time.perf_counter() - begun


if __name__ == "__main__":
    print(f"{echo_ms():.3f} ms")
