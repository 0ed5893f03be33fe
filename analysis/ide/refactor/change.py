"""Result of a refactoring: edits with facts about them, or the reason why not; and the trial that a change must pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from analysis.data_classes import dataclass, field
from analysis.database import Database, checkpoint, paced, paced_sorted
from analysis.diagnostics.diagnostic import Severity
from analysis.ide.delta import Placed, delta, edited
from analysis.ide.rename import Refusal
from analysis.inputs import FileId, source
from analysis.text.edits import Edit
from analysis.text.source import Source

__all__ = ["Change", "NewFile", "Refusal", "changed", "changed_text", "introduced", "tried"]


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that a change creates; `path` is absolute."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """Edits by file, in order of position and without overlap, and what an answer tells of them.

    `expected` are diagnostics that belong to what was asked for: their codes, and the text that they mark.
    """

    edits: Mapping[FileId, Sequence[Edit]]
    facts: Mapping[str, object] = field(default_factory=dict)
    new_files: tuple[NewFile, ...] = ()
    expected: frozenset[tuple[str, str]] = frozenset()


def changed_text(text: Source, edits: Iterable[Edit]) -> str:
    """A text after edits that do not overlap, with its own line ends."""
    pieces, at, has_crlf = list[str](), 0, text.has_crlf
    for edit in paced(paced_sorted(edits, key=lambda one: one.span)):
        new = edit.new_text.replace("\r\n", "\n").replace("\n", "\r\n") if has_crlf else edit.new_text
        pieces += [text.text[at : edit.span[0]], new]
        at = edit.span[1]
    return "".join([*pieces, text.text[at:]])


def changed(text: Source, edits: Iterable[Edit]) -> Source:
    """The same as a source: what lies between the first and the last edit is scanned once."""
    return text.replaced_by(changed_text(text, edits), checkpoint)


def tried(db: Database, change: Change, others: Iterable[FileId] = (), with_hints: bool = True) -> Change | Refusal:
    """The change, or a refusal if it introduces an unexpected diagnostic in an edited file or one of `others`.

    Without `with_hints` only errors and warnings count.
    """
    looked_at = list(dict.fromkeys([*change.edits, *others]))
    branch = edited(db, {file: changed(source(db, file), edits) for file, edits in change.edits.items()}, looked_at)
    for file in looked_at:
        first_new = introduced(db, branch, file, change, with_hints)
        if first_new is not None:
            start, diagnostic = first_new
            line = source(branch, file).position(start + diagnostic.span[0])[0] + 1
            return Refusal(f"line {line} would have a new diagnostic: {diagnostic.code}, {diagnostic.message.splitlines()[0]}")
    return change


def introduced(before: Database, after: Database, file: FileId, change: Change, with_hints: bool = True) -> Placed | None:
    """The first unexpected diagnostic that a file has only after a change."""
    counting = tuple(Severity) if with_hints else (Severity.ERROR, Severity.WARNING)
    text = source(after, file).text
    for start, diagnostic in delta(before, after, file).introduced:
        marked = text[start + diagnostic.span[0] : start + diagnostic.span[1]]
        if diagnostic.severity in counting and (diagnostic.code, marked) not in change.expected:
            return start, diagnostic
    return None
