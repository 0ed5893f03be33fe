"""Typing leaves nothing behind: answers about texts that are gone are evicted, those of every query alike."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from analysis import inputs
from analysis.codegen.compile import compile_file
from analysis.database import Cancelled, Database
from analysis.database.retention import RECENT, VARIANTS
from analysis.diagnostics.check import check_file
from analysis.ide.semantic_tokens import tokens
from analysis.semantics.declarations import chunk_tree
from analysis.text.source import Encoding
from boruna_ls.lsp.rendering import Renderer
from boruna_ls.workspace import Host, ask
from boruna_ls.workspace import retention as schedule
from boruna_ls.workspace.retention import EVERY, MUCH, SOME, Retention
from boruna_ls.workspace.worker import Worker

EDITS = 2 * EVERY
PROGRAM = "".join(f"fn f{n}(a: Int) -> Int {{\n    let b = a + {n}\n    b\n}}\n\n" for n in range(40))
PATIENCE = 60.0


def settled(host: Host, bound: int) -> None:
    """Waits until no query holds more answers."""
    deadline = time.monotonic() + PATIENCE
    while most(host)[0] > bound:
        assert time.monotonic() < deadline, most(host)
        time.sleep(0.01)
    host.worker.stop()


def most(host: Host) -> tuple[int, str]:
    """The query that holds most answers."""
    return max((counts.live, name) for name, counts in host.db.statistics().items())


def test_edits_leave_nothing_behind(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    host = Host()
    client = host.connect([str(tmp_path)])
    path = str(tmp_path / "a.ax")
    file = host.open(client, path, PROGRAM)
    for number in range(EDITS):
        text = host.buffer(client, path)
        assert text is not None
        start = text.source.text.index("let ", dice.randrange(len(PROGRAM) - 200)) + 4
        host.change(client, path, text.source.edited(start, text.source.text.index(" =", start), f"b{number}"), number)
        check_file(host.db, file)
        tokens(host.db, file)
        if number % 5 == 0:
            compile_file(host.db, file, "program")
    settled(host, RECENT + EVERY + 100)
    text = host.buffer(client, path)
    assert text is not None
    fresh = Host()
    again = fresh.open(fresh.connect([str(tmp_path)]), path, text.source.text)
    assert check_file(host.db, file) == check_file(fresh.db, again)


def test_states_of_an_item_leave_nothing_behind_about_those_who_use_it(tmp_path: Path) -> None:
    program = "fn f(a: Int) -> Int { a }\n" + "".join(f"fn f{n}(a: Int) -> Int {{\n    f(a + {n})\n}}\n" for n in range(20))
    host = Host()
    client = host.connect([str(tmp_path)])
    path = str(tmp_path / "a.ax")
    file = host.open(client, path, program)
    renderer = Renderer("file:///a.ax", Encoding.UTF8, lambda _: None)
    for number in range(2 * EVERY):
        text = host.buffer(client, path)
        assert text is not None
        # A parameter more that nobody passes: each user of the function has another diagnostic.
        start, end = text.source.text.index("a: Int"), text.source.text.index(")")
        edited = text.source.edited(start, end, f"a: Int, b{number}: Int")
        host.change(client, path, edited, number)
        rendered = b",".join(renderer.render(host.db, file, check_file(host.db, file), edited))
        assert rendered.count(b'"code":"E009"') == 20
    settled(host, 20 * VARIANTS + RECENT + EVERY)
    assert len(renderer._rendered_by_id) <= 20 * 5 + 500


class _Later:
    """A worker whose jobs run when the test says so."""

    def __init__(self) -> None:
        self.jobs: list[Callable[[], object]] = []

    def launch(self, job: Callable[[], object]) -> None:
        self.jobs.append(job)

    def run(self) -> None:
        """Runs all jobs; one that gives way goes on, as in a real worker."""
        while self.jobs:
            job = self.jobs.pop(0)
            try:
                job()
            except Cancelled:
                self.jobs.insert(0, job)

    is_used = True

    def should_yield(self) -> bool:
        return True

    def idle_for(self) -> float:
        return 60.0


def test_a_client_that_leaves_during_an_eviction_leaves_nothing_behind() -> None:
    db, worker = Database(), _Later()
    for number in range(RECENT // 2):
        chunk_tree(db, f"fn gone_{number}() -> Int {{ 1 }}")
    retention = Retention(db, cast(Worker, worker))
    for _ in range(EVERY):
        retention.text_gone(1)
    retention.sweep()
    worker.run()
    assert db.statistics()["chunk_tree"].live == 0


def test_a_long_text_that_is_gone_leaves_nothing_behind() -> None:
    host = Host()
    client = host.connect([])
    text = "".join(f"// {'x' * 2_000}\nfn gone_{number}() -> Int {{ {number} }}\n" for number in range(MUCH // 2_000))
    file = host.open(client, "/nowhere/long.ax", text)
    check_file(host.db, file)
    host.close(client, "/nowhere/long.ax")
    settled(host, RECENT)


@pytest.mark.parametrize("end", ["}\n", ""], ids=["closed", "open"])
def test_typing_in_a_long_item_leaves_little_behind(end: str) -> None:
    host = Host()
    client = host.connect([])
    path = "/nowhere/long.ax"
    file = host.open(client, path, f"// {'x' * (MUCH // 10)}\nfn main() -> Int {{ 1 {end}")
    for number in range(EVERY // 5):
        text = host.buffer(client, path)
        assert text is not None
        host.change(client, path, text.source.edited(0, 0, f"// {number}\n"), number)
        check_file(host.db, file)
    # Each state of the item is long: far fewer than EVERY of them are much.
    assert most(host)[0] < EVERY // 10


def test_nothing_stays_of_a_text_that_is_gone_when_nobody_asks_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "_LONG_QUIET", 0.2)
    host = Host()
    client = host.connect([])
    text = "".join(f"// {'x' * 2_000}\nfn gone_{number}() -> Int {{ {number} }}\n" for number in range(SOME // 1_000))
    file = host.open(client, "/nowhere/some.ax", text)
    ask(host, lambda host: check_file(host.db, file)).result()
    assert most(host)[0] >= SOME // 1_000
    host.close(client, "/nowhere/some.ax")
    # There are fewer libraries.
    settled(host, SOME // 2_000)


def test_one_thread_waits_to_give_memory_back() -> None:
    worker = _Later()
    worker.idle_for = lambda: 0.0  # type: ignore[method-assign]
    retention = Retention(Database(), cast(Worker, worker))
    others = set(threading.enumerate())

    def waiting() -> int:
        return sum(thread.name == "trim" for thread in threading.enumerate() if thread not in others)

    try:
        for _ in range(3):
            retention.sweep()
            worker.run()
        assert waiting() == 1
    finally:
        worker.idle_for = lambda: 60.0  # type: ignore[method-assign]
        while waiting():
            time.sleep(0.01)


def test_who_asks_the_database_itself_never_sees_an_older_text() -> None:
    """As the command line does: no job runs beside it, also not one that evicts."""
    host = Host()
    for number in range(3 * EVERY):
        text = f"fn main() -> Int {{ {number} }}\n"
        file = host.inline(text)
        assert inputs.source(host.db, file).text == text
        assert check_file(host.db, file).entries == ()
