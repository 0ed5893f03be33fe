"""Cost of runs, and the server's latency beside them: `python -m benchmarks.bench_runs`.

Latency of a trivial `boruna_run` over real MCP stdio beside a `ping` of the same server (the baseline); then the latency of pings
while eight runs of 10 million steps go on in the worker processes, and the duration of those runs. Last, in a pool of this
process: the cost of a mocked capability call, and the first run of a worker process whose modules the system has read before.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from statistics import median, quantiles
from typing import Any

from benchmarks.bench_lsp import ROOT
from benchmarks.calibration import calibration_ms
from boruna_ls.runtime.job import Job, packed
from boruna_ls.runtime.workers import WorkerPool
from tests.support.programs import module

SERVER = "from boruna_ls.mcp.main import main; main([])"
SMALL = "fn main() -> Int {{ {number} }}"
CALLS = 20_000
_CALLING = """fn main() -> Int !{{time.now}} {{
    let mut i = 0
    while i < {calls} {{ i = i + time_now() - time_now() + 1 }}
    i
}}
"""
LOOP = "fn main() -> Int {{\n    let mut i = {number}\n    while i < 1111111 {{ i = i + 1 }}\n    i\n}}\n"
RUNS = 8
PINGS = 200


class Agent:
    """A client that reads on a thread of its own, so that arrival is timed when it happens."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT
        )
        self.arrived: queue.SimpleQueue[tuple[float, dict[str, Any]]] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        client = {"name": "bench", "version": "1"}
        self.ask("init", "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, number: Any, method: str, params: Any = None) -> float:
        """Sends a request and gives the time."""
        begun = time.perf_counter()
        self._write({"jsonrpc": "2.0", "id": number, "method": method} | ({} if params is None else {"params": params}))
        return begun

    def run(self, number: Any, source: str) -> float:
        """Asks for a run."""
        return self.send(number, "tools/call", {"name": "boruna_run", "arguments": {"source": source}})

    def ask(self, number: Any, method: str, params: Any = None) -> float:
        """Milliseconds until the answer; nothing else may be under way."""
        begun = self.send(number, method, params)
        return (self.arrived.get(timeout=120)[0] - begun) * 1000

    def close(self) -> None:
        self._process.kill()
        self._process.wait()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.arrived.put((time.perf_counter(), json.loads(line)))

    def _write(self, message: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()


def main() -> None:
    loop = calibration_ms()
    agent = Agent()
    try:
        agent.run("warm", SMALL.format(number=0))
        agent.arrived.get(timeout=120)
        pings = [agent.ask(number, "ping") for number in range(PINGS)]
        small = []
        for number in range(PINGS):
            begun = agent.run(number, SMALL.format(number=number))
            small.append((agent.arrived.get(timeout=120)[0] - begun) * 1000)
        beside, seconds, steps = _beside_runs(agent)
    finally:
        agent.close()
    base = median(pings)
    print(f"{'':<44}{'median ms':>10}{'p99 ms':>10}{'x ping':>8}")
    rows = [("ping", pings), ("boruna_run of a new trivial program", small), (f"ping beside {RUNS} runs of 10 M steps", beside)]
    for name, times in rows:
        print(f"{name:<44}{median(times):>10.2f}{quantiles(times, n=100)[98]:>10.2f}{median(times) / base:>8.1f}")
    rate = steps / seconds / 1e6
    print(f"\n{RUNS} runs, {steps / 1e6:.0f} M steps: {seconds:.1f} s, {rate:.1f} M steps/s; x loop {seconds * 1000 / loop:.1f}")
    call, start = _call_us(), _start_ms()
    print(
        f"a mocked capability call: {call:.2f} µs, x loop {call / loop:.2f}; a warm start of a worker: {start:.0f} ms, "
        f"x loop {start / loop:.1f}"
    )


def _call_us() -> float:
    """Microseconds that a capability call takes, the rest of the program included."""
    calling, quiet = (Job(packed(module(_CALLING.format(calls=calls)))) for calls in (CALLS // 2, 1))
    pool = WorkerPool(size=1)
    try:
        times: list[list[float]] = [[], []]
        for _ in range(7):
            for job, found in zip((calling, quiet), times, strict=True):
                begun = time.perf_counter()
                pool.submit(job, 60).future.result(60)
                found.append(time.perf_counter() - begun)
    finally:
        pool.close()
    return (median(times[0]) - median(times[1])) / CALLS * 1e6


def _start_ms() -> float:
    """Milliseconds from an empty pool to the result of its first run."""
    job, found = Job(packed(module(SMALL.format(number=1)))), []
    for _ in range(9):
        pool = WorkerPool(size=1)
        begun = time.perf_counter()
        pool.submit(job, 60).future.result(60)
        found.append((time.perf_counter() - begun) * 1000)
        pool.close()
    return median(found)


def _beside_runs(agent: Agent) -> tuple[list[float], float, int]:
    """Latencies of pings, and seconds and steps of the runs beside them."""
    begun = time.perf_counter()
    for number in range(RUNS):
        agent.run(f"run-{number}", LOOP.format(number=number))
    waiting = RUNS
    pings: list[float] = []
    steps = 0
    ended = begun
    while waiting:
        sent = agent.send("ping", "ping")
        while True:
            at, message = agent.arrived.get(timeout=300)
            if message["id"] == "ping":
                pings.append((at - sent) * 1000)
                break
            steps += json.loads(message["result"]["content"][0]["text"])["steps"]
            waiting, ended = waiting - 1, at
        time.sleep(0.01)
    return pings, ended - begun, steps


if __name__ == "__main__":
    main()
