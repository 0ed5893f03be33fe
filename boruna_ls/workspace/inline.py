"""Texts that clients send instead of naming a file: few, bounded, each the base of the next one's difference."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from analysis.documents.file_names import source_of
from analysis.inputs import FileId
from analysis.text.source import Source

SLOTS: Final = 64
CHARACTERS: Final = 8_000_000
"""Limits of the cache: number of texts, and of characters in all of them. The least recently used texts are evicted first."""
OF_ONE: Final = 2_000_000
"""Characters in the texts of one connection; its latest text stays in any case. Results about a text that is
full of errors take about 180 bytes for each character.
"""


class InlineTexts:
    """One slot for each connection and file name."""

    def __init__(self) -> None:
        self._slots: OrderedDict[tuple[str, object, str], tuple[FileId, Source]] = OrderedDict()
        self._files_named = 0
        self._characters = 0

    def base(self, workspace: str, connection: object, file_name: str) -> Source | None:
        """The latest text of a slot."""
        slot = self._slots.get((workspace, connection, file_name))
        return slot[1] if slot is not None else None

    def put(
        self, workspace: str, connection: object, file_name: str, text: str, read: Source | None = None
    ) -> tuple[FileId, Source, list[FileId]]:
        """The slot's file, the source of `text` (the same object as before if the text is the same), and files to
        drop. `read` is the source of `text` if it was read ahead.
        """
        read = read if read is not None and read.text == text else None
        key = (workspace, connection, file_name)
        slot = self._slots.pop(key, None)
        if slot is None:
            self._files_named += 1
            # Two connections may use one name, so the number tells their files apart.
            file, source = FileId(workspace, f"inline:{self._files_named}", file_name), read or source_of(file_name, text)
        else:
            file, base = slot
            self._characters -= len(base.text)
            source = base if base.text == text else read or base.replaced_by(text)
        self._slots[key] = (file, source)
        self._characters += len(text)
        dropped = []
        while len(self._slots) > 1 and (len(self._slots) > SLOTS or self._characters > CHARACTERS):
            dropped.append(self._drop(next(iter(self._slots))))
        own = [other for other in self._slots if other[1] == connection]
        left = self.held(connection) - OF_ONE
        for other in own[:-1]:
            if left > 0:
                left -= len(self._slots[other][1].text)
                dropped.append(self._drop(other))
        return file, source, dropped

    def held(self, connection: object) -> int:
        """Number of characters in a connection's texts."""
        return sum(len(source.text) for key, (_, source) in self._slots.items() if key[1] == connection)

    def copied(self) -> InlineTexts:
        """The same texts, apart from what comes later."""
        copy = InlineTexts()
        copy._slots, copy._files_named, copy._characters = self._slots.copy(), self._files_named, self._characters
        return copy

    def forget(self, connection: object) -> list[FileId]:
        """Drops all texts of a connection and tells which files they were."""
        return [self._drop(key) for key in [key for key in self._slots if key[1] == connection]]

    def _drop(self, key: tuple[str, object, str]) -> FileId:
        file, source = self._slots.pop(key)
        self._characters -= len(source.text)
        return file
