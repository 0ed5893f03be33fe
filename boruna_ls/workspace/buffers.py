"""Open buffers of editors: who has which file open, with which text, and whose is the latest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from analysis.inputs import FileId
from analysis.text import Source


@dataclass(slots=True)
class Client:
    """One connected editor or agent; `folders` are the roots that it said it works in.

    One that is `confined` came over the network: it is shown files inside of its folders only. `libs` is the folder of
    libraries that it brought along, "" for none.
    """

    id: int
    folders: tuple[str, ...] = ()
    confined: bool = False
    libs: str = ""


@dataclass(slots=True)
class Buffer:
    """A file that an editor has open. `edited` grows with every edit of any buffer; `version` is the editor's own
    number.
    """

    file: FileId
    source: Source
    version: int | None
    edited: int


@dataclass(slots=True)
class Buffers:
    """All open buffers, by path and client."""

    _by_path: dict[str, dict[int, Buffer]] = field(default_factory=dict)

    def get(self, client: Client, path: str) -> Buffer | None:
        """The client's own buffer of a file."""
        return self._by_path.get(path, {}).get(client.id)

    def latest(self, path: str) -> Buffer | None:
        """The buffer of a file that was edited last, whoever has it open."""
        return max(self._by_path.get(path, {}).values(), key=lambda buffer: buffer.edited, default=None)

    def put(self, client: Client, path: str, buffer: Buffer) -> None:
        """Opens a buffer, or replaces it."""
        self._by_path.setdefault(path, {})[client.id] = buffer

    def remove(self, client: Client, path: str) -> Buffer | None:
        """Closes a buffer; None if it was not open."""
        opened = self._by_path.get(path, {})
        removed = opened.pop(client.id, None)
        if removed is not None and not opened:
            del self._by_path[path]
        return removed

    def of(self, client: Client) -> list[str]:
        """Paths that a client has open, in the order they were opened."""
        return [path for path, opened in self._by_path.items() if client.id in opened]

    def copied(self) -> Buffers:
        """The same buffers, which later edits leave as they are."""
        return Buffers({path: {client: replace(one) for client, one in made.items()} for path, made in self._by_path.items()})

    def paths(self) -> Iterable[str]:
        """Paths that anybody has open."""
        return list(self._by_path)
