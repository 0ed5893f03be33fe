"""Copies bytes between a client's standard streams and the daemon, and switches to another daemon when it ends.

One thread that never waits for only one side. The memory (`lsp_memory.py`, `mcp_memory.py`) keeps the state for a new
daemon; `reviving.py` finds one.
"""

from __future__ import annotations

import _socket
import contextlib
import select
import time

from boruna_ls import __version__
from boruna_ls.forwarder.memory import Memory
from boruna_ls.forwarder.reviving import GaveUp, Reviver, Server
from boruna_ls.forwarder.streams import has_no_reader, say, standard_streams
from boruna_ls.rendezvous import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HIGH = 4 << 20
"""Bytes waiting for one side at which no more is read from the other."""
GAP_LIMIT = 64 << 20
"""Bytes that are read from a client while there is no daemon."""
GRACE = 40.0
"""Seconds that the daemon has for open requests after the client's input has ended; its own limit is shorter."""
WELCOME = 30.0
"""Seconds that a daemon has for its first line; after that the client gets its own server."""
_STUCK = 10.0
"""Seconds after which a client that has closed its input and does not read is dropped."""
_LOOK = 3.0
"""Seconds between two checks whether the editor's process is alive, in addition to those of the daemon."""
_BLOCK = 1 << 18
_LARGE_BLOCK = 1 << 20
"""Maximum bytes of one read from the daemon; the second after long messages have arrived."""
_SEND_BUFFER = 1 << 20
_FIRST_LINE = 1 << 20


