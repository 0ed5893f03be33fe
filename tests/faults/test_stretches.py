"""Requests about large sources stop at checkpoints in all their parts: no time is measured here, only where they stop."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from analysis.text import source as texts
from analysis.text import splitting
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


@pytest.mark.parametrize("kind", ["boruna_check", "symbol", "rename_symbol", "try_edits"])
def test_the_long_text_of_a_call_is_split_on_a_thread_of_its_client(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "ATTEMPTS", 0)
    scan, threads = splitting.strict_starts, set[str]()
    long = "".join(f"fn f{number}() -> Int {{ {number} }}\n" for number in range(3_000))

    def noted(text: str, start: int, *rest: Any, **named: Any) -> Sequence[int] | None:
        # The libraries, which are short, are read where somebody first asks for them.
        if start == 0 and text.startswith(long):
            threads.add(threading.current_thread().name.partition("_")[0])
        return scan(text, start, *rest, **named)

    monkeypatch.setattr(texts, "strict_starts", noted)
    computed(kind, long)
    assert "agent" in threads
    assert "analysis" not in threads
