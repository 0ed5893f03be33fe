"""Patches of diagnostics, tried before they are offered, and the repair of a whole file (spec chapters 05 and 26).

A patch is tried in a branch of the database, where nobody sees it. It is kept only if the file is better afterwards: fewer
syntax errors, or as many and fewer other errors, or as many and fewer warnings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from analysis.database import Database
from analysis.diagnostics.check import FileDiagnostics
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.diff import unified_diff
from analysis.edits import Confidence, Edit, Fix
from analysis.fixes.candidates import candidate_fixes
from analysis.fixes.dialect.translate import translated
from analysis.fixes.outcome import Applied, Remaining, RepairOutcome, Skipped
from analysis.fixes.trial import Measure, Trial, edited, is_misspelling
from analysis.formatting.formatter import Formatted, format_source
from analysis.inputs import FileId
from analysis.text import Source

_ROUNDS: Final = 40
_SEVERITIES: Final = (Severity.ERROR, Severity.WARNING, Severity.INFO, Severity.HINT)
_FEW: Final = 24
"""Up to this many diagnostics every patch of every diagnostic is tried in each round."""
_MOST_REMAINING: Final = 20
"""So many of what is left are named in an answer."""
_MOST_SMALL: Final = 2
"""So many fixes of single places are a slip in a program of .ax, more are another language."""


def fixes_for(db: Database, file: FileId, chunk: int, diagnostic: Diagnostic) -> tuple[Fix, ...]:
    """The fixes of a diagnostic that were tried and add no error and no warning, best first.

    A syntax error is also fixed by translating the file, where it holds forms of other languages.
    """
    trial = Trial(db, file)
    before = trial.measure()
    kept: list[tuple[Measure, int, Fix]] = []
    forms = _translation(trial) if diagnostic.error is not None else None
    for fix in (*candidate_fixes(db, file, chunk, diagnostic), *(done.fix for done in forms or ())):
        after = trial.measure_of(fix.edits)
        if after <= before:
            kept.append((after, len(kept), fix))
    return tuple(fix for _, _, fix in sorted(kept, key=lambda row: row[:2]))


def repair_file(db: Database, file: FileId, strategy: str = "best", patch_id: str | None = None) -> RepairOutcome:
    """Repairs a file in memory: strategy `best` or `all`, or with a `patch_id` all patches of that id; others are `best`."""
    warnings = []
    if strategy not in ("best", "all"):
        warnings.append(f"unknown strategy '{strategy}' was read as 'best'; the strategies are 'best' and 'all'")
    if strategy == "all" and patch_id is not None:
        warnings.append("patch_id is ignored with strategy 'all'")
    trial = Trial(db, file)
    original = trial.text
    before = len(trial.diagnostics().entries)
    applied: list[Applied] = []
    skipped: list[Skipped] = []
    if strategy == "all":
        _apply_all(trial, applied, skipped)
    elif patch_id is not None:
        _apply_by_id(trial, patch_id, applied, skipped)
    else:
        _apply_best_way(trial, applied, skipped)
    after = trial.diagnostics()
    applied = [replace(done, placed_at=trial.line_of(done.fix)) for done in applied]
    guessed = any(done.placed_at is not None or _is_guess(done) for done in applied)
    return RepairOutcome(
        trial.text.text,
        tuple(applied),
        tuple(skipped),
        bool(applied) and not guessed and not _is_left(original, trial.text, after),
        before,
        len(after.entries),
        tuple(warnings),
        unified_diff(file.path.rsplit("/", 1)[-1], original.text, trial.text.text),
        _remaining(trial.text, after, applied),
    )


def _remaining(text: Source, after: FileDiagnostics, applied: Sequence[Applied]) -> tuple[Remaining, ...]:
    """The first errors, warnings and placeholders that are left, in order of position."""
    entries = [(offset, entry) for offset, entry in after.placed(text) if entry.severity in (Severity.ERROR, Severity.WARNING)]
    rows = [
        Remaining(entry.code, entry.severity, entry.message, text.position(offset + entry.span[0])[0] + 1)
        for offset, entry in entries[:_MOST_REMAINING]
    ]
    rows += [
        Remaining(done.code, Severity.WARNING, f"a placeholder ({done.fix.description}): write what is meant", done.placed_at)
        for done in applied
        if done.placed_at is not None
    ]
    return tuple(sorted(rows, key=lambda row: row.line)[:_MOST_REMAINING])


def _is_guess(done: Applied) -> bool:
    """Whether a fix made a text parse by a change that may lose what was meant."""
    return done.fix.confidence is Confidence.LOW and done.code in ("E001", "E002")


def _is_left(original: Source, text: Source, after: FileDiagnostics) -> bool:
    """Whether an error is left, or a warning in a chunk that was changed."""
    before = {chunk.text for chunk in original.chunks}
    if not text.text.strip():
        return True
    return any(
        entry.severity is Severity.ERROR or (entry.severity is Severity.WARNING and text.chunks[index].text not in before)
        for index, entry in after.entries
    )


def _is_mended(diagnostic: Diagnostic) -> bool:
    if diagnostic.severity in (Severity.ERROR, Severity.WARNING) or is_misspelling(diagnostic):
        return True
    return diagnostic.code == "W501" and any(fix.id.startswith("W501-rename-") for fix in diagnostic.fixes)


def _apply_best_way(trial: Trial, applied: list[Applied], skipped: list[Skipped]) -> None:
    """The fixes of single diagnostics, or the program translated from another language: what leaves less wrong.

    A translation knows what a form means, where a fix of one place may only make it parse. Of two that leave as much fixes win
    if they are few and mean the same: they change less of the text.
    """
    original = trial.state()
    forms = _translation(trial)
    _apply_best(trial, applied, skipped)
    if forms is None:
        return
    fixed, measure = trial.state(), trial.measure()
    trial.restore(original)
    trial.keep(forms[0].fix)
    translated_applied: list[Applied] = []
    translated_skipped: list[Skipped] = []
    _apply_best(trial, translated_applied, translated_skipped)
    translated_measure = trial.measure()
    is_small = len(applied) <= _MOST_SMALL and measure <= translated_measure and _means_the_same(fixed[0].text, trial.text.text)
    if is_small or measure[:3] < translated_measure[:3]:
        trial.restore(fixed)
        return
    applied[:] = [*forms, *translated_applied]
    skipped[:] = translated_skipped


def _means_the_same(fixed: str, translation: str) -> bool:
    """Whether a text that was fixed in some places holds no foreign form and is the translation but for `&&` and `||`."""
    if fixed == translation:
        return True
    if translated(fixed, protects=False) is not None:
        return False
    again = translated(fixed)
    text = edited(Source.from_text(fixed), again.edits).text if again is not None else fixed
    one, other = format_source(None, text), format_source(None, translation)
    return isinstance(one, Formatted) and one == other


def _translation(trial: Trial) -> list[Applied] | None:
    """What a translation replaces, an entry for each item, all edits with the first; None if there is nothing to translate."""
    before = trial.measure()
    if not any(before):
        return None
    made = trial.translated()
    if made is None or trial.measure_of(made.edits) >= before:
        return None
    code = next(entry.code for _, entry in trial.diagnostics().entries if _is_mended(entry))
    forms = ", ".join(f"'{name}'" for name in made.names) or "the imports"
    fix = Fix(
        "E002-translate",
        f"write {forms} with the forms of .ax",
        Confidence.MEDIUM,
        "the program uses forms of other languages; each is written as .ax writes the same",
        made.edits,
    )
    return [Applied(code, fix)]


def _apply_best(trial: Trial, applied: list[Applied], skipped: list[Skipped]) -> None:
    """One patch a diagnostic, in rounds, each kept only if the file is better for it."""
    refused: dict[str, Skipped] = {}
    for _ in range(_ROUNDS):
        entries = [(chunk, diagnostic) for chunk, diagnostic in trial.diagnostics().entries if _is_mended(diagnostic)]
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


def _most_helpful(
    trial: Trial, entries: list[tuple[int, Diagnostic]], applied: list[Applied], refused: dict[str, Skipped]
) -> bool:
    """Tries every patch of every diagnostic and keeps the one that helps most: one mistake can have many diagnostics."""
    before = trial.measure()
    best: tuple[Measure, tuple[int, int], Diagnostic, Fix] | None = None
    number = 0
    for chunk, diagnostic in entries:
        if trial.is_spent:
            break
        fixes = trial.likely_fixes(chunk, diagnostic)
        for fix in fixes:
            # Of patches that help alike, that of the worse diagnostic is meant: a use is misspelt more often than a definition.
            order = _SEVERITIES.index(diagnostic.severity), number
            number += 1
            try:
                after = trial.measure_of(fix.edits)
            except ValueError:
                continue
            if after < before and (best is None or (after, order) < best[:2]):
                best = after, order, diagnostic, fix
        if fixes:
            refused[f"{diagnostic.code} {fixes[0].id}"] = Skipped(
                diagnostic.code, f"{fixes[0].id} leaves as many errors as before"
            )
    if best is None:
        return False
    refused.clear()
    trial.keep(best[3])
    applied.append(Applied(best[2].code, best[3]))
    return True


def _together(trial: Trial, entries: list[tuple[int, Diagnostic]], applied: list[Applied]) -> bool:
    """Applies the first fix of every diagnostic at once if each resolves its own; a shortcut for files with many."""
    if len(entries) < 4 or any(diagnostic.error is not None for _, diagnostic in entries):
        return False
    chosen: list[tuple[Diagnostic, Fix]] = []
    for chunk, diagnostic in entries:
        fixes = trial.likely_fixes(chunk, diagnostic)
        if fixes:
            chosen.append((diagnostic, fixes[0]))
    edits = [edit for _, fix in chosen for edit in fix.edits]
    before = trial.measure()
    try:
        after = trial.measure_of(edits)
    except ValueError:
        return False
    if sum(before) - sum(after) < len(chosen) or after[:2] != before[:2] or not chosen:
        return False
    trial.keep(*(fix for _, fix in chosen))
    applied += [Applied(diagnostic.code, fix) for diagnostic, fix in chosen]
    return True


def _one_by_one(trial: Trial, entries: list[tuple[int, Diagnostic]], applied: list[Applied], refused: dict[str, Skipped]) -> bool:
    """Tries the patches of each diagnostic and keeps the best; after the first that moves text, a new round places the rest."""
    before = trial.measure()
    any_kept = False
    for chunk, diagnostic in reversed(entries):
        # From the end of the file backwards, what is kept moves no diagnostic that is still to come.
        if trial.is_spent:
            break
        fixes = trial.likely_fixes(chunk, diagnostic)
        best: tuple[Measure, int, Fix] | None = None
        for number, fix in enumerate(fixes):
            try:
                after = trial.measure_of(fix.edits)
            except ValueError:
                continue
            if after < before and (best is None or (after, number) < best[:2]):
                best = after, number, fix
        if best is not None:
            trial.keep(best[2])
            applied.append(Applied(diagnostic.code, best[2]))
            before, any_kept = best[0], True
            if diagnostic.error is not None:
                # The chunks may be others now.
                return True
        elif fixes:
            refused[f"{diagnostic.code} {fixes[0].id}"] = Skipped(
                diagnostic.code, f"{fixes[0].id} leaves as many errors as before"
            )
    return any_kept


def _apply_all(trial: Trial, applied: list[Applied], skipped: list[Skipped]) -> None:
    """Every diagnostic's likeliest patch, each kept if it adds no error; placeholders only for what is left then."""
    likeliest = [
        (diagnostic, fixes[0]) for chunk, diagnostic in trial.diagnostics().entries if (fixes := trial.fixes(chunk, diagnostic))
    ]
    found = [(diagnostic, fix) for diagnostic, fix in likeliest if not fix.is_placeholder]
    _apply_in_order(trial, found, applied, skipped)
    _apply_best(trial, applied, skipped)


