"""Common parts of the tests of both memories: a client whose bytes move in pieces, and whose daemon ends and is replaced."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from boruna_ls.forwarder.memory import Memory


def ended(memory: Memory, was_serving: bool = True) -> None:
    """The daemon of a memory ends; if it was not serving yet, it has worked on nothing."""
    memory.is_served = was_serving
    memory.lost()


class Daemon(Protocol):
    """A daemon for a test; `output` is what it has said and nobody has read."""

    output: bytes

    def take(self, data: bytes) -> None:
        """Bytes of the client."""
        ...


D = TypeVar("D", bound=Daemon)


class ClientSession(Generic[D]):
    """The client's side, the memory, and the daemon of now, if there is one."""

    memory: Memory
    daemon: D | None = None

    def deliver(self, inward: int | None = None, outward: int | None = None) -> None:
        """Bytes move: at most so many to the daemon, at most so many of what it then has to say."""
        if self.daemon is not None:
            data = bytes(self.memory.to_daemon[:inward])
            del self.memory.to_daemon[: len(data)]
            self.daemon.take(data)
            said = self.daemon.output[:outward]
            self.daemon.output = self.daemon.output[len(said) :]
            self.memory.from_daemon(said)
        self.memory.settle()
        self.read()

    def kill(self, inward: int, outward: int) -> None:
        """The daemon ends after so many bytes in each direction."""
        if self.daemon is not None:
            self.deliver(inward, outward)
            self.remember(self.daemon)
            self.daemon = None
            ended(self.memory)
            self.read()

    def revive(self) -> None:
        """Another daemon comes, if there is none."""
        if self.daemon is None:
            self.daemon = self.made()
            self.memory.resume()

    def made(self) -> D:
        """A fresh daemon."""
        raise AssertionError

    def remember(self, daemon: D) -> None:
        """Takes down what a daemon has done that ends."""
        raise AssertionError

    def read(self) -> None:
        """The client reads what there is."""
        raise AssertionError
