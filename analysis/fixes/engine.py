"""Patches of findings, tried before they are offered, and the repair of a whole file (spec chapters 05 and 26).

A patch is tried in a branch of the database, where nobody sees it. It is kept only if the file is better afterwards: fewer
syntax errors, or as many and fewer other errors, or as many and fewer warnings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from analysis.database import Database, query
from analysis.diagnostics.check import FileFindings, check_file
from analysis.diagnostics.diagnostic import Confidence, Edit, Finding, Patch, Severity, Span
from analysis.diagnostics.syntax_errors import is_looked_into, unsound_chunks
from analysis.diff import unified_diff
from analysis.fixes.argument_count import arity_patches
from analysis.fixes.broken.items import values_named
from analysis.fixes.broken_text import BUILTIN_ARITIES, candidates
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.environment import environment
from analysis.semantics.summary import summary
from analysis.semantics.uses import NameUse
from analysis.syntax.lexer import LexicalError
from analysis.syntax.parser import ParseError
from analysis.syntax.tree import Function
from analysis.text import Source

_ROUNDS: Final = 40
_SEVERITIES: Final = (Severity.ERROR, Severity.WARNING, Severity.INFO, Severity.HINT)
_FEW: Final = 24
"""Up to this many findings every patch of every finding is tried in each round."""
_MOST_TRIALS: Final = 2000
_MOST_EFFORT: Final = 2_000_000
"""Characters that the trials of one repair may check again, and chunks that they may look at: some seconds' worth."""
_RANK: Final = {Confidence.HIGH: 2, Confidence.MEDIUM: 1, Confidence.LOW: 0}
_ALSO_MENDED: Final = ("W301", "W402", "W405")
"""Codes below a warning whose patches `best` applies all the same where they are misspellings."""

_CONSTANT: Final = re.compile(r"fn (\w+)\(\)")

Measure: TypeAlias = tuple[int, int, int, int]
"""Lexical errors, parse errors, other errors, warnings: less is better, the first number counts most."""


@dataclass(frozen=True, slots=True)
class Applied:
    code: str
    patch: Patch


@dataclass(frozen=True, slots=True)
class Skipped:
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class RepairOutcome:
    """What a repair came to. `verified`: something was applied and no error is left."""

    text: str
    applied: tuple[Applied, ...]
    skipped: tuple[Skipped, ...]
    verified: bool
    before: int
    after: int
    warnings: tuple[str, ...]
    diff: str


# ---- the patches of one finding -------------------------------------------------------------------------------------------


def patches_for(db: Database, file: FileId, chunk: int, finding: Finding) -> tuple[Patch, ...]:
    """The patches that are known for a finding, the likeliest first, with absolute spans; not tried yet."""
    text = source(db, file)
    base = text.offsets[chunk]
    if finding.error is not None:
        back, number = finding.error
        if not is_looked_into(number, chunk - back, unsound_chunks(db, file)):
            return ()
        base = text.offsets[chunk - back]
        found = _syntax(db, file, text.chunks[chunk - back].text, number)
        return tuple(_with_uses(db, text, chunk - back, _moved(patch, base)) for patch in found)
    if finding.code == "E009" and finding.severity is Severity.ERROR:
        found = _arity(db, file, text.chunks[chunk].text, finding)
    else:
        found = finding.patches
    return tuple(_moved(patch, base) for patch in found)


def fixes_for(db: Database, file: FileId, chunk: int, finding: Finding) -> tuple[Patch, ...]:
    """The patches of a finding that were tried and add no error and no warning, best first."""
    trial = _Trial(db, file)
    before = trial.measure()
    kept: list[tuple[Measure, int, Patch]] = []
    for patch in patches_for(db, file, chunk, finding):
        after = trial.measure_of(patch.edits)
        if after <= before:
            kept.append((after, len(kept), patch))
    return tuple(patch for _, _, patch in sorted(kept, key=lambda row: row[:2]))


def _syntax(db: Database, file: FileId, chunk: str, number: int) -> tuple[Patch, ...]:
    """The patches of a chunk's nth syntax error, with spans counted from the chunk's start."""
    tree = chunk_tree(db, chunk)
    errors: Sequence[LexicalError | ParseError] = tree.tokens.errors or tree.errors
    around = environment(db, file)
    # How many arguments the functions take decides between places for a bracket or a quote.
    arities = {**BUILTIN_ARITIES, **{name: len(fact.parameters) for name, fact in around.functions.items() if not fact.broken}}
    records = {name: tuple(field for field, _ in fact.members) for name, fact in around.types.items() if not fact.is_enum}
    return candidates(chunk, tree, errors[number], arities, records)


def _with_uses(db: Database, text: Source, chunk: int, patch: Patch) -> Patch:
    """A patch that makes a value of the top level a function, with the calls that its uses in other chunks become."""
    made = _CONSTANT.match(patch.edits[0].new_text) if patch.id.startswith("E002-constant") else None
    if made is None:
        return patch
    edits = list(patch.edits)
    for index, other in enumerate(text.chunks):
        if index != chunk and made[1] in other.text:
            base = text.offsets[index]
            edits += [Edit((base + end, base + end), "()") for end in values_named(chunk_tree(db, other.text).tokens, made[1])]
    return replace(patch, edits=tuple(sorted(edits, key=lambda edit: edit.span)))