def _apply_by_id(trial: Trial, patch_id: str, applied: list[Applied], skipped: list[Skipped]) -> None:
    every = [(diagnostic, fix) for chunk, diagnostic in trial.diagnostics().entries for fix in trial.fixes(chunk, diagnostic)]
    found = [(diagnostic, fix) for diagnostic, fix in every if fix.id == patch_id]
    if not found and every:
        skipped.append(Skipped("all", "no applicable patches found"))
    _apply_in_order(trial, found, applied, skipped)


def _apply_in_order(trial: Trial, found: list[tuple[Diagnostic, Fix]], applied: list[Applied], skipped: list[Skipped]) -> None:
    """Applies patches from the end of the file to its beginning, so that none moves another."""
    kept: list[Applied] = []
    first = len(trial.text.text) + 1
    seen: set[tuple[Edit, ...]] = set()
    for diagnostic, fix in sorted(found, key=lambda row: row[1].edits[0].span, reverse=True):
        if fix.edits in seen or trial.is_spent:
            continue
        seen.add(fix.edits)
        if fix.edits[-1].span[1] > first:
            skipped.append(Skipped(diagnostic.code, f"{fix.id} overlaps another patch"))
            continue
        before, after = trial.measure(), trial.measure_of(fix.edits)
        if after > before:
            skipped.append(Skipped(diagnostic.code, f"{fix.id} would add an error or a warning"))
            continue
        trial.keep(fix)
        first = fix.edits[0].span[0]
        kept.append(Applied(diagnostic.code, fix))
    applied += reversed(kept)
