"""Which files are programs and which are documents, by their names alone, and the text of a document."""

from __future__ import annotations

from typing import Final

from analysis.text import Chunk, Source

_SUFFIXES: Final = (".json", ".jsonc", ".toml")


def is_document(path: str) -> bool:
    """Whether a file is no program whatever it holds. Everything else is one: an untitled buffer has any name."""
    return path.endswith(_SUFFIXES)


class DocumentText(Source):
    """The text of a document: one chunk, since no part of it means anything by itself."""

    __slots__ = ()

    def __init__(self, text: str) -> None:
        super().__init__(text, (Chunk(text),), [0], [0], strict=True)

    def edited(self, start: int, end: int, new: str) -> Source:
        if not 0 <= start <= end <= len(self.text):
            raise ValueError(f"edit {start}..{end} lies outside a text of {len(self.text)} characters")
        return DocumentText(self.text[:start] + new + self.text[end:])

    def replaced_by(self, text: str) -> Source:
        return DocumentText(text)


def source_of(path: str, text: str, base: Source | None = None) -> Source:
    """The text of a file, as a difference to a text of it that is known."""
    if base is not None:
        return base if base.text == text else base.replaced_by(text)
    return DocumentText(text) if is_document(path) else Source.from_text(text)
