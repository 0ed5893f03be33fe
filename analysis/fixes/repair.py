"""Patches of diagnostics, tried before they are offered, and the repair of a whole file (spec chapters 05 and 26).

A patch is tried in a private branch of the database. It is kept only if the file is better afterwards: fewer
syntax errors, or as many and fewer other errors, or as many and fewer warnings.
"""

from __future__ import annotations

from typing import Final

from analysis.data_classes import replace
from analysis.database import Database
from analysis.diagnostics.diagnostic import Diagnostic, Severity, Topic
from analysis.fixes.applying import edited
from analysis.fixes.dialect.habits import has_any_mark
from analysis.fixes.dialect.tree.effort import MOST_CHARACTERS
from analysis.fixes.left_over import contradictions_of, hidden_failures, idle_values, is_left, remaining
from analysis.fixes.outcome import Applied, Remaining, RepairOutcome, Skipped
from analysis.fixes.slips import is_far, means_the_same
from analysis.fixes.translation import Translation, keep_translation, translation_of
from analysis.fixes.trial import Measure, Trial, is_mended
from analysis.inputs import FileId
from analysis.text.diff import unified_diff
from analysis.text.edits import Confidence, Edit, Fix, FixKind

_ROUNDS: Final = 40
_SEVERITIES: Final = (Severity.ERROR, Severity.WARNING, Severity.INFO, Severity.HINT)
_FEW: Final = 24
"""Up to this many diagnostics every patch of every diagnostic is tried in each round."""
_MOST_SMALL: Final = 2
"""Up to this many fixes of single places are slips in an .ax program; more indicate another language."""
_AROUND: Final = 200
"""Characters on each side of an unknown name in its line that may show its language."""
_MOST_WRONG: Final = 8
"""Up to this many errors and warnings can result from a slip; if there are more, a translation that leaves none is trusted."""


def fixes_for(db: Database, file: FileId, chunk: int, diagnostic: Diagnostic) -> tuple[Fix, ...]:
    """The tried fixes of a diagnostic that improve the file, best first.

    For an error in a file with forms of other languages, the translation of the file is one of them.
    """
    return TriedFixes(db, file).of(chunk, diagnostic)


class TriedFixes:
    """The fixes of diagnostics of one file, tried before they are listed."""

    def __init__(self, db: Database, file: FileId) -> None:
        self._trial = Trial(db, file)
        self._before = self._trial.measure()
        self._forms: tuple[Translation | None] | None = None

    def of(self, chunk: int, diagnostic: Diagnostic) -> tuple[Fix, ...]:
        """The fixes that improve the file, best first; for a hint those that add no error and no warning.

        A fix that guesses a name or the meaning of a word must add no warning either: a warning shows that the types contradict
        the guess. For an error in a form of another language the translation of the file comes first; fixes that only make the
        text parse follow, with low confidence.
        """
        trial, before = self._trial, self._before
        kept: list[tuple[bool, Measure, int, Fix]] = []
        own = trial.fixes(chunk, diagnostic)
        # Text that parses has its own fixes for a known word; the translation rewrites more.
        is_form = diagnostic.error is not None or all(fix.confidence is Confidence.LOW for fix in own)
        forms = None
        place = trial.text.offsets[chunk] + diagnostic.span[0]
        # In text that parses, a form of another language is an undefined name.
        if is_form and (diagnostic.error is not None or (diagnostic.code == "E003" and self._may_be_foreign(diagnostic, place))):
            forms = self._forms_at(place)
        translation = edited(trial.text, forms.edits).text if forms is not None else ""
        adds_none = (FixKind.RENAMING,) if diagnostic.error is not None else (FixKind.RENAMING, FixKind.TRANSLATION)
        for fix in (*own, *((forms,) if forms is not None else ())):
            after = trial.measure_of(fix.edits)
            if not _is_progress(diagnostic, before, after) or (fix.kind in adds_none and after[3] > before[3]):
                continue
            # A library name that is only similar, or a rewrite of the whole file: offer nothing instead.
            is_bold = fix.kind in adds_none and diagnostic.error is None and (fix is forms or len(fix.edits) > 1)
            if is_bold and trial.adds_codes(fix.edits):
                continue
            text = edited(trial.text, fix.edits).text if forms is not None else ""
            if fix is forms:
                if any(edited(trial.text, other.edits).text == translation for *_, other in kept):
                    continue
            elif forms is not None and diagnostic.error is not None and not (_is_close(text, translation)):
                kept.append((True, after, len(kept), replace(fix, confidence=Confidence.LOW)))
                continue
            kept.append((False, after, len(kept), fix))
        return tuple(fix for *_, fix in sorted(kept, key=lambda row: row[:3]))

    def _may_be_foreign(self, diagnostic: Diagnostic, place: int) -> bool:
        """False for an unknown name surrounded only by .ax: translating a file takes much longer than checking it."""
        if diagnostic.topic is Topic.FOREIGN:
            return True
        text, least, most = self._trial.text.text, max(place - _AROUND, 0), place + _AROUND
        end = text.find("\n", place, most)
        return has_any_mark(text[text.rfind("\n", least, place) + 1 or least : end if end >= 0 else most])

    def _forms_at(self, place: int) -> Fix | None:
        """The translation of the file, if it changes the text at a place: text that cannot be translated keeps its errors."""
        if self._forms is None:
            self._forms = (translation_of(self._trial),)
        forms = self._forms[0]
        if forms is None or not any(edit.span[0] <= place <= edit.span[1] for edit in forms.fix.edits):
            return None
        return forms.fix