def _arity(db: Database, file: FileId, chunk: str, finding: Finding) -> tuple[Patch, ...]:
    made = summary(db, chunk)
    use = _calls(db, chunk).get(finding.span)
    if use is None or use.call is None:
        return ()
    item = next(item for item in made.items if item.start <= use.start <= item.end)
    return arity_patches(chunk, use.call, item, made, environment(db, file)) if isinstance(item, Function) else ()


@query(limit=100)
def _calls(db: Database, chunk: str) -> Mapping[Span, NameUse]:
    """The uses of names in calls, by the span from the name to the call's end."""
    return {(use.start, use.call.end): use for use in summary(db, chunk).names if use.call is not None}


def _moved(patch: Patch, base: int) -> Patch:
    if base == 0:
        return patch
    return replace(patch, edits=tuple(Edit((edit.span[0] + base, edit.span[1] + base), edit.new_text) for edit in patch.edits))


# ---- trying ---------------------------------------------------------------------------------------------------------------


class _Trial:
    """A file in a branch of the database."""

    def __init__(self, db: Database, file: FileId) -> None:
        self._branch = db.branch()
        self._file = file
        self.text = source(db, file)
        self._trials = self._effort = 0

    @property
    def is_spent(self) -> bool:
        """Whether as much was tried as may be."""
        return self._trials > _MOST_TRIALS or self._effort > _MOST_EFFORT

    def findings(self) -> FileFindings:
        return check_file(self._branch, self._file)

    def measure(self) -> Measure:
        return _measured(self.findings())

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

    def keep(self, edits: Sequence[Edit]) -> None:
        self.text = edited(self.text, edits)
        source.set(self._branch, self._file, self.text)

    def patches(self, chunk: int, finding: Finding) -> tuple[Patch, ...]:
        return patches_for(self._branch, self._file, chunk, finding)


def _measured(findings: FileFindings) -> Measure:
    lexical = parse = errors = warnings = 0
    for _, finding in findings.entries:
        if finding.code == "E001":
            lexical += 1
        elif finding.code == "E002":
            parse += 1
        elif finding.severity is Severity.ERROR:
            errors += 1
        elif finding.severity is Severity.WARNING or _is_misspelling(finding):
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


# ---- the repair of a file -------------------------------------------------------------------------------------------------


def repair_file(db: Database, file: FileId, strategy: str = "best", patch_id: str | None = None) -> RepairOutcome:
    """Repairs a file in memory: strategy `best` or `all`, or with a `patch_id` all patches of that id; others are `best`."""
    warnings = []
    if strategy not in ("best", "all"):
        warnings.append(f"unknown strategy '{strategy}' was read as 'best'; the strategies are 'best' and 'all'")
    if strategy == "all" and patch_id is not None:
        warnings.append("patch_id is ignored with strategy 'all'")
    trial = _Trial(db, file)
    original = trial.text
    before = len(trial.findings().entries)
    applied: list[Applied] = []
    skipped: list[Skipped] = []
    if strategy == "all":
        _apply_all(trial, applied, skipped)
    elif patch_id is not None:
        _apply_by_id(trial, patch_id, applied, skipped)
    else:
        _apply_best(trial, applied, skipped)
    after = trial.findings()
    return RepairOutcome(
        trial.text.text,
        tuple(applied),
        tuple(skipped),
        bool(applied) and not after.has_errors(),
        before,
        len(after.entries),
        tuple(warnings),
        unified_diff(file.path.rsplit("/", 1)[-1], original.text, trial.text.text),
    )


def _is_mended(finding: Finding) -> bool:
    if finding.severity in (Severity.ERROR, Severity.WARNING) or _is_misspelling(finding):
        return True
    return finding.code == "W501" and any(patch.id.startswith("W501-rename-") for patch in finding.patches)


def _is_misspelling(finding: Finding) -> bool:
    return finding.code in _ALSO_MENDED and not any(patch.id.startswith("W402-remove-") for patch in finding.patches)


def _apply_best(trial: _Trial, applied: list[Applied], skipped: list[Skipped]) -> None:
    """One patch a finding, in rounds, each kept only if the file is better for it."""
    refused: dict[str, Skipped] = {}
    for _ in range(_ROUNDS):
        entries = [(chunk, finding) for chunk, finding in trial.findings().entries if _is_mended(finding)]
        if not entries:
            break
        refused.clear()
        if len(entries) <= _FEW:
            mended = _most_helpful(trial, entries, applied, refused)
        else:
            mended = _together(trial, entries, applied) or _one_by_one(trial, entries, applied, refused)
        if not mended:
            break
    skipped += refused.values()


