"""Result of a check: diagnostics, the places related to them, and fixes. Plain immutable values.

Spans are half-open pairs of code point offsets. A diagnostic's spans count from the start of the chunk that it belongs to
(`check.FileDiagnostics` places them in the file), a patch's edits count from the start of the file.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from analysis.data_classes import dataclass, field, replace
from analysis.text.edits import Fix, Span


class Severity(StrEnum):
    """Severity of a diagnostic, in the words of the tools' JSON."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    HINT = "hint"


class Topic(StrEnum):
    """What a diagnostic is about, where its code alone does not say it and other code asks."""

    NONE = ""
    NO_ITEM = "no item"
    """A syntax error at a token that begins no item."""
    DUPLICATE = "duplicate"
    """A name that is defined twice in one file."""
    CALL_ARITY = "call arity"
    """A call with too many or too few arguments."""
    FOREIGN = "foreign"
    """An unknown name that is a word or a function of other languages, or of a library."""


class Tag(StrEnum):
    """Display of the marked text in an editor besides underlining it."""

    UNNECESSARY = "unnecessary"


class Place(NamedTuple):
    """The nth declaration of a kind in a chunk; for a variant or a field, which count with their type, `member` is the name."""

    chunk: int
    kind: str
    number: int
    member: str = ""


@dataclass(frozen=True, slots=True)
class Related:
    """A place that explains a diagnostic.

    `span` counts from the start of the diagnostic's own chunk. A place in another chunk is given as a declaration, which keeps
    its number when texts move (`file_rules.placing.span_of` looks it up). A note can have neither.
    """

    message: str
    span: Span | None = None
    place: Place | None = None


class Shown(NamedTuple):
    """A diagnostic for people: our message at the true place; "" if another diagnostic reports the fault."""

    message: str
    span: Span


UNTOLD: Final = Shown("", (0, 0))
"""Of a diagnostic whose fault another one reports."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One diagnostic, equal over every channel in `code`, `severity`, place, `message` and `help`.

    `message` holds the reference's words where it has any. `help` says what to do, `why` gives the reason; both may be empty.
    `addition` is what `boruna_check` appends to the message: the source line with a marker, or advice.
    `fixes` are the rule's own, with spans counted from the chunk's start; none of them has been tried.
    `name` is the name that the diagnostic is about: the undefined variable, the unknown field, …; `capability` is what a policy
    lacks for it.
    `error` says which syntax error this is: how many chunks before the diagnostic's own, and its number there.
    `shown` is what editors and terminals say where `message` and `span` are the reference's (`for_people`).
    """

    code: str
    severity: Severity
    message: str
    span: Span
    help: str = ""
    why: str = ""
    addition: str = ""
    related: tuple[Related, ...] = ()
    tags: tuple[Tag, ...] = ()
    fixes: tuple[Fix, ...] = field(default=())
    name: str = ""
    error: tuple[int, int] | None = None
    shown: Shown | None = None
    topic: Topic = Topic.NONE
    capability: str = ""

    def for_people(self) -> Diagnostic | None:
        """The diagnostic as editors and terminals show it; None if another one reports the same fault."""
        if self.shown is None:
            return self
        if not self.shown.message:
            return None
        return replace(self, message=self.shown.message, span=self.shown.span, addition="", shown=None)