def _is_close(fixed: str, translation: str) -> bool:
    return fixed == translation or (not is_far(fixed, translation) and means_the_same(fixed, translation))


def _is_progress(diagnostic: Diagnostic, before: Measure, after: Measure) -> bool:
    if diagnostic.code == "E002":
        # A different division into items can turn errors of one kind into the other.
        return after[0] + after[1] < before[0] + before[1]
    return after < before if diagnostic.severity in (Severity.ERROR, Severity.WARNING) else after <= before


def repair_file(db: Database, file: FileId, strategy: str = "best", patch_id: str | None = None) -> RepairOutcome:
    """Repairs a file in memory: strategy `best` or `all`, or with a `patch_id` all patches of that id; others are `best`."""
    warnings = []
    if strategy not in ("best", "all"):
        warnings.append(f"unknown strategy '{strategy}' was read as 'best'; the strategies are 'best' and 'all'")
    if strategy == "all" and patch_id is not None:
        warnings.append("patch_id is ignored with strategy 'all'")
    trial = Trial(db, file)
    original = trial.text
    before = trial.diagnostics()
    applied: list[Applied] = []
    skipped: list[Skipped] = []
    if strategy == "all":
        _apply_all(trial, applied, skipped)
    elif patch_id is not None:
        _apply_by_id(trial, patch_id, applied, skipped)
    else:
        _apply_best_way(trial, applied, skipped)
    after = trial.diagnostics()
    if strategy != "all" and patch_id is None and len(original.text) > MOST_CHARACTERS and after.has_errors():
        most = f"{MOST_CHARACTERS:,} characters"
        warnings.append(f"a text of more than {most} is not translated from other languages: repair its functions in parts")
    guesses = [done for done in applied if done.code in ("E001", "E002") and trial.guessed(done.fix)]
    rows = [
        Remaining(done.code, Severity.WARNING, f"a guess ({done.fix.description}): check it", line)
        for done in guesses
        if (line := trial.line_of(done.fix)) is not None
    ]
    idle = idle_values(original, trial.text) if applied else []
    applied = [replace(done, placed_at=trial.line_of(done.fix)) if done.fix.is_placeholder else done for done in applied]
    is_sound = bool(applied) and not is_left(original, trial.text, after)
    rows += contradictions_of(original, trial.text) if is_sound else []
    rows += hidden_failures(original, before, trial.text, after) if applied else []
    rows += [
        Remaining("E002", Severity.WARNING, f"{reason} means something else in .ax", original.position(at)[0] + 1)
        for at, reason in (trial.unlike if applied else ())
    ]
    guessed = bool(rows or idle) or any(done.placed_at is not None for done in applied)
    return RepairOutcome(
        trial.text.text,
        tuple(applied),
        tuple(skipped),
        is_sound and not guessed,
        len(before.entries),
        len(after.entries),
        tuple(warnings),
        unified_diff(file.path.rsplit("/", 1)[-1], original.text, trial.text.text),
        remaining(trial.text, after, applied, [*rows, *idle]),
    )


def _apply_best_way(trial: Trial, applied: list[Applied], skipped: list[Skipped]) -> None:
    """Applies the fixes of single diagnostics or the translation of the program, whichever gives the better result.

    A translation knows the meaning of a form; a fix of one place may only make it parse. If the results are equally good, the
    fixes win if they are few and mean the same, because they change less text.
    """
    forms = translation_of(trial)
    if forms is None:
        _apply_best(trial, applied, skipped)
        return
    original, wrong = trial.state(), sum(is_mended(entry) for _, entry in trial.diagnostics().entries)
    keep_translation(trial, forms)
    translated_applied: list[Applied] = []
    translated_skipped: list[Skipped] = []
    _apply_best(trial, translated_applied, translated_skipped)
    translation, least = trial.state(), trial.measure()
    is_right = not any(least[:3])
    # The fixes did not need the guesses of the translation.
    may_be_small = wrong <= _MOST_WRONG and not forms.invented
    if is_right and may_be_small:
        may_be_small = not is_far(original[0].text, translation[0].text)
    if may_be_small or not is_right:
        trial.restore(original)
        _apply_best(trial, applied, skipped, least if is_right else None)
        fixed, measure = trial.state(), trial.measure()
        is_small = (
            may_be_small
            and len(applied) <= _MOST_SMALL
            and measure <= least
            and means_the_same(fixed[0].text, translation[0].text)
        )
        if is_small or measure[:3] < least[:3]:
            return
        trial.restore(translation)
    applied[:] = [
        Applied(forms.code, forms.fix),
        *[Applied(forms.code, place.fix) for place in forms.invented],
        *translated_applied,
    ]
    skipped[:] = translated_skipped


