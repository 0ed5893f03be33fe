"""Steady typing in a text whose check takes longer than the pause between two keys: everybody goes on, the typist included.

Judged are numbers: of keys, publications and answers.
"""

from __future__ import annotations

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
PROMISED = 4
"""Publications a second, however fast the user types."""
QUICK = "fn quick() -> Int {\n    0\n}\n"


class Typist:
    """An editor in which a key repeats: how many keys were typed, and how many times diagnostics came."""

    def __init__(self, folder: Path, name: str, text: str, at: int) -> None:
        self.editor = Editor(folder)
        self.typed = self.published = 0
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

    def _type(self) -> None:
        due = time.monotonic()
        while not self._is_over.is_set():
            if (left := due - time.monotonic()) > 0:
                with suppress(NoAnswer):
                    if self.editor.receive(left).get("method") == "textDocument/publishDiagnostics":
                        self.published += 1
            else:
                due += PAUSE
                self.typed += 1
                self.editor.type(self._path, self._at, self._at + 1, str(self.typed % 10))


@contextmanager
def typing(folder: Path, name: str, text: str) -> Iterator[Typist]:
    typist = Typist(folder, name, text, text.rindex("0\n"))
    try:
        yield typist
    finally:
        typist.stop()
        end(typist.editor.process)


def answers(agent: Agent, seconds: float) -> int:
    """Short questions that an agent has answered in so much time, with a pause between them."""
    ends, count = time.monotonic() + seconds, 0
    while time.monotonic() < ends:
        agent.tool("boruna_check", source=f"fn main() -> Int {{ {time.monotonic_ns()} }}")
        count += 1
        time.sleep(0.05)
    return count


def test_a_slow_check_beside_a_repeating_key_starves_nobody(tmp_path: Path, place: Path) -> None:
    seconds = 5.0
    with Agent(tmp_path) as agent:
        answers(agent, 0.5)
        alone = answers(agent, 1.0)
        with typing(tmp_path, "slow.ax", SLOW) as slow, typing(tmp_path, "quick.ax", QUICK) as quick:
            beside = answers(agent, seconds)
            typed, published, quickly = slow.typed, slow.published, quick.published
    print(f"{typed} keys, {published} and {quickly} publications; {beside} answers in {seconds} s, {alone} in one alone")
    assert published >= 0.75 * PROMISED * seconds, f"{published} publications for {typed} keys"
    assert quickly >= typed / 8, f"{quickly} publications for {typed} keys"
    assert beside >= alone * seconds / 4, f"{beside} answers in {seconds} s, {alone} in one alone"


def test_a_short_question_does_not_wait_for_another_agents_long_one(tmp_path: Path, place: Path) -> None:
    """Of two that take turns the short questions are answered while the long one is under way, not after it."""
    broken = "\n".join(f"fn f{n}(x: Int) -> Int {{\n    let y = x + unknown_{n}\n    y + other_{n}\n}}" for n in range(1500))
    with Agent(tmp_path) as first, Agent(tmp_path) as second:
        second.tool("boruna_check", source="fn main() -> Int { 1 }")
        long = first.begin("boruna_check", source=broken)
        waiting = threading.Thread(target=first.answer, args=(long,))
        waiting.start()
        short = 0
        while waiting.is_alive():
            second.tool("boruna_check", source=f"fn main() -> Int {{ {short} }}")
            short += 1
        waiting.join()
    print(f"{short} short questions beside a long one")
    assert short > 10


def test_paths_are_completed_beside_a_key_that_repeats(tmp_path: Path, place: Path) -> None:
    """Each completion walks through the workspace, on a thread that nobody who types waits for."""
    for number in range(1500):
        (tmp_path / f"file{number}.ax").touch()
    ref = {"type": "ref/resource", "uri": "boruna://file/{path}"}
    asked = {"ref": ref, "argument": {"name": "path", "value": "file14"}}
    with Agent(tmp_path) as agent, typing(tmp_path, "quick.ax", QUICK) as quick:
        typed, published = quick.typed, quick.published
        ends, answered = time.monotonic() + 2.0, 0
        while time.monotonic() < ends:
            agent.send(*(request(number, "completion/complete", asked) for number in range(20)))
            for _ in range(20):
                assert agent.receive()["result"]["completion"]["total"] == 111
                answered += 1
        typed, published = quick.typed - typed, quick.published - published
    assert answered >= 40
    # Other tests compute beside it: a third where the machine is quiet.
    assert published >= typed / 8, f"typing waits for walks: {published} publications for {typed} keys"
