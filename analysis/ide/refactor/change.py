"""What a refactoring gives: edits with facts about them, or the reason why not; and the trial that a change must pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from analysis.database import Database
from analysis.diagnostics.diagnostic import Severity
from analysis.edits import Edit
from analysis.ide.delta import delta
from analysis.ide.rename import Refusal
from analysis.inputs import FileId, source
from analysis.text import Source

__all__ = ["Change", "NewFile", "Refusal", "changed", "tried"]


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that a change makes; `path` is absolute."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """Edits by file, in order of position and without overlap, and what an answer tells of them."""

    edits: Mapping[FileId, Sequence[Edit]]
    facts: Mapping[str, object] = field(default_factory=dict)
    new_files: tuple[NewFile, ...] = ()


def changed(text: Source, edits: Iterable[Edit]) -> Source:
    """A text after edits, with the line ends that it has."""
    result, has_crlf = text, "\r\n" in text.text
    for edit in sorted(edits, key=lambda one: one.span, reverse=True):
        new = edit.new_text.replace("\r\n", "\n").replace("\n", "\r\n") if has_crlf else edit.new_text
        result = result.edited(*edit.span, new)
    return result


def tried(db: Database, change: Change, others: Iterable[FileId] = (), with_hints: bool = True) -> Change | Refusal:
    """The change, if no edited file and none of `others` has a diagnostic then that it does not have now.

    Without `with_hints` only errors and warnings count.
    """
    counting = tuple(Severity) if with_hints else (Severity.ERROR, Severity.WARNING)
    branch = db.branch()
    for file, edits in change.edits.items():
        source.set(branch, file, changed(source(db, file), edits))
    for file in dict.fromkeys([*change.edits, *others]):
        introduced = [one for one in delta(db, branch, file).introduced if one[1].severity in counting]
        if introduced:
            start, made = introduced[0]
            line = source(branch, file).position(start + made.span[0])[0] + 1
            return Refusal(f"line {line} would have a new diagnostic: {made.code}, {made.message.splitlines()[0]}")
    return change
