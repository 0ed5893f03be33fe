"""The translation of a file from another language as one fix, with the values and meanings that it had to guess."""

from __future__ import annotations

from typing import NamedTuple

from analysis.fixes.dialect.translate import Translated
from analysis.fixes.dialect.tree.guesses import FirstValue, Guess
from analysis.fixes.trial import Trial, is_mended
from analysis.text.edits import Confidence, Fix, FixKind


class Invented(NamedTuple):
    """A value that a translation invented: in the text of an edit, at an offset. Its fix only marks it."""

    fix: Fix
    edit: int
    offset: int


class Translation(NamedTuple):
    """Replacements of a translation, all edits in one fix, reported under a diagnostic's code."""

    code: str
    fix: Fix
    invented: tuple[Invented, ...]


def translation_of(trial: Trial) -> Translation | None:
    """The translation of a file; None if there is nothing to translate, or if it is not better for it."""
    before = trial.measure()
    if not any(before):
        return None
    translation = trial.translated()
    if translation is not None:
        trial.unlike = translation.unlike
    if translation is None or not translation.edits or trial.measure_of(translation.edits) >= before:
        return None
    code = next(entry.code for _, entry in trial.diagnostics().entries if is_mended(entry))
    forms = ", ".join(f"'{name}'" for name in translation.names) or "the imports"
    fix = Fix(
        "E002-translate",
        f"write {forms} with the forms of .ax",
        Confidence.MEDIUM,
        "the program uses forms of other languages; each is written as .ax writes the same",
        translation.edits,
        kind=FixKind.TRANSLATION,
    )
    invented = [Invented(_first_value(translation, first), first.edit, first.offset) for first in translation.invented]
    invented += [Invented(_guess(translation, guess), guess.edit, guess.offset) for guess in translation.guesses]
    return Translation(code, fix, tuple(invented))


def keep_translation(trial: Trial, forms: Translation) -> None:
    trial.keep(forms.fix)
    for place in forms.invented:
        trial.place(place.fix, forms.fix.edits[place.edit], place.offset, forms.fix.edits)


def _first_value(translation: Translated, first: FirstValue) -> Fix:
    """Marks the value with which a variable begins that was declared without one."""
    why = "it is declared without a value, and may be read before it gets one"
    description = f"`{first.name}` begins with `{first.value}`"
    return Fix(f"E002-first-value-{first.name}", description, Confidence.MEDIUM, why, (translation.edits[first.edit],), True)


def _guess(translation: Translated, guess: Guess) -> Fix:
    """Marks a form that depends on a type which nothing says."""
    why = "the form depends on the value's type, and nothing says it"
    return Fix(
        f"E002-type-{guess.edit}-{guess.offset}", guess.meaning, Confidence.MEDIUM, why, (translation.edits[guess.edit],), True
    )
