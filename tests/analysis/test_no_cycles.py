"""What analysis drops is freed at once: nothing that it makes refers to itself.

The collector of cycles does not look at what is old where clients are served (`boruna_ls/process.py`). One closure that names
itself would keep the whole tree that it was made for until the process is idle.
"""

from __future__ import annotations

import gc
import importlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, source
from analysis.text.source import Source
from tests.faults.hostile_sources import SOURCES
from tests.faults.productions import PRODUCTIONS
from tests.properties.views import VIEWS

FILE: Final = FileId("", "inline", "program.ax")
DRAFTS: Final = sorted(Path(__file__).parents[1].joinpath("bench", "drafts").glob("new_k*/d0[1-2].ax"))
FEW: Final = 4
"""Drafts for a view that takes long."""


@pytest.fixture
def garbage() -> Iterator[Callable[[], Counter[str]]]:
    """A function that says what of ours is garbage now that only the collector of cycles frees: how many, by name."""

    def found() -> Counter[str]:
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        gc.set_debug(0)
        owners = (value if callable(value) else type(value) for value in gc.garbage)
        names = Counter(f"{one.__module__}.{one.__qualname__}" for one in owners if hasattr(one, "__qualname__"))
        gc.garbage.clear()
        return Counter({name: count for name, count in names.items() if name.startswith("analysis.")})

    for late in ("analysis.suggestions.broken_text", "analysis.fixes.repair"):
        # A data class with slots is made twice: the first one is garbage.
        importlib.import_module(late)
    gc.collect()
    # For good: what tests are made of (`conftest.py`) would else be looked at before each of these, and in all that come after.
    gc.freeze()
    gc.disable()
    yield found
    gc.enable()


def opened(text: str) -> Database:
    db = Database(check_purity=False)
    source.set(db, FILE, Source.from_text(text))
    return db


@pytest.mark.parametrize("name", SOURCES)
def test_checks_leave_no_cycles(name: str, garbage: Callable[[], Counter[str]]) -> None:
    size, make = SOURCES[name]
    check_file(opened(make(max(2, size // 2_000))), FILE)
    assert garbage() == Counter()


def test_checks_of_all_forms_leave_no_cycles(garbage: Callable[[], Counter[str]]) -> None:
    left = {}
    for name, make in PRODUCTIONS.items():
        check_file(opened(make(40)), FILE)
        if found := garbage():
            left[name] = found
    assert left == {}


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_answers_leave_no_cycles(view: Any, garbage: Callable[[], Counter[str]]) -> None:
    assert len(DRAFTS) >= 12
    for draft in DRAFTS if view.share > 10 else DRAFTS[:: len(DRAFTS) // FEW]:
        text = draft.read_text("utf-8")
        view.ask(opened(text), FILE, len(text) // 2, 7)
    assert garbage() == Counter()
