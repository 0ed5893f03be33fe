"""Open buffers of editors: by file and client, with their texts and the order of edits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from analysis.data_classes import dataclass, replace
from analysis.inputs import FileId
from analysis.text.source import Source
from boruna_ls.workspace.spelling import spelled

if TYPE_CHECKING:
    from boruna_ls.workspace.roots import DiskView


@dataclass(slots=True)
class Client:
    """One connected editor or agent; `folders` are the roots that it said it works in, canonical, `named` as it wrote them.

    One that is `confined` came over the network: it is shown files inside of its folders only. `libs` is the folder of
    libraries that it brought along, "" for none.
    """

    id: int
    folders: tuple[str, ...] = ()
    confined: bool = False
    libs: str = ""
    named: tuple[str, ...] = ()
    refused: int = 0
    """Documents that were not taken, since the client has too much open."""
    principal: str = ""
    """Principal of a client that came over a network with many principals: what one principal stores is invisible to others."""

    def work_in(self, folders: Iterable[str], look: DiskView) -> None:
        """The client works in these folders from now on, named as it writes them."""
        self.named = tuple(dict.fromkeys(folders))
        self.folders = tuple(look.canonical(folder) for folder in self.named)

    def spelled(self, path: str) -> str:
        """A canonical path as the client would write it, below the folders that it named."""
        return spelled(path, zip(self.named, self.folders, strict=True))


@dataclass(slots=True)
class Buffer:
    """A file that an editor has open under the path `named`; `file.path` is the canonical one.

    `edited` grows with every edit of any buffer, `opened` is what it was when this one was opened; `version` is the editor's own
    number. `touched` is when it was edited last, in nanoseconds of the system's monotonic clock: all processes have the same, so
    the order of edits survives the daemon.
    """

    client: Client
    named: str
    file: FileId
    source: Source
    version: int | None
    edited: int
    opened: int
    touched: int


class Buffers:
    """All open buffers: by client and the path that it uses, and by canonical path."""

    def __init__(self) -> None:
        self._open: dict[tuple[int, str], Buffer] = {}
        self._by_path: dict[str, list[Buffer]] = {}

    def copied(self) -> Buffers:
        """The same buffers, which go their own way from here."""
        other = Buffers()
        for buffer in self._open.values():
            other.put(replace(buffer))
        return other

    def get(self, client: Client, named: str) -> Buffer | None:
        """The client's open buffer under a path as the client wrote it; None if there is none."""
        return self._open.get((client.id, named))

    def own(self, client: Client, path: str) -> Buffer | None:
        """The client's own buffer of a file, whatever it calls it; of several the one edited last."""
        return _latest(buffer for buffer in self._by_path.get(path, ()) if buffer.client.id == client.id)

    def latest(self, path: str) -> Buffer | None:
        """The buffer of a file that was edited last, of any editor."""
        return _latest(self._by_path.get(path, ()))

    def at(self, path: str) -> list[Buffer]:
        """All buffers of a file."""
        return self._by_path.get(path, [])

    def put(self, buffer: Buffer) -> None:
        """Opens a buffer."""
        self._open[buffer.client.id, buffer.named] = buffer
        self._by_path.setdefault(buffer.file.path, []).append(buffer)

    def move(self, buffer: Buffer, file: FileId) -> None:
        """The buffer is one of another file, or of the same in another workspace."""
        self._leave(buffer)
        buffer.file = file
        self._by_path.setdefault(file.path, []).append(buffer)

    def remove(self, client: Client, named: str) -> Buffer | None:
        """Closes a buffer; None if it was not open."""
        removed = self._open.pop((client.id, named), None)
        if removed is not None:
            self._leave(removed)
        return removed

    def of(self, client: Client) -> list[Buffer]:
        """The client's open buffers, in the order they were opened."""
        return [buffer for buffer in list(self._open.values()) if buffer.client.id == client.id]

    def all(self) -> list[Buffer]:
        """The open buffers of all clients."""
        return list(self._open.values())

    def paths(self) -> list[str]:
        """Canonical paths of all open buffers."""
        return list(self._by_path)

    def _leave(self, buffer: Buffer) -> None:
        others = self._by_path[buffer.file.path]
        others[:] = [other for other in others if other is not buffer]
        if not others:
            del self._by_path[buffer.file.path]


def _latest(buffers: Iterable[Buffer]) -> Buffer | None:
    return max(buffers, key=lambda buffer: (buffer.touched, buffer.edited), default=None)