class Pump:
    """One client. `options` are those of its hello."""

    def __init__(self, memory: Memory, reviver: Reviver, protocol: str, options: dict[str, Any]) -> None:
        self._memory = memory
        self._reviver = reviver
        self._protocol = protocol
        self._options = options
        self._input, self._output = standard_streams()
        self._connection: _socket.socket | None = None
        self._is_input_open = True
        self._input_ended = 0.0
        self._last_write = 0.0
        self._gap = 0
        self._since = 0.0
        self._first_line: bytearray | None = None
        self._has_begun = False
        self._is_deaf = False
        self._is_half_closed = False
        self._status: int | None = None
        self._had_process: bool | None = None
        self._keeps_memory = False

    def run(self, server: Server) -> int:
        """Forwards from the first connection until the client ends; returns the exit status."""
        self._connect(server)
        while self._status is None:
            self._turn()
        self._output.finish(_STUCK)
        if self._connection is not None:
            self._connection.close()
        return self._status

    # ---- one turn -----------------------------------------------------------------------------------------------

    def _turn(self) -> None:
        memory, connection = self._memory, self._connection
        reads: list[Any] = []
        writes: list[Any] = []
        if self._is_input_open and len(memory.to_daemon) < HIGH and self._gap < GAP_LIMIT:
            reads.append(self._input)
        if connection is not None and len(memory.to_client) < HIGH:
            reads.append(connection)
        if connection is not None and memory.to_daemon and not self._is_deaf:
            writes.append(connection)
        if memory.to_client:
            writes.append(self._output)
        readable = _ready(reads, writes, self._patience())
        # The daemon first: requests that it has answered need not be repeated if it has ended.
        if connection is not None and connection in readable:
            self._read_daemon(connection)
        if self._input in readable:
            self._read_client()
        self._flush()
        if self._status is None:
            self._look_after()
        memory.settle()
        if memory.has_moved_huge and not self._keeps_memory:
            # Most clients never have such a message, and all wait for the start of their forwarder.
            from boruna_ls.wire.allocator import keep_freed_memory

            self._keeps_memory = True
            keep_freed_memory()

    def _patience(self) -> float | None:
        """Seconds that the turn may wait."""
        if self._connection is None and self._wants_daemon():
            return self._reviver.wait()
        if not self._is_input_open or self._memory.exit_status is not None or self._first_line is not None:
            return 0.5
        return _LOOK if self._had_process else None

    def _look_after(self) -> None:
        """Periodic work, which does not depend on received bytes."""
        memory = self._memory
        if memory.problem:
            self._end(1, memory.problem)
        elif not self._is_input_open and has_no_reader(self._output.fileno()):
            # The client is dead: the end of the connection makes the daemon stop its work for it.
            self._end(0)
        elif self._is_process_gone():
            self._end(0)
        elif self._connection is not None:
            self._look_after_end(self._connection)
            if self._first_line is not None and time.monotonic() - self._since > WELCOME:
                self._lost()
                self._reviver.give_up(f"the daemon sent nothing for {WELCOME:g} seconds")
        elif self._wants_daemon():
            self._revive()
        elif not memory.to_client and not (self._is_input_open and memory.exit_status is None):
            self._end(memory.exit_status or 0)
        if not self._is_input_open and memory.to_client and time.monotonic() - self._last_write > _STUCK:
            self._end(1, "the client does not read its answers")

    def _look_after_end(self, connection: _socket.socket) -> None:
        """Forward the end of the client's input to the daemon, which has some time to answer open requests."""
        if self._is_input_open and self._memory.exit_status is None:
            return
        if not self._memory.to_daemon and not self._is_half_closed and not self._is_deaf:
            self._is_half_closed = True
            try:
                connection.shutdown(_socket.SHUT_WR)
            except OSError:
                self._is_deaf = True
        if time.monotonic() - self._input_ended > GRACE:
            self._end(1, "the daemon does not answer")

    def _wants_daemon(self) -> bool:
        memory = self._memory
        return memory.needs_daemon() and (self._is_input_open or memory.owes())

    # ---- the client ---------------------------------------------------------------------------------------------

    def _read_client(self) -> None:
        data = self._input.read()
        if data is None:
            return
        if data:
            self._memory.from_client(data)
            self._know_process()
            if self._connection is None:
                self._gap += len(data)
        else:
            self._is_input_open = False
            self._memory.client_ended()
        if self._memory.exit_status is not None or not data:
            self._input_ended = self._last_write = time.monotonic()

    def _know_process(self) -> None:
        """Find out whether the editor's process is visible: its number may be meaningless in another namespace."""
        if self._memory.process and self._had_process is None:
            self._had_process = self._has_process()

    def _is_process_gone(self) -> bool:
        """True if the editor has died, though another process still holds its end of the pipe open."""
        return bool(self._had_process) and not self._has_process()

    def _has_process(self) -> bool:
        # Agents do not say which process they are.
        from boruna_ls.rendezvous.processes import is_alive

        return is_alive(self._memory.process)

    # ---- the daemon ---------------------------------------------------------------------------------------------

    def _connect(self, server: Server) -> None:
        self._connection = server.connection
        server.connection.setblocking(False)
        with contextlib.suppress(OSError):
            # A long program goes through at once, as far as the system lets us.
            server.connection.setsockopt(_socket.SOL_SOCKET, _socket.SO_SNDBUF, _SEND_BUFFER)
        self._since = time.monotonic()
        self._gap = 0
        self._is_deaf = self._is_half_closed = False
        self._first_line = None if server.is_alone else bytearray()
        if server.is_alone:
            self._memory.is_served = True
        else:
            self._memory.to_daemon += wire.hello(self._protocol, server.secret, self._options, self._has_begun)
        self._memory.resume()
        self._flush()

    def _read_daemon(self, connection: _socket.socket) -> None:
        try:
            data = connection.recv(_LARGE_BLOCK if self._keeps_memory else _BLOCK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._lost()
        elif self._first_line is None:
            self._memory.from_daemon(data)
        else:
            self._first_line += data
            self._welcomed(self._first_line)

    def _welcomed(self, received: bytearray) -> None:
        """Reads the daemon's first line when it has arrived."""
        parts = wire.first_line(bytes(received))
        if parts is None and len(received) < _FIRST_LINE:
            return
        line, rest = parts or (bytes(received), b"")
        try:
            welcome = wire.decoded(line)
        except wire.BadLine as error:
            self._end(1, f"the daemon sent an invalid message: {error}")
            return
        if "alone" in welcome:
            self._lost(was_wished=True)
            self._reviver.give_up(str(welcome["alone"]))
            return
        if "error" in welcome:
            self._end(2, str(welcome["error"]))
            return
        if welcome.get("retiring"):
            self._lost(was_wished=True)
            return
        self._first_line = None
        self._has_begun = True
        if welcome.get("version") != __version__:
            from boruna_ls.rendezvous import upgrade

            upgrade.offer(self._reviver.folder, str(welcome.get("version")))
        self._memory.welcomed(welcome)
        if rest:
            self._memory.from_daemon(rest)

    def _lost(self, was_wished: bool = False) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        served = time.monotonic() - self._since if self._memory.is_served else 0.0
        self._memory.lost()
        self._reviver.begin(served, was_wished, self._memory.has_served)

    def _revive(self) -> None:
        try:
            server = self._reviver.step()
        except GaveUp as error:
            self._end(1, str(error))
            return
        if server is not None:
            if server.is_alone:
                say(f"{self._reviver.reason or 'the daemon keeps ending'}; this client gets its own server")
            self._connect(server)

    # ---- writing ------------------------------------------------------------------------------------------------

    def _flush(self) -> None:
        """Writes what both sides accept without waiting."""
        memory, connection = self._memory, self._connection
        try:
            while memory.to_client and (count := self._output.write(memory.to_client)):
                del memory.to_client[:count]
                self._last_write = time.monotonic()
        except OSError:
            # The client has closed its end: drop what it no longer reads.
            self._end(0)
        if connection is None or self._is_deaf:
            return
        try:
            while memory.to_daemon:
                with memoryview(memory.to_daemon) as view:
                    count = connection.send(view[:_SEND_BUFFER])
                del memory.to_daemon[:count]
        except BlockingIOError:
            return
        except OSError:
            # It has ended, but may have sent something before.
            self._is_deaf = True
            memory.to_daemon.clear()

    def _end(self, status: int, reason: str = "") -> None:
        if reason:
            say(reason)
        if self._status is None:
            self._status = status


def _ready(reads: list[Any], writes: list[Any], patience: float | None) -> list[Any]:
    """Readable streams; waits until one can be read or written, or `patience` seconds have passed."""
    if not reads and not writes:
        # Windows cannot wait for nothing.
        time.sleep(_LOOK if patience is None else patience)
        return []
    return select.select(reads, writes, [], patience)[0]


def pump(protocol: str, options: dict[str, Any], reviver: Reviver, server: Server) -> int:
    """Forwards one client; returns the exit status."""
    memory: Memory
    if protocol == "lsp":
        from boruna_ls.forwarder.lsp_memory import LspMemory

        memory = LspMemory()
    else:
        from boruna_ls.forwarder.mcp_memory import McpMemory

        memory = McpMemory()
    try:
        return Pump(memory, reviver, protocol, options).run(server)
    except KeyboardInterrupt:
        return 130
