"""Changes of a text, as plain values: an edit, and the fix that a set of edits makes.

Spans are half-open pairs of code point offsets, counted from where the maker says: a chunk's start or the file's.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from analysis.data_classes import dataclass

Span = tuple[int, int]
"""Half-open pair of code point offsets (start, end)."""


class Confidence(StrEnum):
    """Probability that a patch is what the author meant."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class FixKind(StrEnum):
    """What a fix does, where other code asks for it."""

    OTHER = "other"
    RENAMING = "renaming"
    """Writes the known name that is nearest to the written one."""
    DECLARATION = "declaration"
    """Writes the keyword that a declaration begins with here."""
    IMPORT = "import"
    COMPLETION = "completion"
    """Adds the arms or fields that are missing."""
    REMOVAL = "removal"
    """Takes away what is not needed, whatever it says."""
    CONSTANT = "constant"
    """Makes a value of the top level a function."""
    TRANSLATION = "translation"
    """Writes whole items with the forms of .ax."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces the text of `span` by `new_text`."""

    span: Span
    new_text: str

    @property
    def is_deletion(self) -> bool:
        return not self.new_text

    @property
    def begins_line(self) -> bool:
        """True if a line ends before everything that is written."""
        return self.new_text[:1] == "\n"


@dataclass(frozen=True, slots=True)
class Fix:
    """One way to mend a diagnostic. Edits do not overlap and are in order of position."""

    id: str
    description: str
    confidence: Confidence
    rationale: str
    edits: tuple[Edit, ...]
    is_placeholder: bool = False
    """True if the edits invent a value, a type or a meaning, which a person must replace."""
    is_alternative: bool = False
    """True if it reads a mistake otherwise than the reference's patch does: repairs try it, answers to checks leave it out."""
    kind: FixKind = FixKind.OTHER
    name: str = ""
    """The name that is written: of what was meant, of the function that a constant becomes."""

    @property
    def title(self) -> str:
        """The description for somebody who chooses between fixes."""
        return f"{self.description} (placeholder: replace it)" if self.is_placeholder else self.description


def moved(offset: int, edits: Iterable[Edit]) -> int:
    """Position of an offset after edits, which are in order of position."""
    shift = 0
    for edit in edits:
        if edit.span[1] > offset:
            break
        shift += len(edit.new_text) - (edit.span[1] - edit.span[0])
    return offset + shift
