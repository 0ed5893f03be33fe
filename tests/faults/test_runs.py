"""Effects of programs and circumstances on a run: bombs, deep values, a killed worker, cancellation, many runs at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.daemon import until
from tests.support.mcp_lines import LineServer, call, line_server, request

SMALL = "fn main() -> Int { 5 + 6 }"
ENDLESS = "fn main() -> Int {\n    let mut i = 0\n    while true {\n        i = i + 1\n    }\n    i\n}\n"
FOREVER = 10**15


@pytest.fixture(scope="module")
def server() -> Iterator[LineServer]:
    with line_server("--standalone") as started:
        yield started.open()


def answered(message: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(message["result"]["content"][0]["text"])
    return answer


def until_it_works_hard(worker: int) -> None:
    """Waits until a process computes something that takes long."""
    begun = processor_time(worker)
    until(lambda: processor_time(worker) > begun + 0.1)


def processor_time(process: int) -> float:
    """Seconds that a process has computed."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def works(server: LineServer) -> bool:
    """True if the next call is answered."""
    return bool(answered(server.ask(call("next", "boruna_run", source=SMALL)))["result"] == 11)


def doubling(start: str, step: str) -> str:
    return f"fn main() -> Int {{\n    let mut s = {start}\n    while true {{\n        s = {step}\n    }}\n    1\n}}\n"


def nested(levels: int, step: str = "[s]") -> str:
    return (
        f"fn main() -> List<Int> {{\n    let mut s = [1]\n    let mut i = 0\n    while i < {levels} {{\n"
        f"        s = {step}\n        i = i + 1\n    }}\n    s\n}}\n"
    )


@pytest.mark.parametrize(
    "source",
    [
        doubling('"12345678"', "s ++ s"),
        doubling("[1]", "__builtin_list_concat(s, s)"),
        # Memory goes in small pieces, so that no single one is refused.
        doubling('["1"]', f'list_push(s, __builtin_int_to_string(list_len(s)) ++ "{"x" * 2000}")'),
    ],
    ids=["text", "list", "pieces"],
)
def test_memory_bombs(server: LineServer, source: str) -> None:
    server.send(call(1, "boruna_run", source=source, max_steps=FOREVER))
    answer = answered(server.receive(120))
    assert (answer["error_kind"], answer["limit_kind"]) == ("limit_exceeded", "memory")
    assert answer["function"] == "main"
    assert works(server)


def test_step_bomb(server: LineServer) -> None:
    answer = answered(server.ask(call(1, "boruna_run", source=ENDLESS, max_steps=300_000)))
    assert (answer["error_kind"], answer["steps"]) == ("step_limit_exceeded", 300_001)


@pytest.mark.parametrize(
    "source, kind",
    [(nested(100_000), "depth"), (nested(60, "[s, s]"), "result_parts")],
    ids=["deep", "shared"],
)
def test_values_that_no_answer_can_hold(server: LineServer, source: str, kind: str) -> None:
    for tool in ("boruna_run", "boruna_run_sealed"):
        answer = answered(server.ask(call(1, tool, source=source)))
        assert answer["success"] is False
        assert answer["error_kind"] == "limit_exceeded"
    assert answered(server.ask(call(1, "boruna_run", source=source)))["limit_kind"] == kind
    assert works(server)


def test_worker_that_is_killed_is_an_answer() -> None:
    with line_server("--standalone") as server:
        server.open()
        assert works(server)
        (worker,) = workers_of(server)
        server.send(call("doomed", "boruna_run", source=ENDLESS, max_steps=FOREVER))
        until_it_works_hard(worker)
        os.kill(worker, signal.SIGKILL)
        answer = answered(server.receive())
        assert (answer["success"], answer["error_kind"]) == (False, "worker_died")
        assert "SIGKILL" in answer["message"]
        assert works(server)
        assert workers_of(server) != [worker]


