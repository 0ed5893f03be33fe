"""Interface of the backends that make sandboxes, and the specification of a sandbox.

A backend starts the first process somewhere and connects a socket to it; everything else is the same for all (`box.py`).
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Any, Final, Protocol

from analysis.data_classes import dataclass, field

MIB: Final = 1 << 20


class SandboxError(Exception):
    """An operation failed; the message is a sentence that says what to do next."""


class NotFound(SandboxError):
    """The caller has no sandbox of this name."""

    def __init__(self, name: str, next_step: str) -> None:
        super().__init__(f"Sandbox '{name}' not found: {next_step}")
        self.name = name


@dataclass(frozen=True, slots=True)
class Network:
    """`hosts` are the owner's list: names, and `*.name` for everything below one."""

    hosts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Spec:
    """Specification of a sandbox."""

    memory_mib: int = 256
    vcpu_count: int = 1
    disk_mib: int = 256
    processes: int = 200
    inodes: int = 65_536
    network: Network | None = None
    languages: Mapping[str, list[str]] = field(default_factory=dict)
    """By name: the suffix of its files, and the command line, in which `{file}` stands for the file."""


class Closable(Protocol):
    """Object with a `close` method."""

    def close(self) -> None:
        """Ends it."""


class Place(Protocol):
    """Place of one sandbox: a tree of processes, or a virtual machine. Its methods may be called on any thread."""

    socket: socket.socket
    """The way to its first process."""

    def begin(self, spec: Spec) -> dict[str, Any]:
        """Facts about the place for the first process, as fields of its first message."""

    def begun(self, descriptors: list[int]) -> None:
        """The first process has answered, and sent these with it: they are the place's now. Raises SandboxError."""

    def proxy(self, hosts: tuple[str, ...]) -> Closable:
        """Serves programs inside that ask for the network."""

    @property
    def home(self) -> int:
        """A descriptor of the home by which another place can copy it; -1 if there is none."""

    def facts(self) -> dict[str, Any]:
        """Properties of the isolation in force, for answers."""

    def usage(self, limit: int) -> tuple[int, int] | None:
        """Bytes of memory (exact beyond `limit`) and number of processes as seen from outside; None if unknown."""

    def overran(self) -> bool:
        """True if the kernel has killed a process over the memory of the place since the previous call."""

    def destroy(self) -> None:
        """Ends it; when this returns its processes are dead and its files gone. May be called twice."""


class Backend(Protocol):
    """A way to make sandboxes."""

    name: str

    def problem(self) -> str:
        """Reason why the backend cannot be used here, as a sentence that says what to do; "" if it can."""

    def start(self, spec: Spec) -> Place:
        """Raises SandboxError."""

    def rest(self) -> None:
        """End processes that are kept ready for the next sandbox, after a while without any."""

    def close(self) -> None:
        """Ends what waits for the next sandbox, for good."""

    def sweep(self) -> int:
        """End the remains of earlier processes of ours; returns their number."""
