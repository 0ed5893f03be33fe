"""Long jobs beside urgent ones: they stop or give way, and end as one answer about one state however much is typed."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import fields
from hashlib import sha256
from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from analysis import inputs
from analysis.database import Cancelled, Database, query
from analysis.inputs import FileId
from boruna_ls.workspace import Host, Priority, ask, snapshot, snapshot_of
from boruna_ls.workspace.snapshot import SnapshotJobs
from boruna_ls.workspace.state import State

PATIENCE = 60.0


@query
def piece(db: Database, file: FileId, number: int) -> int:
    time.sleep(0.002)
    return inputs.source(db, file).text.count("x") + number - number


@query
def pieces(db: Database, file: FileId) -> int:
    """400 times the letters x, in 0.8 seconds: longer than an editor waits between two keystrokes."""
    return sum(piece(db, file, number) for number in range(400))


@pytest.fixture
def host() -> Iterator[Host]:
    host = Host()
    yield host
    host.worker.stop()


class Answer(NamedTuple):
    """Result of a job, the text that it claims to describe, and the kind of host on which it was computed."""

    found: int
    sha256: str
    revision: str
    on_snapshot: bool


def test_an_answer_comes_while_somebody_types_without_a_pause(host: Host) -> None:
    client = host.connect()
    file = host.open(client, "untitled:1", "")
    letters = {sha256(b"").hexdigest(): 0}
    over = threading.Event()

    def type_on() -> None:
        count = 0
        while not over.is_set():
            count += 1
            text = "x" * count
            letters[sha256(text.encode()).hexdigest()] = count
            buffer = host.buffer(client, "untitled:1")
            assert buffer is not None
            host.change(client, "untitled:1", buffer.source.replaced_by(text))
            time.sleep(0.02)

    def job(at: Host) -> Answer:
        found = pieces(at.db, file)
        fresh = at.freshness(file)
        return Answer(found, fresh.sha256, fresh.revision, isinstance(at.jobs, SnapshotJobs))

    typing = threading.Thread(target=type_on)
    typing.start()
    try:
        answer = ask(host, job, Priority.WORKSPACE).result(PATIENCE)
        # What is typed is served in between.
        seen = host.worker.submit(lambda: inputs.source(host.db, file).text, Priority.TYPING).result(PATIENCE)
    finally:
        over.set()
        typing.join()
    assert answer.found == 400 * letters[answer.sha256]
    assert answer.on_snapshot
    assert answer.revision != host.revision("")
    assert len(seen) > letters[answer.sha256]


def test_urgent_jobs_run_in_the_middle_of_one_on_a_snapshot(host: Host) -> None:
    client = host.connect()
    file = host.open(client, "untitled:1", "x")
    started, done = threading.Event(), list[str]()

    def long_job() -> int:
        snapshot = snapshot_of(host)
        started.set()
        found = pieces(snapshot.db, file)
        done.append("long")
        return found

    long = host.worker.submit(long_job, Priority.WORKSPACE)
    assert started.wait(PATIENCE)
    host.open(client, "untitled:1", "xx")
    urgent = host.worker.submit(lambda: done.append("urgent"), Priority.TYPING)
    equal = host.worker.submit(lambda: done.append("equal"), Priority.WORKSPACE)
    urgent.result(PATIENCE)
    assert not long.done()
    equal.result(PATIENCE)
    assert (long.result(PATIENCE), done) == (400, ["urgent", "equal", "long"])


def test_a_background_job_starts_again_after_an_urgent_one(host: Host) -> None:
    client = host.connect()
    file = host.open(client, "untitled:1", "x")
    begun = list[float]()
    running = threading.Event()

    def background() -> int:
        begun.append(time.monotonic())
        running.set()
        return pieces(host.db, file)

    future = host.worker.submit(background, Priority.BACKGROUND)
    assert running.wait(PATIENCE)
    host.worker.submit(lambda: None, Priority.REQUEST).result(PATIENCE)
    assert not future.done()
    assert future.result(PATIENCE) == 400
    assert len(begun) >= 2


@pytest.mark.parametrize("on_snapshot", [False, True])
def test_a_job_that_nobody_waits_for_ends(host: Host, on_snapshot: bool) -> None:
    client = host.connect()
    file = host.open(client, "untitled:1", "x")
    started = threading.Event()

    def job() -> int:
        at = snapshot_of(host) if on_snapshot else host
        started.set()
        while True:
            pieces(at.db, file)
            at.checkpoint()

    future: Future[int] = host.worker.submit(job, Priority.WORKSPACE)
    assert started.wait(PATIENCE)
    ends = time.monotonic() + PATIENCE
    while not future.done():
        assert time.monotonic() < ends
        host.worker.interrupt(future)
        time.sleep(0.01)
    assert isinstance(future.exception(), Cancelled)
    assert host.worker.submit(lambda: 7).result(PATIENCE) == 7


def test_a_snapshot_stays_as_it_was(host: Host) -> None:
    client = host.connect()
    file = host.open(client, "untitled:1", "first")
    snapshot = host.worker.submit(lambda: snapshot_of(host)).result(PATIENCE)
    before = snapshot.freshness(file)
    host.open(client, "untitled:1", "second")
    host.open(client, "untitled:2", "another")
    text, opened = host.worker.submit(lambda: (inputs.source(snapshot.db, file).text, snapshot.open_paths(client))).result(
        PATIENCE
    )
    assert (text, opened) == ("first", ["untitled:1"])
    assert snapshot.freshness(file) == before
    assert host.freshness(file).revision != before.revision


def test_what_was_computed_on_a_snapshot_is_freed(host: Host) -> None:
    client = host.connect()
    file = host.open(client, "untitled:1", "x")
    kept: list[weakref.ref[Database]] = []

    def job(at: Host) -> int:
        if not isinstance(at.jobs, SnapshotJobs):
            raise Cancelled
        kept.append(weakref.ref(at.db))
        return inputs.source(at.db, file).text.count("x")

    assert ask(host, job).result(PATIENCE) == 1
    host.worker.submit(lambda: None, Priority.BACKGROUND).result(PATIENCE)
    assert [database() for database in kept] == [None]


class Counted:
    """An answer of a query; `freed` counts those that are gone."""

    freed = 0

    def __del__(self) -> None:
        Counted.freed += 1


@query
def all_counted(db: Database, file: FileId) -> int:
    """Its table comes before that of what it depends on, and is emptied behind it."""
    for number in range(3_000):
        counted(db, file, number)
    return 1


@query
def counted(db: Database, file: FileId, number: int) -> Counted:
    inputs.source(db, file)
    return Counted()


def test_what_was_computed_on_a_snapshot_is_freed_in_steps(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    file = host.open(host.connect(), "untitled:1", "x")
    monkeypatch.setattr(snapshot, "ATTEMPTS", 0)
    monkeypatch.setattr(host.worker, "should_yield", lambda: True)
    before: list[int] = []
    monkeypatch.setattr(snapshot, "_free", _noting(snapshot._free, before))
    Counted.freed = 0
    assert ask(host, lambda at: all_counted(at.db, file), Priority.WORKSPACE).result(PATIENCE) == 1
    ends = time.monotonic() + PATIENCE
    while Counted.freed < 3_000 and time.monotonic() < ends:
        time.sleep(0.01)
    steps = [later - earlier for earlier, later in pairwise([*before, Counted.freed])]
    assert sum(steps) == 3_000
    assert max(steps) <= snapshot._AT_ONCE + 1


def _noting(step: Callable[..., None], before: list[int]) -> Callable[..., None]:
    """A step of freeing that notes how many were freed before it."""

    def noting(*arguments: Any) -> None:
        before.append(Counted.freed)
        step(*arguments)

    return noting


def test_jobs_wait_by_priority_and_are_counted(host: Host) -> None:
    release = threading.Event()
    first = host.worker.submit(lambda: release.wait(PATIENCE), Priority.TYPING)
    waiting = [host.worker.submit(lambda: None, priority) for priority in (Priority.WORKSPACE, Priority.WORKSPACE)]
    pending = host.worker.pending()
    assert (pending[Priority.TYPING], pending[Priority.WORKSPACE], pending[Priority.REQUEST]) == (1, 2, 0)
    release.set()
    assert first.result(PATIENCE)
    for future in waiting:
        future.result(PATIENCE)


def test_urgent_jobs_without_a_pause_do_not_starve_the_others(host: Host) -> None:
    """Each urgent job queues the next one, so that there is always one that waits or runs."""
    client = host.connect()
    file = host.open(client, "untitled:1", "x")
    over = threading.Event()

    def submit() -> None:
        with suppress(RuntimeError):  # the end of the test
            host.worker.submit(urgent, Priority.TYPING)

    def urgent() -> None:
        if not over.is_set():
            threading.Thread(target=submit).start()

    host.worker.submit(urgent, Priority.TYPING)
    try:
        assert ask(host, lambda at: pieces(at.db, file), Priority.WORKSPACE).result(PATIENCE) == 400
        assert ask(host, lambda at: pieces(at.db, file), Priority.BACKGROUND).result(PATIENCE) == 400
    finally:
        over.set()


def test_a_job_that_waited_long_does_not_hold_up_an_urgent_one(host: Host) -> None:
    client = host.connect()
    file = host.open(client, "untitled:1", "x")
    done = list[str]()

    def long_job() -> int:
        found = pieces(host.db, file)
        done.append("long")
        return found

    release = threading.Event()
    first = host.worker.submit(lambda: release.wait(PATIENCE), Priority.TYPING)
    long = host.worker.submit(long_job, Priority.BACKGROUND)
    urgent = host.worker.submit(lambda: done.append("urgent"), Priority.TYPING)
    time.sleep(0.4)
    release.set()
    for future in (urgent, long, first):
        future.result(PATIENCE)
    assert done == ["urgent", "long"]


def test_a_snapshot_shares_nothing_that_changes(host: Host) -> None:
    snapshot = host.worker.submit(lambda: snapshot_of(host)).result(PATIENCE)
    for field in fields(State):
        ours, theirs = getattr(host.state, field.name), getattr(snapshot.state, field.name)
        assert ours is None or isinstance(ours, int) or ours is not theirs, f"State.copied does not copy {field.name}"
    assert vars(host).keys() == vars(snapshot).keys()
    shared = {name for name, part in vars(host).items() if part is vars(snapshot)[name]}
    assert shared == {"shared", "worker", "retention"}, "a part of a snapshot is its own"
    assert snapshot.listeners == []