def _most_helpful(trial: _Trial, entries: list[tuple[int, Finding]], applied: list[Applied], refused: dict[str, Skipped]) -> bool:
    """Tries every patch of every finding and keeps the one that helps most: one mistake can have many findings."""
    before = trial.measure()
    best: tuple[Measure, tuple[int, int], Finding, Patch] | None = None
    number = 0
    for chunk, finding in entries:
        if trial.is_spent:
            break
        patches = trial.patches(chunk, finding)
        for patch in patches:
            # Of patches that help alike, that of the worse finding is meant: a use is misspelt more often than a definition.
            order = _SEVERITIES.index(finding.severity), number
            number += 1
            try:
                after = trial.measure_of(patch.edits)
            except ValueError:
                continue
            if after < before and (best is None or (after, order) < best[:2]):
                best = after, order, finding, patch
        if patches:
            refused[f"{finding.code} {patches[0].id}"] = Skipped(finding.code, f"{patches[0].id} leaves as many errors as before")
    if best is None:
        return False
    refused.clear()
    trial.keep(best[3].edits)
    applied.append(Applied(best[2].code, best[3]))
    return True


def _together(trial: _Trial, entries: list[tuple[int, Finding]], applied: list[Applied]) -> bool:
    """Applies the first patch of every finding at once if each of them mends its finding; a shortcut for files with many."""
    if len(entries) < 4 or any(finding.error is not None for _, finding in entries):
        return False
    chosen: list[tuple[Finding, Patch]] = []
    for chunk, finding in entries:
        patches = trial.patches(chunk, finding)
        if patches:
            chosen.append((finding, patches[0]))
    edits = [edit for _, patch in chosen for edit in patch.edits]
    before = trial.measure()
    try:
        after = trial.measure_of(edits)
    except ValueError:
        return False
    if sum(before) - sum(after) < len(chosen) or after[:2] != before[:2] or not chosen:
        return False
    trial.keep(edits)
    applied += [Applied(finding.code, patch) for finding, patch in chosen]
    return True


def _one_by_one(trial: _Trial, entries: list[tuple[int, Finding]], applied: list[Applied], refused: dict[str, Skipped]) -> bool:
    """Tries the patches of each finding and keeps the best; after the first that moves text, a new round places the rest."""
    before = trial.measure()
    any_kept = False
    for chunk, finding in reversed(entries):
        # From the end of the file backwards, what is kept moves no finding that is still to come.
        if trial.is_spent:
            break
        patches = trial.patches(chunk, finding)
        best: tuple[Measure, int, Patch] | None = None
        for number, patch in enumerate(patches):
            try:
                after = trial.measure_of(patch.edits)
            except ValueError:
                continue
            if after < before and (best is None or (after, number) < best[:2]):
                best = after, number, patch
        if best is not None:
            trial.keep(best[2].edits)
            applied.append(Applied(finding.code, best[2]))
            before, any_kept = best[0], True
            if finding.error is not None:
                # The chunks may be others now.
                return True
        elif patches:
            refused[f"{finding.code} {patches[0].id}"] = Skipped(finding.code, f"{patches[0].id} leaves as many errors as before")
    return any_kept


def _apply_all(trial: _Trial, applied: list[Applied], skipped: list[Skipped]) -> None:
    """Every finding's likeliest patch, each kept if it adds no error."""
    found = [(finding, patches[0]) for chunk, finding in trial.findings().entries if (patches := trial.patches(chunk, finding))]
    _apply_in_order(trial, found, applied, skipped)
    _apply_best(trial, applied, skipped)


def _apply_by_id(trial: _Trial, patch_id: str, applied: list[Applied], skipped: list[Skipped]) -> None:
    every = [(finding, patch) for chunk, finding in trial.findings().entries for patch in trial.patches(chunk, finding)]
    found = [(finding, patch) for finding, patch in every if patch.id == patch_id]
    if not found and every:
        skipped.append(Skipped("all", "no applicable patches found"))
    _apply_in_order(trial, found, applied, skipped)


def _apply_in_order(trial: _Trial, found: list[tuple[Finding, Patch]], applied: list[Applied], skipped: list[Skipped]) -> None:
    """Applies patches from the end of the file to its beginning, so that none moves another."""
    kept: list[Applied] = []
    first = len(trial.text.text) + 1
    seen: set[tuple[Edit, ...]] = set()
    for finding, patch in sorted(found, key=lambda row: row[1].edits[0].span, reverse=True):
        if patch.edits in seen or trial.is_spent:
            continue
        seen.add(patch.edits)
        if patch.edits[-1].span[1] > first:
            skipped.append(Skipped(finding.code, f"{patch.id} overlaps another patch"))
            continue
        before, after = trial.measure(), trial.measure_of(patch.edits)
        if after > before:
            skipped.append(Skipped(finding.code, f"{patch.id} would add an error or a warning"))
            continue
        trial.keep(patch.edits)
        first = patch.edits[0].span[0]
        kept.append(Applied(finding.code, patch))
    applied += reversed(kept)
