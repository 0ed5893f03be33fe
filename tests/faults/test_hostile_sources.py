"""A sample of the sources made to hold the daemon up, at a tenth of their size: twice the source takes little more than twice."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from analysis.database import Cancelled, Database
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, source
from analysis.text.source import Source
from boruna_ls.rendezvous.installations import GOOD, recorded
from tests.faults.hostile_sources import SOURCES, measure
from tests.support.daemon import Agent, status, until

SHARE = 10
LONGEST = 800_000
"""Turns of an empty loop that take as long as a check may go on without giving way, 12 ms where the longest of all takes 7."""
TIMES = 3
"""The machine does other things, too: one of so many times has to be short."""


@pytest.fixture(scope="module")
def longest() -> float:
    """LONGEST in seconds of the processor of this machine."""

    def loop() -> float:
        began = time.thread_time()
        for _ in range(LONGEST):
            pass
        return time.thread_time() - began

    return min(loop() for _ in range(5))


@pytest.mark.parametrize("name", SOURCES)
def test_a_check_gives_way_inside_an_item(name: str, longest: float) -> None:
    size, make = SOURCES[name]
    text = make(max(1, size // SHARE))
    found = [measure(text)]
    while found[-1].longest >= longest and len(found) < TIMES:
        found.append(measure(text))
    assert found[-1].longest < longest, found


@pytest.mark.parametrize(
    "name",
    [
        "accesses to unknown fields",
        "fields of one record",
        "functions with mistakes",
        "unknown names",
        "open strings on many lines",
        "a string of escapes",
        "broken functions on one line",
    ],
)
def test_a_check_grows_with_the_source(name: str) -> None:
    size, make = SOURCES[name]
    measure(make(100))
    small, large = (min(measure(make(size * times // (8 * SHARE))).whole for _ in range(2)) for times in (1, 4))
    assert large < 8 * small + 0.2


def test_memory_comes_back_when_its_agent_has_left(place: Path, tmp_path: Path) -> None:
    with Agent(tmp_path) as keeper, Agent(tmp_path) as agent:
        keeper.open()
        agent.open().check(source="fn main() -> Int { 1 }")
        # Loaded as a whole.
        until(lambda: any(one.state == GOOD for one in recorded(str(place))))
        before, most = status(place)["memory"], 0
        for name in ("a sum of 1 MB on one line", "fields of one record", "records"):
            size, make = SOURCES[name]
            agent.check(source=make(size * 3 // 10))
            most = max(most, status(place)["memory"])
        assert agent.end()[0] == 0
        # A third stays when nothing else runs: what was loaded meanwhile, and pages that hold a piece of it.
        until(lambda: status(place)["memory"] < before + (most - before) / 2, 45.0)


class Stop(Exception):
    """Ends a query that is given up."""


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
