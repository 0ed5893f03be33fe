"""A copy of the texts that are inputs of the database, readable without waiting for a computation.

A text is kept once for each file and layer; it is an input for each set of libraries with which it was requested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple

from analysis import inputs
from analysis.database import Database, Durability
from analysis.inputs import FileId
from analysis.text.source import Source

Write = Callable[[Callable[[Database], None]], None]
"""Sets inputs now or later; what it is given gets the database."""


_USUAL: Final = 5_000
"""Characters of the chunks that an edit usually makes anew: longer ones leave behind what follows from all of their text."""
_LONG: Final = 10_000
"""Characters of a text that is not freed in one go: its blocks keep what follows from it."""


class Text(NamedTuple):
    """A text and why it cannot be analysed ("" if it can)."""

    source: Source
    defect: str = ""
    durability: Durability | None = None


class Texts:
    """Texts of files, by file without `libs`, and the inputs made from each."""

    def __init__(self, write: Write) -> None:
        self.write = write
        self.gone: Callable[[int], None] = lambda characters: None
        """Called when a text was replaced by another one or removed."""
        self._texts: dict[FileId, Text] = {}
        self._variants: dict[FileId, tuple[FileId, ...]] = {}
        self._digests: dict[FileId, tuple[Source, str]] = {}
        self._on_disk: dict[str, tuple[FileId, ...]] = {}

    def copied(self) -> Texts:
        """An independent copy of the texts; set `write` on it."""
        other = Texts(self.write)
        other._texts, other._variants, other._digests = dict(self._texts), dict(self._variants), dict(self._digests)
        other._on_disk = dict(self._on_disk)
        return other

    def get(self, file: FileId) -> Text | None:
        """Text of a file; None if it was not set."""
        return self._texts.get(_base(file))

    def set(self, file: FileId, source: Source, defect: str = "", durability: Durability | None = None) -> bool:
        """Sets a text; whether it is another one than before."""
        base, text = _base(file), Text(source, defect, durability)
        old = self._texts.get(base)
        if old is not None and old.source is source and old.defect == defect and old.durability == durability:
            return False
        self._texts[base] = text
        if old is None and base.layer in ("disk", "library"):
            self._on_disk[base.path] = (*self._on_disk.get(base.path, ()), base)
        if old is not None:
            self.gone(abs(len(old.source.text) - len(source.text)) + max(0, source.scanned - _USUAL))
        for variant in self._variants.get(base, ()):
            if old is None or old.source is not source or old.durability != durability:
                self.write(partial(_set_source, variant, text))
            if old is None or old.defect != defect:
                self.write(partial(_set_defect, variant, text))
        if old is not None and old.source is not source:
            self._digests.pop(base, None)
            # An edit leaves most of a text in use; one that was read anew shares nothing.
            if base in self._variants and not 0 < source.scanned <= _USUAL:
                self.write(partial(discard, old.source))
        return old is None or old.source is not source or old.defect != defect

    def with_libraries(self, file: FileId, libs: str) -> FileId:
        """Identity of a file with a text under a set of libraries."""
        base, seen = _base(file), file._replace(libs=libs)
        variants = self._variants.get(base, ())
        if seen not in variants:
            self._variants[base] = (*variants, seen)
            text = self._texts[base]
            self.write(partial(_set_source, seen, text))
            if text.defect:
                self.write(partial(_set_defect, seen, text))
        return seen

    def remove(self, file: FileId) -> bool:
        """Forgets a text and its inputs; whether it was there."""
        base = _base(file)
        self._digests.pop(base, None)
        text = self._texts.pop(base, None)
        variants = self._variants.pop(base, ())
        for variant in variants:
            self.write(partial(_unset, variant))
        if text is None:
            return False
        if variants:
            self.write(partial(discard, text.source))
        rest = tuple(other for other in self._on_disk.pop(base.path, ()) if other != base)
        if rest:
            self._on_disk[base.path] = rest
        self.gone(len(text.source.text))
        return True

    def drop(self, libs: str) -> None:
        """Drop the variants with a set of libraries that no request uses any more."""
        for base, variants in list(self._variants.items()):
            gone = [variant for variant in variants if variant.libs == libs]
            if gone:
                self._variants[base] = tuple(variant for variant in variants if variant.libs != libs)
                for variant in gone:
                    self.write(partial(_unset, variant))

    def digest(self, file: FileId) -> str:
        """The SHA-256 of a text that is set, as UTF-8, in hexadecimal digits. Raises KeyError."""
        base = _base(file)
        source = self._texts[base].source
        cached = self._digests.get(base)
        if cached is None or cached[0] is not source:
            # Loads OpenSSL: a process that checks one file does not wait for it.
            from hashlib import sha256

            cached = self._digests[base] = (source, sha256(source.text.encode("utf-8", "surrogatepass")).hexdigest())
        return cached[1]

    def files(self) -> list[FileId]:
        """All files whose text is set."""
        return list(self._texts)

    def of(self, workspace: str, layer: str) -> Iterator[FileId]:
        """The files of a workspace in a layer."""
        return (base for base in list(self._texts) if base.workspace == workspace and base.layer == layer)

    def paths(self) -> list[str]:
        """The paths of all files on disk."""
        return list(self._on_disk)

    def at(self, path: str) -> list[FileId]:
        """The files on disk of a path: one for each workspace that contains it for some client."""
        return [file for file in self._on_disk.get(path, ()) if file.layer == "disk"]


def _base(file: FileId) -> FileId:
    return file._replace(libs="") if file.libs else file


def _set_source(file: FileId, text: Text, db: Database) -> None:
    inputs.source.set(db, file, text.source, durability=text.durability)


def _set_defect(file: FileId, text: Text, db: Database) -> None:
    inputs.defect.set(db, file, text.defect)


def _unset(file: FileId, db: Database) -> None:
    inputs.source.remove(db, file)
    inputs.defect.remove(db, file)


def discard(source: Source, db: Database) -> None:
    """Frees a text that its owner drops now: a long one piece by piece, if nothing else holds it."""
    if len(source.text) > _LONG:
        db.debris.add(source)
