"""Figures of executions: `python -m tests.executions.scale [--clients 10] [--executions 100] [--stored 10000] [--answered 1000]`.

Ratios are to the first page of an empty store, or to the first task of the same execution, measured in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

from boruna_ls.answers.execution import summary_answer
from boruna_ls.executions.records import head_of
from tests.executions.agents import Agent, http_agent
from tests.executions.stories import begun, driven, service_in
from tests.executions.test_replay import KEEPING
from tests.support.http_server import http_server

LONG = 10_000
"""Words of a long prompt."""
ENDLESS = 'fn main() -> Int !{llm.call} {\n    while true {\n        llm_call("more?")\n    }\n    0\n}\n'
COMPUTING = """fn main() -> Int !{llm.call} {
    let mut total: Int = 0
    while true {
        let mut i: Int = 0
        while i < 300000 {
            total = (total * 31 + i) % 1000003
            i = i + 1
        }
        llm_call("more?")
    }
    total
}
"""
SHORT = """fn main() -> String !{llm.call} {
    let first = llm_call("one?")
    let second = llm_call("two?")
    first ++ second ++ llm_call("three?")
}
"""


def warm(answered: int, folder: Path, program: str = ENDLESS, answer: str = "x" * 50) -> str:
    """Time of the next task of an execution with many answered ones, from its kept state and from its log."""
    service, took = service_in(folder), []
    execution = begun(service, program)
    for _ in range(answered):
        begins = time.perf_counter()
        execution = driven(service, execution)
        service.store.open_tasks(execution.key)
        took.append(time.perf_counter() - begins)
        service.submit(execution, answer, None)
    service.driver.forget_states()
    begins = time.perf_counter()
    driven(service, execution)
    cold = time.perf_counter() - begins
    early, late = statistics.median(took[5:105]), statistics.median(took[-100:])
    service.driver.close()
    kind = "kept" if program == KEEPING else "answered"
    return (
        f"next task, {answered} {kind} of {len(answer)} characters: {1000 * late:.1f} ms, "
        f"{late / early:.2f} of that at the beginning; "
        f"from the log {1000 * cold:.0f} ms"
    )


def listing(stored: int, folder: Path) -> str:
    """Time of pages of many executions; every tenth waits with a long prompt."""
    service = service_in(folder)
    first = driven(service, begun(service, ENDLESS))
    assert service.store.executions("local", "", None, None, None, 1)[0].prompt == "more?"
    columns = "owner, version_key, program_id, workspace, state, inputs, policy, budgets, secret, created, updated"
    with service.store.sql.writing() as do:
        for number in range(stored):
            do(
                f"INSERT INTO executions (execution_id, {columns}) SELECT ?, {columns} FROM executions WHERE key = ?",
                *(f"e{number}", first.key),
            )
            prompt = "more? " * (LONG if number % 10 == 0 else 1)
            arguments = json.dumps([{"String": prompt}])
            do(
                "INSERT INTO calls (execution, number, actor, capability, arguments, asked, head) "
                "SELECT MAX(key), 0, 0, 'llm.call', ?, 0, ? FROM executions",
                *(arguments, head_of(arguments)),
            )
    took: list[float] = []
    before = None
    while True:
        begins = time.perf_counter()
        page = service.store.executions("local", "", None, None, before, 200)
        service.store.count("local", None, None)
        json.dumps([summary_answer(one) for one in page])
        if not page:
            break
        took.append(time.perf_counter() - begins)
        before = page[-1].key
    service.driver.close()
    middle, slowest = 1000 * statistics.median(took), 1000 * max(took)
    return f"{stored} executions in {len(took)} pages of 200: {middle:.1f} ms a page, the slowest {slowest:.1f} ms"


def computing(folder: Path) -> str:
    """Time of the steps between two tasks."""
    service, took = service_in(folder), []
    execution = driven(service, begun(service, COMPUTING))
    for _ in range(5):
        service.submit(execution, "x", None)
        before, begins = execution.steps, time.perf_counter()
        execution = driven(service, execution)
        took.append((time.perf_counter() - begins) / (execution.steps - before))
    service.driver.close()
    return f"{execution.steps // 6:,} steps between two tasks: {1e9 * statistics.median(took):.0f} ms a million"


def scripted_answer(execution: str, task: dict[str, Any]) -> str:
    """Answer of the scripted mind."""
    return f"<{execution} {task['prompt']}>"


async def crowd(clients: int, executions: int, folder: Path) -> str:
    """Many executions at once, driven by several clients of one server; every result is checked."""
    folder.mkdir()
    options = "--standalone", "--root", str(folder), "--toolsets", "executions"
    with http_server(*options, cwd=folder, BORUNA_LS_STATE=str(folder / "state")) as server:
        async with AsyncExitStack() as stack:
            agents = [await stack.enter_async_context(http_agent(server)) for _ in range(clients)]
            await agents[0].ask("load", programId="short", source=SHORT)

            async def drive(agent: Agent, identity: str) -> None:
                await agent.ask("start", programId="short", executionId=identity, setCurrent=False)
                done = await agent.completed(partial(scripted_answer, identity), identity)
                assert done["result"] == "".join(f"<{identity} {word}?>" for word in ("one", "two", "three")), done

            begins = time.perf_counter()
            await asyncio.gather(*(drive(agents[number % clients], f"e{number}") for number in range(executions)))
            took = time.perf_counter() - begins
            assert (await agents[0].ask("list_executions", state="COMPLETED"))["total"] == executions
    return (
        f"{executions} executions of 3 tasks by {clients} clients at once: {took:.1f} s, {1000 * took / executions:.0f} ms each"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("clients", 10), ("executions", 100), ("stored", 10_000), ("answered", 1000)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        print(warm(options.answered, Path(scratch) / "warm"), flush=True)
        print(warm(options.answered, Path(scratch) / "keeping", KEEPING, "x" * 3000), flush=True)
        print(computing(Path(scratch) / "computing"), flush=True)
        print(listing(options.stored, Path(scratch) / "listing"), flush=True)
        print(asyncio.run(crowd(options.clients, options.executions, Path(scratch) / "crowd")))


if __name__ == "__main__":
    main()