def _apply_best(trial: Trial, applied: list[Applied], skipped: list[Skipped], most: Measure | None = None) -> None:
    """Applies one patch for each diagnostic, in rounds, and keeps each only if it improves the file.

    With `most` the rounds end if a few fixes have left more than that.
    """
    refused: dict[str, Skipped] = {}
    for _ in range(_ROUNDS):
        if most is not None and len(applied) >= _MOST_SMALL and trial.measure() > most:
            break
        entries = [(chunk, diagnostic) for chunk, diagnostic in trial.diagnostics().entries if is_mended(diagnostic)]
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
        for after, fix in trial.helpful(chunk, diagnostic, before):
            # If patches help equally, that of the worse diagnostic wins: a use is misspelt more often than a definition.
            order = _SEVERITIES.index(diagnostic.severity), number
            number += 1
            if best is None or (after, order) < best[:2]:
                best = after, order, diagnostic, fix
        _refuse(trial, chunk, diagnostic, refused)
    if best is None:
        return False
    refused.clear()
    trial.keep(best[3])
    applied.append(Applied(best[2].code, best[3]))
    return True


def _refuse(trial: Trial, chunk: int, diagnostic: Diagnostic, refused: dict[str, Skipped]) -> None:
    """Records why the first patch of a diagnostic was not applied."""
    for fix in trial.fixes(chunk, diagnostic)[:1]:
        reason = f"{fix.id} is a guess" if fix.confidence is Confidence.LOW else f"{fix.id} leaves as many errors as before"
        refused[f"{diagnostic.code} {fix.id}"] = Skipped(diagnostic.code, reason)


def _together(trial: Trial, entries: list[tuple[int, Diagnostic]], applied: list[Applied]) -> bool:
    """Applies the first fix of every diagnostic at once if each resolves its own; a shortcut for files with many."""
    if len(entries) < 4 or any(diagnostic.error is not None for _, diagnostic in entries):
        return False
    chosen: list[tuple[Diagnostic, Fix]] = []
    for chunk, diagnostic in entries:
        fixes = [fix for fix in trial.fixes(chunk, diagnostic) if fix.confidence is not Confidence.LOW]
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
    """Tries the patches of each diagnostic and keeps the best; after the first that moves text, a new round finds the rest."""
    before = trial.measure()
    any_kept = False
    for chunk, diagnostic in reversed(entries):
        # From the end of the file backwards, a kept patch moves no diagnostic that follows in this loop.
        if trial.is_spent:
            break
        best = min(
            ((after, number, fix) for number, (after, fix) in enumerate(trial.helpful(chunk, diagnostic, before))),
            key=lambda row: row[:2],
            default=None,
        )
        if best is not None:
            trial.keep(best[2])
            applied.append(Applied(diagnostic.code, best[2]))
            before, any_kept = best[0], True
            if diagnostic.error is not None:
                # The chunks may have changed.
                return True
        else:
            _refuse(trial, chunk, diagnostic, refused)
    return any_kept


def _apply_all(trial: Trial, applied: list[Applied], skipped: list[Skipped]) -> None:
    """Applies the likeliest patch of every diagnostic if it adds no error; placeholders only for diagnostics left after that."""
    likeliest = [
        (diagnostic, fixes[0]) for chunk, diagnostic in trial.diagnostics().entries if (fixes := trial.fixes(chunk, diagnostic))
    ]
    chosen = [(diagnostic, fix) for diagnostic, fix in likeliest if not fix.is_placeholder]
    _apply_in_order(trial, chosen, applied, skipped)
    _apply_best(trial, applied, skipped)


def _apply_by_id(trial: Trial, patch_id: str, applied: list[Applied], skipped: list[Skipped]) -> None:
    every = [(diagnostic, fix) for chunk, diagnostic in trial.diagnostics().entries for fix in trial.fixes(chunk, diagnostic)]
    chosen = [(diagnostic, fix) for diagnostic, fix in every if fix.id == patch_id]
    forms = None if chosen else translation_of(trial)
    if forms is not None and forms.fix.id == patch_id:
        keep_translation(trial, forms)
        applied += [Applied(forms.code, forms.fix), *[Applied(forms.code, place.fix) for place in forms.invented]]
        return
    if not chosen and every:
        skipped.append(Skipped("all", "no applicable patches found"))
    _apply_in_order(trial, chosen, applied, skipped)


def _apply_in_order(trial: Trial, chosen: list[tuple[Diagnostic, Fix]], applied: list[Applied], skipped: list[Skipped]) -> None:
    """Applies patches from the end of the file to its beginning, so that none moves another."""
    kept: list[Applied] = []
    first = len(trial.text.text) + 1
    seen: set[tuple[Edit, ...]] = set()
    for diagnostic, fix in sorted(chosen, key=lambda row: row[1].edits[0].span, reverse=True):
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
