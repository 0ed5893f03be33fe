"""An event loop that has something to move goes first: who computes on a snapshot makes way for it, all others go on. On the
loop, tasks that are in no hurry go behind the others."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from analysis.database import Database, query
from boruna_ls.loop import attend, is_in_no_hurry, run
from boruna_ls.workspace import Host, Priority
from boruna_ls.workspace.worker import Worker

PATIENCE = 60.0
ATTENDED = pytest.mark.skipif(sys.platform == "win32", reason="the loop of Windows knows no selectors")


@query
def square(db: Database, number: int) -> int:
    return number * number


@query
def squares(db: Database, begun: threading.Event, over: threading.Event) -> int:
    """One long computation of many queries; how many."""
    count = 0
    while not over.is_set():
        count += square(db, count % 1000) == (count % 1000) ** 2
        begun.set()
    return count


@pytest.fixture
def host() -> Iterator[Host]:
    host = Host()
    yield host
    host.worker.stop()


def woken(host: Host, database: Callable[[], Database], until: Callable[[], bool]) -> int:
    """Computes at a host while its loop gets bytes and has them in hand until something holds; the number of answers."""
    over, begun = threading.Event(), threading.Event()

    def job() -> int:
        return squares(database(), begun, over)

    async def main() -> int:
        attend(host)
        ours, theirs = socket.socketpair()
        with theirs:
            reader, writer = await asyncio.open_connection(sock=ours)
            future = host.worker.submit(job, Priority.WORKSPACE)
            await asyncio.to_thread(begun.wait, PATIENCE)
            await asyncio.to_thread(theirs.send, b"x")
            assert await reader.read(1) == b"x"
            # From here to the end the loop does not sleep.
            assert until()
            over.set()
            count = future.result(PATIENCE)
            writer.close()
            return count

    return run(main())


@ATTENDED
def test_a_snapshot_makes_way_when_the_loop_wakes_and_goes_on_though_it_does_not_sleep(host: Host) -> None:
    made_way = threading.Event()

    def give_way() -> None:
        made_way.set()
        host.worker.give_way()

    assert woken(host, lambda: host.db.branch(give_way), lambda: made_way.wait(PATIENCE))


@ATTENDED
def test_what_gives_no_way_is_not_stopped(host: Host) -> None:
    # A job that was cancelled would be begun again, and with it the count.
    begun: list[int] = []

    def database() -> Database:
        begun.append(1)
        return host.db

    assert woken(host, database, lambda: True)
    assert begun == [1]


@pytest.mark.parametrize(
    ("priority", "is_typing", "lets_loop_go_first"),
    [
        (Priority.TYPING, True, False),
        (Priority.REQUEST, False, False),
        (Priority.REQUEST, True, True),
        (Priority.DIAGNOSTICS, False, False),
        (Priority.DIAGNOSTICS, True, True),
        (Priority.WORKSPACE, False, True),
    ],
)
def test_urgent_jobs_are_told_only_while_somebody_types(priority: Priority, is_typing: bool, lets_loop_go_first: bool) -> None:
    worker, told, go, begun = Worker(), threading.Event(), threading.Event(), threading.Event()
    worker.attend(told.set, lambda: is_typing)

    def job() -> bool:
        begun.set()
        return go.wait(PATIENCE)

    future = worker.submit(job, priority)
    assert begun.wait(PATIENCE)
    worker.loop_woke()
    go.set()
    assert future.result(PATIENCE)
    worker.stop()
    assert told.is_set() == lets_loop_go_first


def test_who_is_in_no_hurry_lets_others_go_first() -> None:
    turns: list[str] = []

    async def agent(name: str) -> None:
        is_in_no_hurry()
        for _ in range(20):
            await asyncio.sleep(0)
            turns.append(name)
            time.sleep(0.002)

    async def editor() -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            reader, writer = await asyncio.open_connection(sock=ours)
            for _ in range(5):
                theirs.send(b"x")
                await reader.read(1)
                turns.append("editor")
            writer.close()

    async def main() -> None:
        await asyncio.gather(agent("first"), agent("second"), editor())

    run(main())
    keys = [place for place, name in enumerate(turns) if name == "editor"]
    # Between two keys no more than a turn of one agent for each round of the loop that reading takes.
    assert len(keys) == 5
    assert keys[-1] - keys[0] < 20, turns
    agents = [name for name in turns if name != "editor"]
    assert agents == ["first", "second"] * 20, "in the order in which they came"


def test_those_in_no_hurry_take_turns_however_much_one_of_them_has_to_do() -> None:
    turns: list[str] = []

    async def step(name: str) -> None:
        turns.append(name)

    async def flood() -> None:
        is_in_no_hurry()
        await asyncio.gather(*[step("flood") for _ in range(1_000)])

    async def polite() -> None:
        is_in_no_hurry()
        for _ in range(5):
            await asyncio.create_task(step("polite"))

    async def main() -> None:
        await asyncio.gather(flood(), polite())

    run(main())
    places = [place for place, name in enumerate(turns) if name == "polite"]
    assert len(places) == 5
    assert places[-1] < 50


def test_a_turn_that_was_put_off_comes() -> None:
    host, has_ended = Host(), threading.Event()

    async def agent() -> None:
        is_in_no_hurry()
        for _ in range(3):
            # Never answered: it goes first for some milliseconds.
            host.shared.precedence.take()
            await asyncio.sleep(0)
        has_ended.set()

    async def main() -> None:
        attend(host)
        await asyncio.create_task(agent())

    # On a thread: a task that gets no turn cannot even be cancelled.
    threading.Thread(target=lambda: run(main()), daemon=True).start()
    assert has_ended.wait(10)
    host.worker.stop()


def test_callbacks_that_were_cancelled_are_not_called_and_failures_cost_nobody_else_a_turn() -> None:
    called: list[str] = []

    def fails() -> None:
        raise RuntimeError("of an agent")

    async def main() -> list[str]:
        loop, failures = asyncio.get_running_loop(), list[str]()
        loop.set_exception_handler(lambda _, context: failures.append(str(context["exception"])))
        is_in_no_hurry()
        loop.call_soon(called.append, "cancelled").cancel()
        loop.call_soon(fails)
        loop.call_soon(called.append, "last")
        while not called:
            await asyncio.sleep(0)
        return failures

    assert run(main()) == ["of an agent"]
    assert called == ["last"]
