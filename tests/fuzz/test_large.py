"""Texts that are very deep, very long, or hold very many of a kind: each step answers in seconds, whatever there is of it.

The quick run takes as many of them as its time allows, others with each seed; `BORUNA_FUZZ_SECONDS=300` takes all.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from random import Random

import pytest

from analysis.diagnostics.check import check_file
from analysis.diagnostics.syntax_errors import first_error
from analysis.fixes.repair import repair_file
from analysis.formatting.formatter import format_source
from analysis.ide.folding import folding_ranges
from analysis.ide.hover import hover
from analysis.ide.references import references
from analysis.ide.rename import rename
from analysis.ide.selection import selection_ranges
from analysis.ide.semantic_tokens import tokens
from analysis.ide.symbols import document_symbols
from analysis.inputs import source
from analysis.semantics.declarations import chunk_tree
from analysis.syntax.tree import MAX_NESTING
from analysis.text.source import Source
from boruna_ls.answers.ast import ast_answer
from boruna_ls.answers.check import check_answer
from tests.fuzz.large import TEXTS
from tests.fuzz.running import SECONDS, SLOWEST
from tests.support.marked import MAIN, opened

_QUICK = 5 * SLOWEST
_REPAIR = 16 * SLOWEST


def test_no_step_takes_long(seed: int) -> None:
    names = sorted(TEXTS)
    Random(seed).shuffle(names)
    deadline = time.monotonic() + SECONDS
    for done, name in enumerate(names):
        if time.monotonic() > deadline and done >= 2:
            break
        _examine(name, TEXTS[name]())


def _examine(name: str, text: str) -> None:
    db = opened("")
    made = Source.from_text(text)
    middle = len(text) // 2

    def edited_and_checked() -> None:
        source.set(db, MAIN, made.edited(middle, middle, " "))
        check_file(db, MAIN)
        source.set(db, MAIN, made)

    def navigated() -> None:
        document_symbols(db, MAIN)
        folding_ranges(db, MAIN)
        tokens(db, MAIN)
        selection_ranges(db, MAIN, middle)
        for offset in (3, middle):
            hover(db, MAIN, offset)
            references(db, MAIN, offset)
            rename(db, MAIN, offset, "fresh")

    steps: list[tuple[Callable[[], object], float]] = [
        (lambda: Source.from_text(text), _QUICK),
        (lambda: source.set(db, MAIN, made), _QUICK),
        (lambda: check_file(db, MAIN), _QUICK),
        (edited_and_checked, _QUICK),
        (lambda: check_answer(db, MAIN, "main.ax"), _QUICK),
        (lambda: format_source(db, made), _QUICK),
        (navigated, _QUICK),
        (lambda: first_error(db, MAIN) or ast_answer(db, MAIN), _QUICK),
        (lambda: repair_file(db, MAIN), _REPAIR),
    ]
    for number, (step, limit) in enumerate(steps):
        # Servers keep the collector away from what lives long (`process.py`); here it would go through all that other tests hold.
        gc.disable()
        try:
            started = time.process_time()
            step()
            took = time.process_time() - started
        finally:
            gc.enable()
        assert took < limit, f"{name}: step {number} took {took:.1f} s"


@pytest.mark.parametrize("bracket", ["()", "[]", "{}"])
def test_nesting_is_accepted_up_to_a_limit_and_refused_beyond(bracket: str) -> None:
    opening, closing = bracket[0], bracket[1]
    for depth, is_sound in ((500, True), (MAX_NESTING + 10, False), (1_000_000 if bracket == "()" else 50_000, False)):
        tree = chunk_tree(opened(""), f"fn f() {{ {opening * depth}1{closing * depth} }}")
        assert tree.is_sound == is_sound
        assert is_sound or "nesting too deep" in tree.errors[0].message
