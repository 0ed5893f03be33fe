"""Requests about large sources stop at checkpoints in all their parts: no time is measured here, only where they stop."""

from __future__ import annotations

import pytest

from boruna_ls.workspace import snapshot
from tests.faults.hostile_sources import SOURCES
from tests.faults.stretches import computed


@pytest.mark.parametrize("name", ["fields with uses", "accesses to unknown fields"])
def test_rendering_diagnostics_for_an_editor_stops_in_between(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "ATTEMPTS", 0)
    size, make = SOURCES[name]

    def stops(part: int) -> int:
        worker = computed("push", make(size // part))
        return sum(count for place, count in worker.stops.items() if place.startswith("rendering.py"))

    assert stops(10) >= 4 * stops(100) > 0
