"""Agents' requests wait while a keystroke is on its way, and never for long."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from boruna_ls.workspace.precedence import LONGEST, PART, RESERVE, Precedence


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def test_agents_go_on_when_the_keystroke_is_answered() -> None:
    order: list[str] = []
    precedence = Precedence(Clock())
    first, second = precedence.take(), precedence.take()
    answered = asyncio.Event()

    def agent() -> None:
        order.append("agent")
        answered.set()

    assert precedence.defers(agent, 0.0)
    first.end()
    first.end()
    for _ in range(10):
        await asyncio.sleep(0)
    order.append("first")
    second.end()
    await answered.wait()
    assert order == ["first", "agent"]
    assert not precedence.defers(agent, 0.0)


async def test_a_keystroke_that_is_never_answered_holds_up_nobody_for_long() -> None:
    precedence, is_over = Precedence(), asyncio.Event()
    precedence.take()
    assert precedence.defers(is_over.set, 0.0)
    async with asyncio.timeout(30):
        await is_over.wait()
        assert not precedence.is_taken()


async def test_beside_somebody_who_types_agents_have_a_part_of_the_loop() -> None:
    clock = Clock()
    precedence = Precedence(clock)

    async def waited(spent: float) -> float:
        """Seconds after which agents may go on that have used the loop for so many seconds."""
        loop, is_over = asyncio.get_running_loop(), asyncio.Event()
        begun = loop.time()
        if precedence.defers(is_over.set, spent):
            await is_over.wait()
        clock.now += loop.time() - begun
        return loop.time() - begun

    assert await waited(5.0) < 0.05, "nobody types"
    precedence.take().end()
    assert await waited(0.0) < 0.5, "what was used before is no debt"
    clock.now += 60.0
    precedence.take().end()
    assert await waited(RESERVE) < 0.05, "a call now and then is answered at once"
    assert await waited(0.01) == pytest.approx(0.01 / PART, rel=0.5)
    assert await waited(0.01) == pytest.approx(0.01 / PART, rel=0.5)


class Counting(Clock):
    """A clock that counts the looks at it."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return self.now


async def test_a_thread_waits_until_the_keystroke_is_answered_and_for_none_else() -> None:
    clock = Counting()
    precedence = Precedence(clock)
    precedence.let_pass()
    hold = precedence.take()
    looks = clock.looks
    # The thread's patience ends by the clock that stands still: it would wait for a minute.
    clock.now -= 60.0
    thread = threading.Thread(target=precedence.let_pass)
    thread.start()
    while clock.looks < looks + 2:
        await asyncio.sleep(0.001)
    assert thread.is_alive()
    hold.end()
    await asyncio.to_thread(thread.join)
    precedence.let_pass()


async def test_agents_have_the_loop_as_long_as_they_were_held_up() -> None:
    clock = Clock()
    precedence = Precedence(clock)
    hold = precedence.take()
    clock.now += LONGEST / 2
    hold.end()
    again = precedence.take()
    assert not precedence.is_taken()
    again.end()
    clock.now += LONGEST / 2
    precedence.take()
    assert precedence.is_taken()


async def test_keystrokes_that_follow_each_other_hold_up_no_longer_than_one() -> None:
    clock = Clock()
    precedence = Precedence(clock)
    precedence.take()
    clock.now += LONGEST * 0.9
    precedence.take()
    clock.now += LONGEST * 0.2
    assert not precedence.is_taken()


def test_another_loop_goes_on() -> None:
    precedence = Precedence()

    async def taken() -> None:
        precedence.take()

    async def is_held_up() -> bool:
        return precedence.defers(lambda: None, 0.0)

    asyncio.run(taken())
    assert not asyncio.run(is_held_up())


async def test_idle_work_rests_while_somebody_types_and_never_for_long() -> None:
    precedence = Precedence()
    async with asyncio.timeout(30):
        await precedence.rest()
        precedence.take().end()
        resting = asyncio.create_task(precedence.rest())
        while not resting.done():
            precedence.take().end()
            await asyncio.sleep(0.01)


def test_a_thread_that_reads_for_long_gets_a_part_of_the_time_while_somebody_types() -> None:
    precedence = Precedence()

    def seconds() -> float:
        begun = time.monotonic()
        pace = precedence.pacing()
        for _ in range(5):
            piece = time.monotonic() + 0.002
            while time.monotonic() < piece:
                asyncio.run(typed())
            pace()
        return time.monotonic() - begun

    async def typed() -> None:
        precedence.take().end()

    assert seconds() > 5 * 0.002 * 4