def test_idle_worker_that_is_killed_is_not_noticed() -> None:
    with line_server("--standalone") as server:
        server.open()
        assert works(server)
        os.kill(workers_of(server)[0], signal.SIGKILL)
        time.sleep(0.2)
        assert works(server)


def test_cancelled_run_stops_at_once_and_gets_no_answer() -> None:
    with line_server("--standalone") as server:
        server.open()
        assert works(server)
        (worker,) = workers_of(server)
        server.send(call("endless", "boruna_run", source=ENDLESS, max_steps=FOREVER))
        until_it_works_hard(worker)
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "endless"}})
        assert works(server)
        assert wait_until_gone(worker)
        assert server.end() == (0, [])


def test_deadline_stops_a_run() -> None:
    # Long enough for the small programs, also where a worker has to start beside other tests.
    with line_server("--standalone", "--deadline", "8") as server:
        server.open()
        assert works(server)
        answer = answered(server.ask(call(1, "boruna_run", source=ENDLESS, max_steps=FOREVER)))
        assert (answer["error_kind"], answer["limit_kind"], answer["limit"]) == ("limit_exceeded", "deadline", 8000)
        assert works(server)


def test_workers_end_with_their_server() -> None:
    with line_server("--standalone") as server:
        server.open()
        assert works(server)
        (worker,) = workers_of(server)
        server.send(call("endless", "boruna_run", source=ENDLESS, max_steps=FOREVER))
        until_it_works_hard(worker)
        server.process.kill()
        server.process.wait()
        assert wait_until_gone(worker)


def test_fifty_runs_at_once_and_pings_beside_them(server: LineServer) -> None:
    source = ENDLESS.replace("true", "i < {}")
    for number in range(50):
        server.send(call(number, "boruna_run", source=source.replace("{}", str(1000 + number))))
        server.send(request(f"ping-{number}", "ping"))
    results, pings = {}, 0
    for _ in range(100):
        message = server.receive(60)
        if isinstance(message["id"], int):
            results[message["id"]] = answered(message)["result"]
        else:
            pings += 1
    assert pings == 50
    assert results == {number: 1000 + number for number in range(50)}


def test_pings_are_answered_while_eight_long_runs_go_on(server: LineServer) -> None:
    source = ENDLESS.replace("true", "i < 1111100")
    for number in range(8):
        server.send(call(number, "boruna_run", source=source.replace("= 0", f"= {number}", 1)))
    results: list[int] = []
    pings = 0
    while len(results) < 8 or not pings:
        server.send(request("ping", "ping"))
        while (message := server.receive(60))["id"] != "ping":
            results.append(answered(message)["result"])
        pings += 1
    assert results == [1_111_100] * 8


def test_output_of_debugging_functions_is_bounded(server: LineServer) -> None:
    source = "fn main() -> Int {\n    let mut i = 0\n    while i < 50000 {\n        i = __builtin_debug(i + 1)\n    }\n    i\n}\n"
    answer = answered(server.ask(call(1, "boruna_run", source=source)))
    assert answer["result"] == 50_000
    assert answer["debug_output"].startswith("1\n2\n3\n")
    assert len(answer["debug_output"]) == 65_536


def workers_of(server: LineServer) -> list[int]:
    """The ids of the server's worker processes, which may stand behind one that isolates them."""
    found = subprocess.run(["ps", "-ww", "-eo", "pid=,ppid=,args="], capture_output=True, text=True).stdout.splitlines()
    rows = {int(row[0]): (int(row[1]), row[2]) for line in found if len(row := line.split(None, 2)) == 3}
    below = {server.process.pid}
    for _ in range(4):
        below |= {pid for pid, (parent, _) in rows.items() if parent in below}
    names = {pid: rows[pid][1] for pid in below if "boruna_ls.runtime.worker" in rows[pid][1]}
    return [pid for pid, line in names.items() if "python" in line.split()[0]]


def wait_until_gone(process: int, seconds: float = 60) -> bool:
    """True if a process ends in time."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True).stdout.strip()
        if not state or state.startswith("Z"):
            return True
        time.sleep(0.05)
    return False
