"""Finds or starts a daemon for a client whose daemon has ended, without making the client wait; at last a server of its own.

Each try takes steps, so that what the client sends is read meanwhile.
"""

from __future__ import annotations

import _socket
import contextlib
import os
import sys
import time
from collections.abc import Sequence

from boruna_ls.forwarder import streams
from boruna_ls.rendezvous import endpoint, places, start

TRIES = 5
"""Failed starts of a daemon after which the client gets a server of its own."""
SHORT = 1.0
"""Seconds; a daemon that ends sooner after it has taken the client was not much use."""
MOST_SHORT = 20
"""Daemons in a row that were not, after which the client gets a server of its own: something that it has open may end them."""
MOST_USELESS = 6
"""The same for a client that has had no answer yet: it is probably the daemon that does not work."""
_LONGEST = 30.0
_ALONE = (
    "import sys; sys.path.append(sys.argv.pop(1)); from boruna_ls.client import standalone; "
    "sys.exit(standalone(sys.argv[1], sys.argv[2:]))"
)


class GaveUp(OSError):
    """No daemon or server can serve the client; the message is a sentence."""


class Server:
    """A connection and the secret for its hello. `is_alone`: the server is for this client only and wants no hello."""

    def __init__(self, connection: _socket.socket, secret: str, is_alone: bool = False) -> None:
        self.connection = connection
        self.secret = secret
        self.is_alone = is_alone


class Reviver:
    """The tries of one client. `arguments`: its command line, for a server of its own."""

    def __init__(self, folder: str, protocol: str, arguments: Sequence[str] = ()) -> None:
        self.reason = ""
        """Reason why the last try failed; "" if none has."""
        self.folder = folder
        self._protocol = protocol
        self._arguments = list(arguments)
        self._starter: start.Starter | None = None
        self._since = 0.0
        self._due = 0.0
        self._failures = 0
        self._short = 0
        self._was_served = False
        self._was_alone = False

    def begin(self, lived: float, was_wished: bool = False, was_served: bool = True) -> None:
        """The daemon has ended, so many seconds after it took the client.

        `was_wished`: it said that another one is to come. `was_served`: the client has had an answer, of this daemon or another.
        """
        self._since = time.monotonic()
        self._failures = 0
        self._was_served = was_served
        self._short = self._short + 1 if lived < SHORT and not was_wished else 0
        pause = 0.02 if was_wished else min(2.0, 0.02 * 2 ** (self._short - 4)) if self._short > 4 else 0.0
        self._due = self._since + pause
        self._starter = None

    def give_up(self, reason: str) -> None:
        """No daemon is tried any more: the next step is a server of its own."""
        self.reason = reason
        self._failures = TRIES

    def wait(self) -> float:
        """Seconds until the next step."""
        return max(0.0, self._due - time.monotonic())

    def step(self) -> Server | None:
        """A connection if there is one now. Raises GaveUp."""
        if self.wait() > 0:
            return None
        most_short = MOST_SHORT if self._was_served else MOST_USELESS
        if self._short > most_short and not self.reason:
            self.reason = f"the daemon keeps ending; {places.log_path(self.folder)} may say why"
        if self._failures >= TRIES or self._short > most_short or time.monotonic() - self._since > _LONGEST:
            return self._alone()
        with contextlib.suppress(OSError):
            return Server(*endpoint.reach(self.folder))
        try:
            self._starter = self._starter or start.Starter(self.folder, "")
            self._starter.start_unless_there()
            self._due = time.monotonic() + start.PAUSE
        except start.NoDaemon as error:
            self.reason = str(error)
            self._starter = None
            self._failures += 1
            self._due = time.monotonic() + 0.05 * 2**self._failures
        return None

    def _alone(self) -> Server:
        if self._was_alone:
            raise GaveUp(f"its own server has also ended ({self.reason or 'the daemon keeps ending'})")
        self._was_alone = True
        package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        line = [sys.executable, "-P", "-X", "utf8", "-c", _ALONE, package, self._protocol, "--standalone", *self._arguments]
        try:
            return Server(_started(line), "", is_alone=True)
        except OSError as error:
            raise GaveUp(f"its own server cannot be started: {error}") from None


def _started(line: list[str]) -> _socket.socket:
    """The way to the standard streams of a process that is started now. Raises OSError."""
    import subprocess

    if not streams.HAS_SELECT:
        pipe, unseen = subprocess.PIPE, getattr(subprocess, "CREATE_NO_WINDOW", 0)
        return streams.bridged_process(subprocess.Popen(line, bufsize=0, stdin=pipe, stdout=pipe, creationflags=unseen))
    import socket

    near, far = socket.socketpair()
    with far:
        subprocess.Popen(line, stdin=far.fileno(), stdout=far.fileno())
    return near
