"""Distinction of programs and documents by their file names alone, and the text of a document."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from analysis.text.blocks import no_pause
from analysis.text.source import Chunk, Source

if TYPE_CHECKING:
    from analysis.documents.kind import DocumentKind

_SUFFIXES: Final = (".json", ".jsonc", ".toml")


def is_document(path: str) -> bool:
    """True if a file is a document by its name. Every other file is a program: an untitled buffer has any name."""
    return path.endswith(_SUFFIXES)


def is_known(path: str) -> bool:
    """True if a file's name is one of a document kind with rules."""
    return is_document(path) and bool(_kind_of(path).name)


def is_listed(path: str) -> bool:
    """True if a file is a document that lists of workspaces include, such as a workflow."""
    return is_document(path) and _kind_of(path).is_listed


def _kind_of(path: str) -> DocumentKind:
    # A process that looks at programs alone does not wait for what documents need.
    from analysis.documents.kinds import kind_of

    return kind_of(path)


class DocumentText(Source):
    """The text of a document: one chunk, since no part of it means anything by itself."""

    __slots__ = ()

    def __init__(self, text: str) -> None:
        super().__init__(text, (Chunk(text),), [0], [0], strict=True)

    def edited(self, start: int, end: int, new: str, pause: Callable[[], None] = no_pause) -> Source:
        if not 0 <= start <= end <= len(self.text):
            raise ValueError(f"edit {start}..{end} lies outside a text of {len(self.text)} characters")
        return DocumentText(self.text[:start] + new + self.text[end:])

    def replaced_by(self, text: str, pause: Callable[[], None] = no_pause) -> Source:
        return DocumentText(text)


def source_of(path: str, text: str, base: Source | None = None, pause: Callable[[], None] = no_pause) -> Source:
    """The text of a file, as a difference to a text of it that is known; `pause` is called now and then."""
    if base is not None:
        return base if base.text == text else base.replaced_by(text, pause)
    return DocumentText(text) if is_document(path) else Source.from_text(text, pause)
