"""Pools of threads for agents: a thread serves one call of an agent after the other, and the threads of few agents are kept."""

from __future__ import annotations

import asyncio
import threading

from boruna_ls.threads import AT_ONCE, KEPT, for_agent


def test_calls_of_an_agent_that_follow_each_other_share_a_thread() -> None:
    async def calls() -> set[threading.Thread]:
        return {await for_agent("one", threading.current_thread) for _ in range(20)}

    assert len(asyncio.run(calls())) <= AT_ONCE


def test_the_threads_of_few_agents_are_kept() -> None:
    async def calls() -> int:
        for number in range(10 * KEPT):
            await for_agent(f"agent {number}", threading.get_ident)
        # A pool that is let go ends its threads when they have noticed.
        for _ in range(100):
            count = sum(thread.name.startswith("agent") for thread in threading.enumerate())
            if count <= KEPT * AT_ONCE:
                break
            await asyncio.sleep(0.02)
        return count

    assert asyncio.run(calls()) <= KEPT * AT_ONCE


def test_an_agent_that_left_while_its_work_lasts_gets_no_further_threads() -> None:
    release = threading.Event()

    async def calls() -> int:
        waiting = [asyncio.ensure_future(for_agent("busy", release.wait)) for _ in range(3 * AT_ONCE)]
        await asyncio.sleep(0)
        for number in range(2 * KEPT):
            await for_agent(f"other {number}", threading.get_ident)
        waiting += [asyncio.ensure_future(for_agent("busy", release.wait)) for _ in range(AT_ONCE)]
        await asyncio.sleep(0.05)
        busy = sum(thread.name.startswith("agent") for thread in threading.enumerate())
        release.set()
        await asyncio.gather(*waiting)
        return busy

    assert asyncio.run(calls()) <= AT_ONCE + KEPT * AT_ONCE
