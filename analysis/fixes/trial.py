"""A file in a private branch of the database, where fixes are tried."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final, TypeAlias

from analysis.data_classes import replace
from analysis.database import Database, query
from analysis.diagnostics.check import FileDiagnostics, check_file
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.fixes.applying import edited, longest_edit
from analysis.fixes.candidates import candidate_fixes
from analysis.fixes.dialect.translate import Translated, translated
from analysis.fixes.idle import idle_statements
from analysis.inputs import FILE, FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.text.edits import Confidence, Edit, Fix, FixKind, moved
from analysis.text.source import Source

_MOST_TRIALS: Final = 2000
_MOST_EFFORT: Final = 2_000_000
"""Maximum characters that the trials of one repair check again, and chunks that they look at: some seconds of work."""
_MOST_CHECKED: Final = 100
"""Texts whose diagnostics are kept."""
_EFFORT_OF_ERROR: Final = 10
"""A check recomputes the messages of all syntax errors of a file; each takes as long as this many characters."""
_DOES_SOMETHING: Final = re.compile(r"\w\s*+\(|[^=<>!]=[^=>]|\breturn\s++[^;}]")
"""A call, an assignment, a result."""
_MARKS: Final = frozenset(",;()[]{}")
"""Punctuation that only marks where things begin and end."""
_ALSO_MENDED: Final = ("W301", "W402", "W405")
"""Codes below a warning whose patches `best` applies if they are misspellings."""

Measure: TypeAlias = tuple[int, int, int, int]
"""Lexical errors, parse errors, other errors, warnings: compared in this order, less is better."""


@query(limit=8, subject=FILE)
def _translated(db: Database, file: FileId, text: str) -> Translated | None:
    """Cached: each quick fix of a file with errors needs it."""
    return translated(text)


class Trial:
    """A file in a branch of the database."""

    def __init__(self, db: Database, file: FileId) -> None:
        self._branch = db.branch()
        self._file = file
        self.text = source(db, file)
        self.unlike: tuple[tuple[int, str], ...] = ()
        """Text that the translation left and `.ax` reads differently, by offset in the original text."""
        self._trials = self._effort = 0
        self._placeholders: dict[Fix, int] = {}
        self._guesses: set[Fix] = set()
        self._fixes: dict[tuple[int, Diagnostic], tuple[Fix, ...]] = {}
        self._checked: dict[str, FileDiagnostics] = {}
        """The diagnostics of the file by its text: a repair goes back to what it has tried, and asks again."""

    @property
    def is_spent(self) -> bool:
        """True if the limit of trials or of their effort is reached."""
        return self._trials > _MOST_TRIALS or self._effort > _MOST_EFFORT

    def diagnostics(self) -> FileDiagnostics:
        return self._diagnostics_of_text(self.text)

    def measure(self) -> Measure:
        return measured(self.diagnostics())

    def measure_of(self, edits: Sequence[Edit]) -> Measure:
        """Measure of the file with some edits; the file stays unchanged."""
        measure = measured(self._diagnostics_of(edits))
        self._effort += _EFFORT_OF_ERROR * sum(measure[:2])
        return measure

    def adds_codes(self, edits: Sequence[Edit]) -> bool:
        """True if some edits leave more diagnostics of any one code."""
        before, after = (
            Counter(entry.code for _, entry in diagnostics.entries)
            for diagnostics in (self.diagnostics(), self._diagnostics_of(edits))
        )
        return bool(after - before)

    def _diagnostics_of(self, edits: Sequence[Edit]) -> FileDiagnostics:
        """Those of the file with some edits; the file stays unchanged."""
        self._trials += 1
        touched = {self.text.chunk_at(edit.span[0]) for edit in edits}
        self._effort += len(self.text.chunks) + sum(len(self.text.chunks[index].text) for index in touched)
        return self._diagnostics_of_text(edited(self.text, edits))

    def _diagnostics_of_text(self, text: Source) -> FileDiagnostics:
        diagnostics = self._checked.get(text.text)
        if diagnostics is None:
            if len(self._checked) >= _MOST_CHECKED:
                self._checked.clear()
            source.set(self._branch, self._file, text)
            try:
                diagnostics = self._checked[text.text] = check_file(self._branch, self._file)
            finally:
                source.set(self._branch, self._file, self.text)
        return diagnostics

    def keep(self, *fixes: Fix) -> None:
        """Applies fixes that do not overlap."""
        edits = sorted([edit for fix in fixes for edit in fix.edits], key=lambda edit: edit.span)
        self._placeholders = {fix: moved(offset, edits) for fix, offset in self._placeholders.items()}
        self._guesses.update(fix for fix in fixes if self._takes_away(fix))
        for fix in fixes:
            if fix.is_placeholder or self.guessed(fix):
                # If there are several edits, the longest is the invented text.
                longest = longest_edit(fix)
                self.place(fix, longest, len(longest.new_text) - len(longest.new_text.lstrip()), edits)
        self._set(edited(self.text, edits))

    def place(self, fix: Fix, edit: Edit, offset: int, edits: Sequence[Edit]) -> None:
        """Records where a fix invented something: in the new text of one of the edits."""
        self._placeholders[fix] = moved(edit.span[0], [each for each in edits if each.span < edit.span]) + offset

    def line_of(self, fix: Fix) -> int | None:
        """The line, from 1, of the text that a kept fix invented or guessed; None if it did neither."""
        offset = self._placeholders.get(fix)
        return None if offset is None else self.text.position(offset)[0] + 1

    def helpful(self, chunk: int, diagnostic: Diagnostic, before: Measure) -> list[tuple[Measure, Fix]]:
        """The fixes that `best` may apply and that improve the file, each with the resulting measure.

        None has low confidence: those are only listed. A fix that invents something is marked as a placeholder; its confidence
        says how certain it is that something is missing there. If only guesses help, a guess that changes only punctuation and
        leaves its item without errors is taken with medium confidence, if it is the only one.
        """
        tried: list[tuple[Measure, Fix]] = []
        is_broken = diagnostic.error is not None
        for fix in self.fixes(chunk, diagnostic):
            if fix.confidence is Confidence.LOW and not (is_broken and self._moves_marks(fix)):
                continue
            try:
                after = self.measure_of(fix.edits)
            except ValueError:
                continue
            if fix.kind is FixKind.RENAMING and fix.is_placeholder and after[3] > before[3]:
                # A guessed name with the wrong type.
                continue
            if after < before and not (is_broken and self._divides(fix)):
                tried.append((after, fix))
        sure = [row for row in tried if not is_guess(row[1]) and not (is_broken and row[1].is_placeholder)]
        return sure or self._only_one(tried, before) or [row for row in tried if row[1].is_placeholder]

    def _only_one(self, tried: list[tuple[Measure, Fix]], before: Measure) -> list[tuple[Measure, Fix]]:
        """The only guess that leaves no diagnostics and costs least."""
        clean = [
            row
            for row in tried
            if is_guess(row[1])
            and row[0][2] <= before[2]
            and row[0][3] <= before[3]
            and self._leaves_sound(row[0], row[1], before)
        ]
        least = min((after for after, _ in clean), default=before)
        cheapest = [fix for after, fix in clean if after == least]
        if len(cheapest) != 1:
            return []
        rationale = f"{cheapest[0].rationale}; it is the only such change after which everything is clean"
        trusted = replace(cheapest[0], confidence=Confidence.MEDIUM, rationale=rationale)
        self._guesses.add(trusted)
        return [(least, trusted)]

    def _leaves_sound(self, after: Measure, fix: Fix, before: Measure) -> bool:
        """True if a fix removes all syntax errors of the item it changes, and no other item has more."""
        tree = chunk_tree(self._branch, self.text.chunks[self.text.chunk_at(fix.edits[0].span[0])].text)
        return after[0] + after[1] <= before[0] + before[1] - max(1, len(tree.tokens.errors) + len(tree.errors))

    def _divides(self, fix: Fix) -> bool:
        """True if a fix splits a statement in two: an unused value is on a line that it changes."""
        after, shift = edited(self.text, fix.edits), 0
        lines: defaultdict[int, set[int]] = defaultdict(set)
        for edit in sorted(fix.edits, key=lambda each: each.span):
            place = edit.span[0] + shift
            shift += len(edit.new_text) - (edit.span[1] - edit.span[0])
            lines[after.chunk_at(place)].add(after.position(place)[0])
        return any(
            after.position(after.offsets[number] + node.start)[0] in changed
            for number, changed in lines.items()
            for node in idle_statements(chunk_tree(self._branch, after.chunks[number].text))
        )

    def guessed(self, fix: Fix) -> bool:
        """True if a fix may have changed the meaning of a text that did not parse."""
        return fix in self._guesses or is_guess(fix)

    def _takes_away(self, fix: Fix) -> bool:
        """True if a fix removes a statement that has an effect; a translation drops whole items and rewrites their uses."""
        if fix.kind in (FixKind.TRANSLATION, FixKind.REMOVAL):
            return False
        removed = (self.text.text[slice(*edit.span)] for edit in fix.edits if not edit.new_text.strip())
        return any(_DOES_SOMETHING.search(text) for text in removed)

    def _moves_marks(self, fix: Fix) -> bool:
        """True if a fix inserts and removes nothing but punctuation marks."""
        return all(
            _MARKS.issuperset(f"{edit.new_text}{self.text.text[slice(*edit.span)]}".replace(" ", "")) for edit in fix.edits
        )

    def translated(self) -> Translated | None:
        """Fix that writes the text with the forms of .ax; None if there is none."""
        return _translated(self._branch, self._file, self.text.text)

    def state(self) -> tuple[Source, dict[Fix, int]]:
        """State for `restore`."""
        return self.text, self._placeholders

    def restore(self, state: tuple[Source, dict[Fix, int]]) -> None:
        """Restores an earlier state of the file."""
        text, self._placeholders = state
        self._set(text)

    def _set(self, text: Source) -> None:
        self.text = text
        self._fixes.clear()
        source.set(self._branch, self._file, text)

    def fixes(self, chunk: int, diagnostic: Diagnostic) -> tuple[Fix, ...]:
        """The untried fixes of a diagnostic of the current text."""
        candidates = self._fixes.get((chunk, diagnostic))
        if candidates is None:
            candidates = self._fixes[chunk, diagnostic] = candidate_fixes(self._branch, self._file, chunk, diagnostic)
        return candidates


def is_guess(fix: Fix) -> bool:
    """True if a fix may lose or change the intended meaning and nothing marks the place."""
    return fix.confidence is Confidence.LOW and not fix.is_placeholder


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


def is_misspelling(diagnostic: Diagnostic) -> bool:
    return diagnostic.code in _ALSO_MENDED and not any(fix.kind is FixKind.REMOVAL for fix in diagnostic.fixes)


def is_mended(diagnostic: Diagnostic) -> bool:
    """True for diagnostics that a repair fixes without being asked."""
    if diagnostic.severity in (Severity.ERROR, Severity.WARNING) or is_misspelling(diagnostic):
        return True
    return diagnostic.code == "W501" and any(fix.kind is FixKind.RENAMING for fix in diagnostic.fixes)
