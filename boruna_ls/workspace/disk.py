"""Files on disk, read again only when their status says that they changed.

What cannot be analysed (too large, not UTF-8) has a reason (a sentence) beside the text; what cannot be read raises
`FileUnavailable`, which views turn into an answer. Two files with the same bytes are one text.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import WeakValueDictionary

from analysis.data_classes import dataclass
from analysis.documents.file_names import is_document, source_of
from analysis.text.blocks import no_pause
from analysis.text.source import Source
from boruna_ls import bounded, no_follow
from boruna_ls.mounts import MOUNTS, SILENT

if TYPE_CHECKING:
    from hashlib import blake2b
else:
    try:
        # `hashlib` loads OpenSSL, for which a process that checks one file would wait.
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b

SIZE_LIMIT: Final = 1_048_576
"""Bytes of UTF-8; the text of a larger file is not analysed."""
_GRAIN: Final = 100_000_000
_COARSE: Final = 2_000_000_000
_SKEW: Final = 600_000_000_000
"""Nanoseconds: changes that lie nearer together may leave equal stamps, the same on disks that count in seconds; how far the
clock of a network disk may be ahead.
"""
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_KINDS: Final = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))


class FileUnavailable(Exception):
    """A file that cannot be read, with the reason in words for the user."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class Stamp(NamedTuple):
    """Metadata that changes when a file or a folder does. The time of change cannot be set back, the time of modification can."""

    modified: int
    changed: int
    size: int
    inode: int
    device: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        return cls(status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_dev)

    def is_racy(self, read_at: int) -> bool:
        """True if something read at a moment (ns since the epoch) may have changed since and kept this stamp.

        That needs two changes within the grain of the clock; a time in the far future is one that the clock has left.
        """
        return any(-_grain(time) <= time - read_at < _SKEW for time in (self.changed, self.modified))


@dataclass(frozen=True, slots=True)
class DiskFile:
    """A file as it was last read; `defect` says why it cannot be analysed ("" if it can)."""

    stamp: Stamp
    is_racy: bool
    source: Source
    defect: str


class Disk:
    """Reads files, keeps what it read."""

    def __init__(self) -> None:
        self._files: dict[str, DiskFile] = {}
        self._sources: WeakValueDictionary[bytes, Source] = WeakValueDictionary()
        self.discard: Callable[[Source], None] = lambda source: None
        """Called with the text of a file that is not kept any more: that may be large."""

    def read(self, path: str, pause: Callable[[], None] = no_pause) -> DiskFile:
        """The file as it is now. The new text is scanned as a difference to the old one. Raises FileUnavailable.

        `pause` is called now and then while a text is scanned, and may end that by an exception.
        """
        if not MOUNTS.answers(path):
            raise FileUnavailable(path, SILENT)
        entry = self._files.get(path)
        try:
            status = bounded.status(path)
            stamp = Stamp.of(status)
            if entry is not None and entry.stamp == stamp and not entry.is_racy:
                return entry
            if not stat.S_ISREG(status.st_mode):
                raise FileUnavailable(path, f"is {_kind(status.st_mode)}, not a file")
            if status.st_size > SIZE_LIMIT:
                read = DiskFile(stamp, False, Source.from_text(""), too_large(status.st_size))
            else:
                try:
                    read = self._decoded(path, *read_regular(path, SIZE_LIMIT), entry, pause)
                except PermissionError as error:
                    read = _forbidden(stamp, f"file cannot be read: {reason_of(error)}", entry)
        except (OSError, ValueError) as error:
            self.forget(path)
            raise FileUnavailable(path, reason_of(error)) from error
        except FileUnavailable:
            self.forget(path)
            raise
        if entry is None or entry.source is not read.source:
            del entry
            self.forget(path)
        self._files[path] = read
        return read

    def unchanged(self, path: str) -> DiskFile | None:
        """The file as it was read last if it is certainly still that, and no link; `path` is canonical but for its name."""
        entry = self._files.get(path)
        if entry is None or entry.is_racy or not MOUNTS.answers(path):
            return None
        try:
            return entry if Stamp.of(bounded.link_status(path)) == entry.stamp else None
        except (OSError, ValueError):
            return None

    def last_read(self, path: str) -> Source | None:
        """The text of a file as it was read last, None if it was not."""
        entry = self._files.get(path)
        return entry.source if entry is not None else None

    def forget(self, path: str) -> None:
        """Drops what was read, so that the next read looks at the disk again."""
        if (entry := self._files.pop(path, None)) is not None:
            source = entry.source
            del entry
            self.discard(source)

    def forget_others(self, used: Collection[str]) -> None:
        """Drops what was read of all other files: a text of many items lies in many small blocks all over the memory."""
        for path in set(self._files).difference(used):
            self.forget(path)

    def _decoded(
        self, path: str, data: bytes, stamp: Stamp, is_racy: bool, file: DiskFile | None, pause: Callable[[], None]
    ) -> DiskFile:
        defect = too_large(len(data))
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            text = data.decode("utf-8", "replace")
            defect = defect or f"file is not valid UTF-8: byte 0x{data[error.start]:02X} at offset {error.start}"
        digest = blake2b(data, digest_size=16, key=b"document" if is_document(path) else b"").digest()
        source = self._sources.get(digest)
        if source is None:
            source = source_of(path, text, file.source if file is not None else None, pause)
            self._sources[digest] = source
        return DiskFile(stamp, is_racy, source, defect)


def read_regular(path: str, limit: int) -> tuple[bytes, Stamp, bool]:
    """At most `limit` + 1 bytes of a file, its stamp, and whether that may not tell of the next change.

    `path` is canonical: links are not followed. Raises OSError, also for what is not a regular file: a pipe must not make us
    wait, nor a device answer for ever.
    """
    return MOUNTS.call(path, partial(_read_regular, limit=limit))


def _read_regular(path: str, limit: int) -> tuple[bytes, Stamp, bool]:
    try:
        descriptor = no_follow.opened(path, _FLAGS)
    except OSError as error:
        if no_follow.is_link_error(error):
            raise OSError(error.errno, "is a symbolic link, or is behind one") from None
        raise
    with open(descriptor, "rb") as file:
        read_at = time.time_ns()
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise OSError(f"is {_kind(before.st_mode)}, not a file")
        data: bytes | None = file.read(limit + 1)
        if data is None:
            # Some files of the system are regular by name and wait for events like a device.
            raise OSError("cannot be read now")
        stamp = Stamp.of(os.fstat(descriptor))
    return data, stamp, stamp != Stamp.of(before) or stamp.is_racy(read_at)


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


def _forbidden(stamp: Stamp, defect: str, file: DiskFile | None) -> DiskFile:
    """A file that is there and may not be read: the same text as long as that is so."""
    source = file.source if file is not None and file.defect == defect else Source.from_text("")
    return DiskFile(stamp, stamp.is_racy(time.time_ns()), source, defect)


def _grain(time: int) -> int:
    """Least distance (ns) between two changes that get different times, judged by one of the times."""
    return _GRAIN if time % 10_000_000 else _COARSE


def _kind(mode: int) -> str:
    return next((words for is_kind, words in _KINDS if is_kind(mode)), "a device")
