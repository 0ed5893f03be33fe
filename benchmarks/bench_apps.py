"""Cost of an application's sessions: `python -m benchmarks.bench_apps [ROUNDS]`.

A row is one call of `boruna_framework_test` over MCP stdio, with 1,000 messages unless the application's state grows with them.
`x update` is the ratio to running `update` and `view` alone, in this process and without showing anything. With
`BORUNA_REFERENCE` (a folder with the native `boruna-mcp`) the native server gets the same calls, side by side.
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from pathlib import Path
from typing import Any

from tests.support.apps import app_of, played
from tests.support.commands import command
from tests.support.corpus import CONFORMANCE, tool

SESSIONS = (
    ("counter", ["inc:3", "dec:1", "step:2"], 1000),
    ("traffic_light", ["tick", "fail:3", "tick", "repair"], 1000),
    ("elevator", ["call:3", "tick", "tick", "call:1"], 1000),
    ("tic_tac_toe", ["play:0", "play:4", "play:8", "new"], 1000),
    ("kanban", ["add:task", "move:0"], 100),
)
replay = tool(CONFORMANCE / "replay.py")


def best(server: Any, arguments: dict[str, Any], rounds: int) -> float:
    """Milliseconds of the fastest of several calls."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        server.request("tools/call", {"name": "boruna_framework_test", "arguments": arguments})
        times.append(time.perf_counter() - started)
    return min(times) * 1e3


def alone(text: str, messages: list[str], rounds: int) -> float:
    """Milliseconds of the calls of `update` and `view`, nothing shown."""
    app_of(text)
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        played(text, messages, offset=len(messages))
        times.append(time.perf_counter() - started)
    return min(times) * 1e3


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    ours = replay.Server(shlex.join([command("boruna-mcp"), "--standalone"]))
    folder = os.environ.get("BORUNA_REFERENCE")
    native = replay.Server(str(Path(folder) / "boruna-mcp")) if folder else None
    print(f"{'application':16} {'messages':>9} {'ms':>8} {'us each':>8} {'x update':>9} {'native ms':>10} {'x native':>9}")
    for name, cycle, count in SESSIONS:
        text = (CONFORMANCE / "framework" / f"{name}.ax").read_bytes().decode()
        messages = (cycle * count)[:count]
        arguments = {"source": text, "messages": messages}
        here = best(ours, arguments, rounds + 1)
        row = f"{name:16} {count:>9} {here:>8.1f} {here / count * 1e3:>8.0f} {here / alone(text, messages, rounds):>9.1f}"
        if native is None:
            print(f"{row} {'-':>10} {'-':>9}")
        else:
            there = best(native, arguments, rounds + 1)
            print(f"{row} {there:>10.1f} {here / there:>9.2f}")
    ours.close()
    if native is not None:
        native.close()


if __name__ == "__main__":
    main()
