"""What is computed about a text refers to itself nowhere: it is freed with its last use, not when cycles are looked for.

A daemon looks for cycles when it is idle, and not if it holds very much: until then what lies in one keeps its memory.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator

import pytest

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, source
from analysis.text import Source
from tests.faults.hostile_sources import SOURCES
from tests.faults.productions import PRODUCTIONS

FILE = FileId("", "disk", "/program.ax")
REPEATED = 40
FEW = 60
"""Objects of modules that are loaded at their first use."""


def check(text: str) -> None:
    db = Database()
    source.set(db, FILE, Source.from_text(text))
    check_file(db, FILE)


@pytest.fixture(autouse=True)
def _without_collector() -> Iterator[None]:
    check("fn f() -> Int {\n let = missing\n}\n")
    gc.collect()
    gc.disable()
    yield
    gc.set_debug(0)
    gc.garbage.clear()
    gc.enable()


def cycles(text: str) -> Counter[str]:
    """The kinds of objects that only a search for cycles frees after a check."""
    check(text)
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    gc.set_debug(0)
    found = Counter(type(each).__name__ for each in gc.garbage)
    gc.garbage.clear()
    gc.collect()
    return found


@pytest.mark.parametrize("name", SOURCES)
def test_a_check_of_a_hostile_source_leaves_no_cycles(name: str) -> None:
    found = cycles(SOURCES[name][1](REPEATED))
    assert found.total() < FEW, found


def test_checks_of_all_forms_leave_no_cycles() -> None:
    left = {name: found for name, make in PRODUCTIONS.items() if (found := cycles(make(REPEATED))).total() >= FEW}
    assert not left
