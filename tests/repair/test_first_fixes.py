"""The first fix that is offered for a diagnostic removes it and adds none, over the corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.fixes.engine import fixes_for
from analysis.fixes.trial import edited
from analysis.inputs import source
from analysis.text import Source
from tests.support.checked import Checker
from tests.support.corpus import CONFORMANCE, tool

replay = tool(CONFORMANCE / "replay.py")
FAMILIES = (
    "W101",
    "W102",
    "W103",
    "W106",
    "W108",
    "W109",
    "W110",
    "W203",
    "W204",
    "W3",
    "W4",
    "W503",
    "W504",
    "W505",
    "W506",
    "W6",
)
LEADS_ON = {
    ("W103", "W103"): "who calls the function relied on what it declared",
    ("W104", "W102"): "with the operator known, the value is another one than is declared",
    ("W104", "W103"): "with the operator known, the value is another one than is declared",
    ("W107", "W501"): "with the field known, the other one is never used",
    ("W301", "W103"): "with the type known, the value is another one",
    ("W305", "W202"): "with the variant known, the arm stands there twice",
}
"""(code, added code) → why the one mistake was two."""


def counted(checker: Checker) -> Counter[tuple[str, str]]:
    return Counter((made.code, made.severity.value) for _, made in check_file(checker.db, checker.file).entries)


@pytest.mark.parametrize("area", ["diagnostics", "run"])
def test_the_first_fix_removes_and_adds_none(area: str, corpus: Callable[[str], Path]) -> None:
    checker = Checker()
    tried = 0
    for program in sorted({text for _, _, made in replay.calls(corpus(area)) if isinstance(text := made.get("source"), str)}):
        if len(program) > 5_000:
            continue
        text = Source.from_text(program)
        source.set(checker.db, checker.file, text)
        before = counted(checker)
        for chunk, made in check_file(checker.db, checker.file).entries:
            offered = fixes_for(checker.db, checker.file, chunk, made) if made.code.startswith(FAMILIES) and made.fixes else ()
            if offered and not _is_removal(made):
                tried += 1
                source.set(checker.db, checker.file, edited(text, offered[0].edits))
                after = counted(checker)
                source.set(checker.db, checker.file, text)
                kind = made.code, made.severity.value
                assert after[kind] < before[kind], (program, made, offered[0])
                added = {code for code, _ in after - before if (made.code, code) not in LEADS_ON}
                assert added == set(), (program, made, offered[0])
    assert tried > 20


def _is_removal(made: Diagnostic) -> bool:
    """W402: a function that lost its last capability may be annotated twice in the corpus' programs."""
    return made.code == "W402"
