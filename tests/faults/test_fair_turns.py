"""Steady typing in a text whose check takes longer than the pause between two keys: everybody goes on, the typist included."""

from __future__ import annotations

import itertools
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.commands import end
from tests.support.live import Agent, Editor
from tests.support.lsp import NoAnswer
from tests.support.mcp_lines import request

PAUSE = 1 / 30
"""Seconds between two keys of a keyboard that repeats."""
SLOW = "fn slow() -> Int {\n" + "".join(f"    let a{n} = {n} + {n}\n" for n in range(1000)) + "    let key = 0\n    key\n}\n"
"""One function whose check takes longer than that."""
QUICK = "fn quick() -> Int {\n    0\n}\n"


class Typist:
    """An editor in which a key repeats: when each was typed, and when diagnostics came."""

    def __init__(self, folder: Path, name: str, text: str, at: int) -> None:
        self.editor = Editor(folder)
        self.published: list[float] = []
        self._path, self._at = folder / name, at
        self.editor.show(self._path, text)
        while self._path not in self.editor.shown:
            self.editor.receive()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._type)
        self._thread.start()

    def stop(self) -> None:
        self._is_over.set()
        self._thread.join()

    def longest_pause(self) -> float:
        return max(after - before for before, after in itertools.pairwise(self.published))

    def _type(self) -> None:
        due = time.monotonic()
        keys = 0
        while not self._is_over.is_set():
            if (left := due - time.monotonic()) > 0:
                with suppress(NoAnswer):
                    if self.editor.receive(left).get("method") == "textDocument/publishDiagnostics":
                        self.published.append(time.monotonic())
            else:
                due += PAUSE
                keys += 1
                self.editor.type(self._path, self._at, self._at + 1, str(keys % 10))


@contextmanager
def typing(folder: Path, name: str, text: str) -> Iterator[Typist]:
    typist = Typist(folder, name, text, text.rindex("0\n"))
    try:
        yield typist
    finally:
        typist.stop()
        end(typist.editor.process)


def test_a_slow_check_beside_a_repeating_key_starves_nobody(tmp_path: Path, place: Path) -> None:
    with Agent(tmp_path) as agent, typing(tmp_path, "slow.ax", SLOW) as slow, typing(tmp_path, "quick.ax", QUICK) as quick:
        waits: list[float] = []
        ends = time.monotonic() + 5.0
        while time.monotonic() < ends:
            began = time.monotonic()
            agent.tool("boruna_check", source=f"fn main() -> Int {{ {len(waits)} }}")
            waits.append(time.monotonic() - began)
            time.sleep(0.05)
    # Promised is a publication every quarter of a second; the rest is for machines that are busy with something else.
    assert slow.longest_pause() < 2.0
    assert quick.longest_pause() < 1.5
    assert statistics.median(waits) < 0.3
    assert max(waits) < 1.0


def test_a_short_question_does_not_wait_for_another_agents_long_one(tmp_path: Path, place: Path) -> None:
    broken = "\n".join(f"fn f{n}(x: Int) -> Int {{\n    let y = x + unknown_{n}\n    y + other_{n}\n}}" for n in range(1500))
    with Agent(tmp_path) as first, Agent(tmp_path) as second:
        second.tool("boruna_check", source="fn main() -> Int { 1 }")
        long = first.begin("boruna_check", source=broken)
        waits: list[float] = []
        for number in range(10):
            began = time.monotonic()
            second.tool("boruna_check", source=f"fn main() -> Int {{ {number} }}")
            waits.append(time.monotonic() - began)
        began = time.monotonic()
        first.answer(long)
        took = time.monotonic() - began
    assert took > 0.2, "the long question was over before the short ones: this shows nothing"
    assert max(waits) < 1.0


def test_paths_are_completed_beside_a_key_that_repeats(tmp_path: Path, place: Path) -> None:
    """Each completion walks through the workspace, on a thread that nobody who types waits for."""
    for number in range(1500):
        (tmp_path / f"file{number}.ax").touch()
    ref = {"type": "ref/resource", "uri": "boruna://file/{path}"}
    asked = {"ref": ref, "argument": {"name": "path", "value": "file14"}}
    with Agent(tmp_path) as agent, typing(tmp_path, "quick.ax", QUICK) as quick:
        quick.published.clear()
        ends, answered = time.monotonic() + 2.0, 0
        while time.monotonic() < ends:
            agent.send(*(request(number, "completion/complete", asked) for number in range(20)))
            for _ in range(20):
                assert agent.receive()["result"]["completion"]["total"] == 111
                answered += 1
        keys, longest = len(quick.published), quick.longest_pause()
    assert answered >= 40
    assert keys > 8, "typing waits for walks"
    assert longest < 1.5
