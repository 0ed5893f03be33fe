"""Cost of a call of `boruna_check` over real MCP stdio: `python -m benchmarks.bench_mcp [ROUNDS]`.

Each call sends the whole source with one function changed; a row is the time from before the request is encoded until
its answer was read and decoded. The baseline is a tool of the bare SDK in the same run that answers with the length of
its argument. `x loop` is the ratio to a calibration loop, for comparisons with other machines.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from statistics import median, quantiles
from typing import Any

from benchmarks.bench_lsp import ROOT, generated, with_diagnostics
from benchmarks.calibration import calibration_ms

REFERENCE = "the native server: 14 ms for boruna_check at 10,000 lines, on the machine of its figures"
ECHO_SERVER = """
import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server
async def list_tools(context, params):
    return types.ListToolsResult(tools=[])
async def call_tool(context, params):
    answer = {"length": len(params.arguments["source"])}
    text = types.TextContent(type="text", text=str(answer))
    return types.CallToolResult(content=[text], structured_content=answer)
async def main():
    server = Server("echo", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
anyio.run(main)
"""
OUR_SERVER = "from boruna_ls.mcp.main import main; main([])"


class Agent:
    """A plain client that waits for each answer."""

    def __init__(self, program: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
        )
        self._number = 0
        self.sizes = (0, 0)
        """Bytes of the last request and of its answer."""
        client = {"name": "bench", "version": "1"}
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def check(self, source: str) -> tuple[float, dict[str, Any]]:
        """Milliseconds of one call, and its answer's value."""
        begun = time.perf_counter()
        result = self.request("tools/call", {"name": "boruna_check", "arguments": {"source": source}})
        spent = (time.perf_counter() - begun) * 1e3
        return spent, result["structuredContent"]

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of a request."""
        self._number += 1
        sent = self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        self.sizes = sent, len(line)
        result: dict[str, Any] = json.loads(line)["result"]
        return result

    def close(self) -> None:
        """Ends the server."""
        self._process.kill()
        self._process.communicate()

    def _write(self, message: dict[str, Any]) -> int:
        assert self._process.stdin is not None
        line = json.dumps(message).encode() + b"\n"
        self._process.stdin.write(line)
        self._process.stdin.flush()
        return len(line)


def variants(text: str) -> list[str]:
    """Texts that differ in the body of one function in the middle."""
    places = [found.end() for found in re.finditer(r"\n    let \w+: Int = \d+", text)] or [text.index("{") + 1]
    place = places[len(places) // 2]
    addition = " + {}" if text[place - 1].isdigit() else " let bench: Int = {}"
    return [text[:place] + addition.format(number) + text[place:] for number in range(1, 8)]


def measure(name: str, program: str, text: str, rounds: int) -> tuple[str, list[float], int]:
    """The times of calls, each with another function body than the one before."""
    agent = Agent(program)
    texts = variants(text)
    try:
        for source in texts[:3]:
            agent.check(source)
        calls = [agent.check(texts[number % len(texts)]) for number in range(rounds)]
        return name, [spent for spent, _ in calls], calls[-1][1].get("diagnostics_count", 0)
    finally:
        agent.close()


def main() -> int:
    """Prints the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    loop = calibration_ms()
    small, large = generated(10), generated(10_000)
    rows = [
        measure("echo of the bare SDK, 10 lines", ECHO_SERVER, small, rounds),
        measure("echo of the bare SDK, 10,000 lines", ECHO_SERVER, large, rounds),
        measure("boruna_check, 10 lines", OUR_SERVER, small, rounds),
        measure("boruna_check, 1,000 lines", OUR_SERVER, generated(1_000), rounds),
        measure("boruna_check, 10,000 lines", OUR_SERVER, large, rounds),
        measure("boruna_check, 1,000 findings", OUR_SERVER, with_diagnostics(1_000), rounds),
    ]
    base = {True: median(rows[0][1]), False: median(rows[1][1])}
    print(f"{'call -> answer':<36}{'median ms':>10}{'p90 ms':>9}{'x echo':>9}{'x loop':>8}{'diagnostics':>12}")
    for name, times, found in rows:
        middle, high = median(times), quantiles(times, n=10)[-1]
        echo = base[" 10 lines" in name]
        print(f"{name:<36}{middle:>10.2f}{high:>9.2f}{middle / echo:>9.1f}{middle / loop:>8.2f}{found:>10}")
    print("targets: 10,000 lines 14 ms or less, 10 lines 3 ms or less")
    print(f"calibration loop: {loop:.2f} ms; {REFERENCE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
