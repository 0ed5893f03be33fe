"""Cost of an edit: only the changed chunk is visited again, and looking at one name reads one chunk."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from analysis.database import Database
from analysis.ide.definition import definition
from analysis.ide.folding import folding_ranges
from analysis.ide.hover import hover
from analysis.ide.references import references
from analysis.ide.rename import rename
from analysis.ide.semantic_tokens import tokens
from analysis.ide.symbols import document_symbols
from analysis.inputs import source
from tests.support.marked import MAIN, opened

FUNCTIONS = 50
TEXT = "".join(f"fn f{n}(a: Int) -> Int {{\n    // {n}\n    f{(n + 1) % FUNCTIONS}(a + {n})\n}}\n\n" for n in range(FUNCTIONS))
CALL = TEXT.index("f26(a + 25)")
PER_CHUNK = ("chunk_tree", "resolved", "chunk_symbols", "chunk_folds", "chunk_imports", "chunk_tokens", "comments")


def _executed(db: Database, ask: Callable[[], object]) -> list[str]:
    with db.record_events() as events:
        assert ask()
    return sorted(event[1] for event in events if event[0] == "execute" and event[1] in PER_CHUNK)


@pytest.mark.parametrize(
    ("name", "ask"),
    [
        ("symbols", lambda db: document_symbols(db, MAIN)),
        ("folding", lambda db: folding_ranges(db, MAIN)),
        ("tokens", lambda db: tokens(db, MAIN)),
        ("hover", lambda db: hover(db, MAIN, CALL)),
        ("definition", lambda db: definition(db, MAIN, CALL)),
        ("references", lambda db: references(db, MAIN, CALL)),
        ("rename", lambda db: rename(db, MAIN, CALL, "fresh")),
    ],
)
def test_an_edit_of_a_body_costs_its_chunk(name: str, ask: Callable[[Database], object]) -> None:
    db = opened(TEXT)
    ask(db)
    assert _executed(db, lambda: ask(db)) == []
    source.set(db, MAIN, source(db, MAIN).edited(CALL + 4, CALL + 5, "a * 2"))
    again = _executed(db, lambda: ask(db))
    assert len(again) == len(set(again)), f"{name} looked at more than one chunk"
    assert "chunk_tree" in again


def test_looking_at_a_name_resolves_the_chunks_that_hold_it() -> None:
    db = opened(TEXT)
    definition(db, MAIN, CALL)
    assert db.statistics()["resolved"].executed == 1
    references(db, MAIN, CALL)
    assert db.statistics()["resolved"].executed == 2
