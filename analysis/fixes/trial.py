"""A file in a branch of the database, where fixes are tried and nobody sees it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from analysis.database import Database, query
from analysis.diagnostics.check import FileDiagnostics, check_file
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.edits import Confidence, Edit, Fix, moved
from analysis.fixes.candidates import candidate_fixes
from analysis.fixes.dialect.translate import Translated, translated
from analysis.inputs import FILE, FileId, source
from analysis.text import Source

_MOST_TRIALS: Final = 2000
_MOST_EFFORT: Final = 2_000_000
"""Characters that the trials of one repair may check again, and chunks that they may look at: some seconds' worth."""
_SIGNS: Final = ("&", "|", "^", "~")
"""Operators of other languages on bits, which have no counterpart."""
_ALSO_MENDED: Final = ("W301", "W402", "W405")
"""Codes below a warning whose patches `best` applies all the same where they are misspellings."""

Measure: TypeAlias = tuple[int, int, int, int]
"""Lexical errors, parse errors, other errors, warnings: less is better, the first number counts most."""


@query(limit=8, subject=FILE)
def _translated(db: Database, file: FileId, text: str) -> Translated | None:
    """Remembered: each quick fix of a file with errors asks for it."""
    return translated(text)


class Trial:
    """A file in a branch of the database."""

    def __init__(self, db: Database, file: FileId) -> None:
        self._branch = db.branch()
        self._file = file
        self.text = source(db, file)
        self._trials = self._effort = 0
        self._placeholders: dict[Fix, int] = {}

    @property
    def is_spent(self) -> bool:
        """Whether as much was tried as may be."""
        return self._trials > _MOST_TRIALS or self._effort > _MOST_EFFORT

    def diagnostics(self) -> FileDiagnostics:
        return check_file(self._branch, self._file)

    def measure(self) -> Measure:
        return measured(self.diagnostics())

    def measure_of(self, edits: Sequence[Edit]) -> Measure:
        """What the file would come to with some edits; the file stays as it is."""
        self._trials += 1
        touched = {self.text.chunk_at(edit.span[0]) for edit in edits}
        self._effort += len(self.text.chunks) + sum(len(self.text.chunks[index].text) for index in touched)
        source.set(self._branch, self._file, edited(self.text, edits))
        try:
            return self.measure()
        finally:
            source.set(self._branch, self._file, self.text)

    def keep(self, *fixes: Fix) -> None:
        """Applies fixes that do not overlap."""
        edits = sorted([edit for fix in fixes for edit in fix.edits], key=lambda edit: edit.span)
        self._placeholders = {fix: moved(offset, edits) for fix, offset in self._placeholders.items()}
        for fix in fixes:
            if fix.is_placeholder:
                # Of several edits the longest is what was invented.
                longest = max(fix.edits, key=lambda edit: len(edit.new_text))
                start = moved(longest.span[0], [edit for edit in edits if edit.span < longest.span])
                self._placeholders[fix] = start + len(longest.new_text) - len(longest.new_text.lstrip())
        self.text = edited(self.text, edits)
        source.set(self._branch, self._file, self.text)

    def line_of(self, fix: Fix) -> int | None:
        """The line, from 1, of what a fix that was kept invented; None if it invented nothing."""
        offset = self._placeholders.get(fix)
        return None if offset is None else self.text.position(offset)[0] + 1

    def likely_fixes(self, chunk: int, diagnostic: Diagnostic) -> list[Fix]:
        """The fixes that `best` applies: none that only takes an operator away, which would lose what it means."""
        return [fix for fix in self.fixes(chunk, diagnostic) if not self._drops_operator(fix)]

    def _drops_operator(self, fix: Fix) -> bool:
        if fix.confidence is not Confidence.LOW or any(edit.new_text for edit in fix.edits):
            return False
        return all(self.text.text[slice(*edit.span)] in _SIGNS for edit in fix.edits)

    def translated(self) -> Translated | None:
        """What writes the text with the forms of .ax."""
        return _translated(self._branch, self._file, self.text.text)

    def state(self) -> tuple[Source, dict[Fix, int]]:
        """What `restore` goes back to."""
        return self.text, self._placeholders

    def restore(self, state: tuple[Source, dict[Fix, int]]) -> None:
        """Goes back to what the file was."""
        self.text, self._placeholders = state
        source.set(self._branch, self._file, self.text)

    def fixes(self, chunk: int, diagnostic: Diagnostic) -> tuple[Fix, ...]:
        return candidate_fixes(self._branch, self._file, chunk, diagnostic)


def measured(diagnostics: FileDiagnostics) -> Measure:
    lexical = parse = errors = warnings = 0
    for _, diagnostic in diagnostics.entries:
        if diagnostic.code == "E001":
            lexical += 1
        elif diagnostic.code == "E002":
            parse += 1
        elif diagnostic.severity is Severity.ERROR:
            errors += 1
        elif diagnostic.severity is Severity.WARNING or is_misspelling(diagnostic):
            warnings += 1
    return lexical, parse, errors, warnings


def edited(text: Source, edits: Iterable[Edit]) -> Source:
    """A source with edits applied; new line ends are those that the file has. Raises ValueError for edits that overlap."""
    crlf = "\r\n" in text.text
    ordered = sorted(edits, key=lambda edit: edit.span)
    pieces: list[str] = []
    position = 0
    for edit in ordered:
        if edit.span[0] < position:
            raise ValueError("the edits of a patch overlap")
        new = edit.new_text.replace("\r\n", "\n").replace("\n", "\r\n") if crlf else edit.new_text
        pieces += (text.text[position : edit.span[0]], new)
        position = edit.span[1]
    if not ordered:
        return text
    # Scanned again once, from the first change to the last, however many there are.
    start, end = ordered[0].span[0], position
    return text.edited(start, end, "".join(pieces)[start:])


def is_misspelling(diagnostic: Diagnostic) -> bool:
    return diagnostic.code in _ALSO_MENDED and not any(fix.id.startswith("W402-remove-") for fix in diagnostic.fixes)
