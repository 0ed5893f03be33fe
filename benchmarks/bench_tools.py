"""Tools of MCP servers: a call beside the same call by the library, modules of 100 tools, an edit with and without them.

Prints a table; the baseline of each row is measured in the same run. Usage: python -m benchmarks.bench_tools
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from mcp import Client, StdioServerParameters

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, ServerTools, ToolSchema, ToolServers, server_tools, source, tool_servers
from analysis.semantics.imports import tool_module
from analysis.text.source import Source

ROUNDS = 300
EDITS = 100
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {f"p{number}": {"type": "string", "description": "what it is for"} for number in range(8)},
        "required": ["p0", "p1"],
    }
)
TOOLS = tuple(ToolSchema(f"tool_{number}", "Does something useful with its arguments.", SCHEMA) for number in range(100))
ODD_SERVER = Path(__file__).resolve().parents[1] / "tests" / "upstream" / "odd_server.py"


def milliseconds(action: Callable[[], object], rounds: int) -> float:
    """The median of a number of rounds."""
    found = []
    for _ in range(rounds):
        begun = time.perf_counter()
        action()
        found.append(1000 * (time.perf_counter() - begun))
    return statistics.median(found)


async def direct(folder: Path) -> float:
    """A call by the library's own client, without a program."""
    arguments = ["-S", "-E", str(ODD_SERVER), "odd", str(folder / "direct.jsonl")]
    async with Client(StdioServerParameters(command=sys.executable, args=arguments), cache=None) as client:
        found = []
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            await client.call_tool("add", {"a": 1, "b": 2})
            found.append(1000 * (time.perf_counter() - begun))
        return statistics.median(found)


def through_programs(folder: Path) -> float:
    """A call from a program: policy, ceiling, configuration, names of arguments, the connection, the result."""
    from boruna_ls.upstream.broker import live_broker  # noqa: F401
    from tests.support.tool_programs import ToolWorkspace

    servers = ToolWorkspace(folder, {})
    servers.configure({"odd": servers.odd("odd")})
    servers.allowed = ("odd",)

    def seconds(calls: int) -> float:
        body = "sum = sum + __builtin_string_len(odd::add(1, 2).all_text())\n        n = n + 1"
        loop = f"let mut n = 0\n    let mut sum = 0\n    while n < {calls} {{\n        {body}\n    }}\n    sum"
        begun = time.perf_counter()
        made = servers.run(f"import mcp.odd\nfn main() -> Int !{{mcp.call}} {{\n    {loop}\n}}\n")
        assert made.error is None, made.error
        return time.perf_counter() - begun

    seconds(5)
    few, many = seconds(5), seconds(ROUNDS + 5)
    return 1000 * (many - few) / ROUNDS


def modules() -> float:
    """The module of a server with 100 tools, from its schemas."""
    db = Database()
    tool_servers.set(db, "/w", ToolServers(("s",), True))

    numbers = itertools.count()

    def made() -> None:
        tools = (*TOOLS[1:], ToolSchema(f"t{next(numbers)}", "", SCHEMA))
        server_tools.set(db, "/w", "s", ServerTools(True, tools))
        assert tool_module(db, "/w", "s") is not None

    return milliseconds(made, 50)


def edit(uses_tools: bool) -> float:
    """A keystroke in a body, in a file of 300 functions."""
    call = 's::tool_7("a", "b").all_text()' if uses_tools else 'helper("a", "b")'
    capability = " !{mcp.call}" if uses_tools else ""
    head = "import mcp.s\n" if uses_tools else "fn helper(a: String, b: String) -> String { a ++ b }\n"
    text = head + "".join(f"fn f{n}(a: Int) -> String{capability} {{\n    let n = {n}\n    {call}\n}}\n" for n in range(300))
    db, file = Database(), FileId("/w", "disk", "/w/a.ax")
    tool_servers.set(db, "/w", ToolServers(("s",), True))
    server_tools.set(db, "/w", "s", ServerTools(True, TOOLS))
    source.set(db, file, Source.from_text(text))
    check_file(db, file)
    at = text.index("let n = 150") + len("let n = 150")

    def typed() -> None:
        held = source(db, file)
        source.set(db, file, held.edited(at, at, "1") if len(held.text) == len(text) else held.edited(at, at + 1, ""))
        check_file(db, file)

    return milliseconds(typed, EDITS)


def main() -> int:
    """Prints the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["BORUNA_LS_STATE"] = str(folder / "state")
        library = asyncio.run(direct(folder))
        program = through_programs(folder)
    plain, with_tools = edit(False), edit(True)
    print(f"{'':<40} {'ms':>8} {'baseline':>9} {'ratio':>6}")
    for title, value, base in (
        ("a call from a program, beside the library", program, library),
        ("a keystroke with tools, beside without", with_tools, plain),
        ("the module of 100 tools", modules(), 20.0),
    ):
        print(f"{title:<40} {value:>8.2f} {base:>9.2f} {value / base:>6.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
