"""Moves bytes between the standard streams and the daemon, and takes out the daemon's first line."""

from __future__ import annotations

import os
import socket
import sys
import threading

from boruna_ls.rendezvous import wire

_BLOCK = 1 << 16


def pump(connection: socket.socket, hello: bytes) -> int:
    """Says hello and forwards until one side ends; the exit status."""
    threading.Thread(target=_pump_input, args=(connection, hello), daemon=True).start()
    rest = _welcome(connection)
    if isinstance(rest, int):
        return rest
    data = rest
    while True:
        while data:
            try:
                data = data[os.write(1, data) :]
            except OSError:
                # The client is gone: what it no longer reads is dropped.
                return 0
        data = _received(connection)
        if not data:
            return 0


def _welcome(connection: socket.socket) -> bytes | int:
    """What came behind the daemon's first line, or an exit status."""
    head = b""
    while b"\n" not in head:
        data = _received(connection)
        if not data:
            print("boruna-ls: the daemon closed the connection", file=sys.stderr)
            return 1
        head += data
    line, _, rest = head.partition(b"\n")
    try:
        welcome = wire.decoded(line)
    except wire.BadLine as error:
        print(f"boruna-ls: the daemon is not understood: {error}", file=sys.stderr)
        return 1
    if "error" in welcome:
        print(f"boruna-ls: {welcome['error']}", file=sys.stderr)
        return 2
    return rest


def _pump_input(connection: socket.socket, hello: bytes) -> None:
    try:
        connection.sendall(hello)
        while data := os.read(0, _BLOCK):
            connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
    except OSError:
        # The daemon has closed the connection; the other direction notices, too.
        return


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(_BLOCK)
    except OSError:
        return b""
