"""Files on disk, read again only when their status says that they changed.

What cannot be analysed (too large, not UTF-8) is told by a sentence beside the text; what cannot be read raises
`FileUnavailable`, which views turn into an answer.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import Final

from analysis.text import Source

SIZE_LIMIT: Final = 1_048_576
"""Bytes of UTF-8; the text of a larger file is not analysed."""


class FileUnavailable(Exception):
    """A file that cannot be read, with the reason in words for the person who asked."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class DiskFile:
    """A file as it was last read; `defect` says why it cannot be analysed ("" if it can)."""

    stamp: tuple[int, int, int]
    source: Source
    defect: str


class Disk:
    """Reads files, keeps what it read."""

    def __init__(self) -> None:
        self._files: dict[str, DiskFile] = {}

    def read(self, path: str) -> DiskFile:
        """The file as it is now. The new text is scanned as a difference to the old one."""
        known = self._files.get(path)
        try:
            status = os.stat(path)
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            if known is not None and known.stamp == stamp:
                return known
            if not stat.S_ISREG(status.st_mode):
                raise FileUnavailable(path, "is not a file")
            if status.st_size > SIZE_LIMIT:
                read = DiskFile(stamp, Source.from_text(""), too_large(status.st_size))
            else:
                with open(path, "rb") as file:
                    read = _decoded(stamp, file.read(SIZE_LIMIT + 1), known)
        except (OSError, ValueError) as error:
            self._files.pop(path, None)
            raise FileUnavailable(path, reason_of(error)) from error
        self._files[path] = read
        return read

    def forget(self, path: str) -> None:
        """Drops what was read, so that the next read looks at the disk again."""
        self._files.pop(path, None)


def too_large(size: int) -> str:
    """The sentence about a text of `size` bytes, "" if it is small enough."""
    return f"file has {size} bytes; files larger than {SIZE_LIMIT} bytes (1 MB) are not checked" if size > SIZE_LIMIT else ""


def size_defect(text: str) -> str:
    """The sentence about a text that is too large; measures it only if it could be."""
    if len(text) * 4 <= SIZE_LIMIT:
        return ""
    return too_large(len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass")))


def reason_of(error: Exception) -> str:
    """The cause of a failed read in words."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return str(error)


def _decoded(stamp: tuple[int, int, int], data: bytes, known: DiskFile | None) -> DiskFile:
    defect = too_large(len(data))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        defect = defect or f"file is not valid UTF-8: byte 0x{data[error.start]:02X} at offset {error.start}"
    base = known.source if known is not None else None
    return DiskFile(stamp, base.replaced_by(text) if base is not None else Source.from_text(text), defect)
