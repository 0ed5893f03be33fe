"""Clients that take more than their share: answers that nobody reads, runs by the hundred, edits whose old text is nowhere."""

from __future__ import annotations

import difflib
import json
import subprocess
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.mcp.quotas import Quota
from boruna_ls.mcp.tools.candidates import _closest
from boruna_ls.runtime.fair_queue import FairQueue
from boruna_ls.runtime.job import Job, packed
from boruna_ls.runtime.pool_run import QueueFull
from boruna_ls.runtime.workers import OWNER_LEAST, OWNER_LIMIT, WorkerPool
from tests.support.commands import command, end
from tests.support.daemon import until
from tests.support.mcp_lines import INITIALIZED, LineServer, call, initialize, line_server, request
from tests.support.programs import module

FIRST, CALLS = 15, 115
LARGE = "".join(f"// {n:05} {'x' * 100}\n" for n in range(9000)) + "fn main() -> Int { 1 }\n"


def resident(pid: int) -> float:
    """Megabytes that a process has in memory."""
    (line,) = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


def spent(pid: int) -> int:
    """Ticks that a process has computed."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def settled(pid: int) -> None:
    """Waits until a process does nothing any more."""
    last, since = spent(pid), time.monotonic()

    def is_idle() -> bool:
        nonlocal last, since
        now = spent(pid)
        if now - last > 2:
            last, since = now, time.monotonic()
        return time.monotonic() - since > 1.5

    until(is_idle)


def test_answers_that_nobody_reads_are_bounded_and_come_when_they_are_read(tmp_path: Path) -> None:
    (tmp_path / "large.ax").write_text(LARGE, encoding="utf-8")
    process = subprocess.Popen(
        [command("boruna-mcp"), "--standalone"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path
    )
    try:
        assert process.stdin is not None
        assert process.stdout is not None

        def send(*messages: Any) -> None:
            assert process.stdin is not None
            process.stdin.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
            process.stdin.flush()

        uri = {"uri": "boruna://file/large.ax"}
        send(initialize(), INITIALIZED, request("first", "resources/read", uri))
        process.stdout.readline()
        size = len(process.stdout.readline())
        assert size > 900_000
        send(*(request(number, "resources/read", uri) for number in range(FIRST)))
        settled(process.pid)
        before = resident(process.pid)
        send(*(request(number, "resources/read", uri) for number in range(FIRST, CALLS)))
        settled(process.pid)
        # Unbounded, it would be 100 MB more.
        assert resident(process.pid) - before < 30
        assert {json.loads(process.stdout.readline())["id"] for _ in range(CALLS)} == set(range(CALLS))
    finally:
        end(process)


def test_owners_take_turns() -> None:
    queue: FairQueue[str] = FairQueue()
    for owner, items in (("a", "a1 a2 a3"), ("b", "b1"), ("c", "c1 c2")):
        for item in items.split():
            queue.put(owner, item)
    assert [queue.get()[1] for _ in range(6)] == ["a1", "b1", "c1", "a2", "c2", "a3"]
    with pytest.raises(TimeoutError):
        queue.get(0.01)


def test_beyond_the_room_only_owners_with_nothing_running_are_served() -> None:
    queue: FairQueue[str] = FairQueue(room=2)
    for item in ("a1", "a2", "a3"):
        queue.put("a", item)
    assert [queue.get() for _ in range(2)] == [("a", "a1"), ("a", "a2")]
    with pytest.raises(TimeoutError):
        queue.get(0.01)
    queue.put("b", "b1")
    queue.put("b", "b2")
    assert queue.get() == ("b", "b1")
    queue.done("a")
    with pytest.raises(TimeoutError):
        queue.get(0.01)
    queue.done("a")
    assert queue.get() == ("a", "a3")


def test_a_thread_that_has_a_process_goes_before_one_that_has_none() -> None:
    queue: FairQueue[str] = FairQueue()
    taken: list[str] = []

    def take(name: str, is_warm: bool) -> None:
        taken.append(f"{name} {queue.get(20, is_warm)[1]}")

    threads = [threading.Thread(target=take, args=(name, name == "warm")) for name in ("cold", "warm")]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    queue.put("a", "1")
    until(lambda: taken != [])
    queue.put("a", "2")
    for thread in threads:
        thread.join(20)
    assert taken == ["warm 1", "cold 2"]


def test_endless_runs_of_one_client_delay_nobody_elses() -> None:
    pool, greedy, modest = WorkerPool(size=1), Quota(), Quota()
    endless = Job(packed(module("fn main() -> Int { while true { 1 } 0 }")), max_steps=10**15)
    try:
        many = [pool.submit(endless, 60.0, owner=greedy) for _ in range(5)]
        until(many[0].future.running)
        for _ in range(2):
            pool.submit(Job(packed(module("fn main() -> Int { 7 }"))), 30.0, owner=modest).future.result(30)
        assert [run.future.running() for run in many] == [True, False, False, False, False]
        assert len(pool.processes()) == 2
    finally:
        pool.close()


def test_a_full_queue_leaves_places_for_clients_that_have_few_runs() -> None:
    pool = WorkerPool(size=1, queue_limit=6)
    endless = Job(packed(module("fn main() -> Int { while true { 1 } 0 }")), max_steps=10**15)
    greedy, modest = Quota(), Quota()
    try:
        for _ in range(7):
            pool.submit(endless, 60.0, owner=greedy)
        with pytest.raises(QueueFull):
            pool.submit(endless, 60.0, owner=greedy)
        for _ in range(OWNER_LEAST):
            pool.submit(endless, 60.0, owner=modest)
        with pytest.raises(QueueFull):
            pool.submit(endless, 60.0, owner=modest)
    finally:
        pool.close()


def test_a_hundred_runs_of_one_client_delay_nobody_elses() -> None:
    pool, greedy, modest = WorkerPool(size=1), Quota(), Quota()
    try:
        job = Job(
            packed(module("fn main() -> Int {\n    let mut i = 0\n    while i < 400000 {\n        i = i + 1\n    }\n    i\n}\n"))
        )
        many = [pool.submit(job, 60.0, owner=greedy) for _ in range(OWNER_LIMIT)]
        with pytest.raises(QueueFull):
            pool.submit(job, 60.0, owner=greedy)
        pool.submit(job, 60.0, owner=modest).future.result(60)
        assert sum(run.future.done() for run in many) < OWNER_LIMIT // 2
        for run in many:
            run.stop()
        assert pool.waiting_of(modest) == 0
    finally:
        pool.close()


def test_more_runs_than_a_client_may_have_are_refused_by_name() -> None:
    slow = "fn f(n: Int) -> Int { if n < 2 { n } else { f(n - 1) + f(n - 2) } }\nfn main() -> Int { f(60) }\n"
    with line_server() as server:
        server.open()
        refused = _refused(server, slow)
    assert refused["limit_kind"] == "queue"
    assert refused["message"].startswith(f"{OWNER_LIMIT} programs of this client are already queued")


def _refused(server: LineServer, source: str) -> dict[str, Any]:
    server.send(*(call(number, "boruna_run", source=source, max_steps=2**60) for number in range(OWNER_LIMIT + 1)))
    return dict(server.receive()["result"]["structuredContent"])


def test_of_a_large_file_few_lines_are_compared_in_full_and_others_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"    let value_{number} = compute({number}, other_{number})" for number in range(25_000)]
    text, breaks, compared = "\n".join(lines), 0, 0
    get_close_matches = difflib.get_close_matches

    def counted(word: str, possibilities: Iterable[str], n: int, cutoff: float) -> list[str]:
        nonlocal compared
        candidates = list(possibilities)
        compared += len(candidates)
        return get_close_matches(word, candidates, n, cutoff)

    def give_way() -> None:
        nonlocal breaks
        breaks += 1

    monkeypatch.setattr(difflib, "get_close_matches", counted)
    assert _closest("let value_17 = compte(17, other_17)", text, give_way) == (18, lines[17].strip())
    assert breaks >= 100
    # Every line shares letter pairs with the wanted one.
    assert 0 < compared <= 50
