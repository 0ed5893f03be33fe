"""Locks: one order, checked while the tests run; and the deadlock between a walk that gives way and the disk's thread."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from boruna_ls import lock_order
from boruna_ls.workspace import Host, Priority, jobs, snapshot_of
from boruna_ls.workspace.programs import Walker
from boruna_ls.workspace.roots import Unread

PATIENCE = 20.0


@pytest.fixture(autouse=True)
def without_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests break the rules on purpose."""
    monkeypatch.setenv(lock_order.VARIABLE, "1")


@pytest.fixture
def host() -> Iterator[Host]:
    made = Host()
    yield made
    made.worker.stop()


def test_the_locks_of_the_tests_are_checked(host: Host) -> None:
    assert isinstance(host.jobs.lock, lock_order.CheckedLock)


def test_a_lock_is_not_taken_against_the_order() -> None:
    host, worker = lock_order.lock("host"), lock_order.lock("worker")
    with host, worker, worker:
        pass
    with worker, pytest.raises(lock_order.LockOrderError, match="'host' was taken while 'worker' is held"):
        host.acquire()
    with host, lock_order.lock("watching"), host:
        pass


def test_two_locks_of_one_name_are_not_held_at_once() -> None:
    with lock_order.lock("host"), pytest.raises(lock_order.LockOrderError):
        lock_order.lock("host").acquire()


def test_a_condition_keeps_the_order_while_it_waits() -> None:
    condition = threading.Condition(lock_order.lock("worker"))
    with condition:
        condition.wait(0.01)
        with pytest.raises(lock_order.LockOrderError):
            lock_order.lock("host").acquire()
    lock_order.expect_none_held("this")
    with lock_order.lock("host"):
        pass


def test_nobody_gives_way_while_a_lock_is_held(host: Host) -> None:
    def job() -> None:
        with host.jobs.lock:
            host.worker.give_way()

    with pytest.raises(lock_order.LockOrderError, match="gives way while the lock 'host' is held"):
        host.worker.submit(job, Priority.WORKSPACE).result(PATIENCE)


def test_nobody_reads_the_disk_while_a_lock_is_held(host: Host, tmp_path: Path) -> None:
    (tmp_path / "main.ax").write_text("fn main() -> Int { 1 }\n")
    path = str(tmp_path / "main.ax")
    for read in (lambda: open(path).close(), lambda: os.listdir(tmp_path), lambda: host.shared.disk.read(path)):
        read()
        with host.jobs.lock, pytest.raises(lock_order.LockOrderError, match="is read while the lock 'host' is held"):
            read()
    with lock_order.lock("store"):
        open(path).close()


def test_what_is_asked_under_the_lock_is_read_without_it(host: Host, tmp_path: Path) -> None:
    path = tmp_path / "main.ax"
    path.write_text("fn main() -> Int { 1 }\n")
    look, begun = host.jobs.look(), []

    def change() -> str:
        begun.append(path)
        return look.file(host.shared.disk, str(path)).source.text + look.root(look.canonical(str(path)))

    assert jobs.locked(host.jobs, look, change) == path.read_text()
    assert len(begun) == 4
    with look.sealed(), pytest.raises(Unread):
        look.canonical(str(tmp_path))
    assert jobs.locked(host.jobs, look, change) == path.read_text()


def test_a_broken_rule_is_noted_for_the_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = tmp_path / "notes"
    monkeypatch.setenv(lock_order.VARIABLE, str(notes))
    with lock_order.lock("host"), pytest.raises(lock_order.LockOrderError):
        os.listdir(tmp_path)
    assert "is read while the lock 'host' is held" in notes.read_text()


def test_a_walk_that_gives_way_and_a_workspace_that_is_forgotten_do_not_wait_for_each_other(tmp_path: Path, host: Host) -> None:
    """The walk gives way in its middle; the disk's thread then forgets the same workspace, and both want what the other has."""
    for number in range(50):
        (tmp_path / f"folder{number}").mkdir()
    root = host.canonical(str(tmp_path))
    walking, forgotten = threading.Event(), threading.Event()

    def forget() -> None:
        assert walking.wait(PATIENCE)
        host.upkeep.forget_workspace(root)
        forgotten.set()

    def urgent() -> None:
        walking.set()
        assert forgotten.wait(PATIENCE), "the workspace cannot be forgotten while a walk through it waits"

    def walk() -> int:
        snapshot = snapshot_of(host)
        future.append(host.worker.submit(urgent, Priority.TYPING))
        return len(snapshot.upkeep.programs(root).folders)

    future: list[object] = []
    thread = threading.Thread(target=forget)
    thread.start()
    found = host.worker.submit(walk, Priority.WORKSPACE).result(2 * PATIENCE)
    thread.join()
    assert found == 51


def test_two_walks_do_not_wait_for_each_other(tmp_path: Path) -> None:
    """One that is held up (by a disk that does not answer, say) holds up nobody else, not in the same folder either."""
    (tmp_path / "inner").mkdir()
    walker, go = Walker(), threading.Event()

    def wait() -> None:
        go.wait(PATIENCE)

    held = threading.Thread(target=lambda: walker.walk(str(tmp_path), checkpoint=wait))
    held.start()
    other = threading.Thread(target=lambda: walker.walk(str(tmp_path)))
    other.start()
    other.join(PATIENCE / 2)
    is_done = not other.is_alive()
    go.set()
    held.join()
    other.join()
    assert is_done
