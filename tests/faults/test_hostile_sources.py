"""A sample of the sources made to hold the daemon up, at a tenth of their size: twice the source takes little more than twice."""

from __future__ import annotations

import pytest

from analysis.database import Cancelled, Database
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, source
from analysis.text import Source
from tests.faults.hostile_sources import SOURCES, measure

SHARE = 10
LONGEST = 0.5
"""Seconds of the processor, with room for the eviction that follows a check, and for collections of garbage."""


@pytest.mark.parametrize("name", SOURCES)
def test_a_check_gives_way_inside_an_item(name: str) -> None:
    size, make = SOURCES[name]
    found = measure(make(max(1, size // SHARE)))
    assert found.longest < LONGEST, found


@pytest.mark.parametrize(
    "name", ["accesses to unknown fields", "fields of one record", "functions with mistakes", "unknown names"]
)
def test_a_check_grows_with_the_source(name: str) -> None:
    size, make = SOURCES[name]
    measure(make(100))
    small, large = (min(measure(make(size * times // (8 * SHARE))).whole for _ in range(2)) for times in (1, 4))
    assert large < 8 * small + 0.2


class Stop(Exception):
    """What a query that is given up ends with here."""


def test_a_check_of_one_item_can_be_given_up_and_asked_again() -> None:
    size, make = SOURCES["integer arms"]
    root, passed = Database(check_purity=False), 0

    def give_way() -> None:
        nonlocal passed
        passed += 1
        if passed == 40:
            raise Stop
        root.make_way()

    branch = root.branch(give_way)
    file = FileId("", "inline", "hostile.ax")
    source.set(branch, file, Source.from_text(make(size // SHARE)))
    root.make_way()
    with pytest.raises((Stop, Cancelled)):
        check_file(branch, file)
    assert passed == 40
    plain = Database()
    source.set(plain, file, source(branch, file))
    assert check_file(branch, file) == check_file(plain, file)
