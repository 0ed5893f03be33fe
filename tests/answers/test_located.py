"""A diagnostic stands where the mistake is, also where the error of the native toolchain stands elsewhere."""

from __future__ import annotations

from random import Random

import pytest

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, source
from analysis.text.source import Source
from boruna_ls.answers.check import check_answer
from tests.bench.repair.measure import MISTAKES, touches_text
from tests.support.corpus import programs

FILE = FileId("", "disk", "/program.ax")
MISSED = {
    # Nothing may read the fields of an exported type.
    "misspelt field": 0.3,
    "misspelt field access": 0.15,
    "misspelt variant": 0.15,
    "misspelt type": 0.15,
    # Where the first of several arms was, the text does not show.
    "missing match arm": 0.4,
}
"""Share of mistakes of a kind that may be missed in twenty programs: of all that run, one in a hundred is, one in ten arms."""


def _opened(text: str) -> Database:
    db = Database()
    source.set(db, FILE, Source.from_text(text))
    return db


@pytest.mark.parametrize("kind", MISSED)
def test_mistakes_are_found_on_their_line_or_the_next(kind: str, seed: int) -> None:
    rng = Random(f"{seed} {kind}")
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in programs()]
    rng.shuffle(texts)
    tried, missed = 0, []
    for text in texts:
        broken = MISTAKES[kind](rng, text)
        if broken is None or touches_text(text, broken[0]) or check_file(_opened(text), FILE).has_errors():
            continue
        tried += 1
        changed, line = broken
        diagnostics = check_answer(_opened(changed), FILE, "program.ax")["diagnostics"]
        if not {line, line + 1} & {each["location"]["line"] for each in diagnostics}:
            missed.append((line, changed))
        if tried == 20:
            break
    assert tried >= 10
    assert len(missed) <= MISSED[kind] * tried, missed[:3]
