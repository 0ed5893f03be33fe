"""Twenty tasks of an agent as fixed call sequences: `python -m benchmarks.bench_agent`.

Each task begins with a fresh copy of one workspace and counts the calls, the bytes of their answers, and whether what came of it
is right: the answer, or the program that was written. `x files` is the ratio of those bytes to reading all files.
With `BORUNA_REFERENCE` (a folder with the native `boruna-mcp`) its server gets the same calls; a tool that it does not have
fails the task there.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from tests.support.commands import command

LIBRARY = """// What things cost.
export fn net(cents: Int, count: Int) -> Int {
    cents * count
}

export fn tax(cents: Int) -> Int {
    cents * 19 / 100
}
"""
APP = """import "shop"

type Line { name: String, cents: Int, count: Int }
enum State { Open, Paid, Sent }

// What a line costs with its tax.
fn gross(line: Line) -> Int {
    let base = net(line.cents, line.count)
    base + tax(base)
}

fn next(state: State) -> State {
    match state {
        Open => State::Paid,
        Paid => State::Sent,
        Sent => State::Sent,
    }
}

fn label(number: Int) -> String {
    if number == 1 { "one" } else { if number == 2 { "two" } else { "more" } }
}

fn main() -> Int {
    let line: Line = Line { name: "pen", cents: 100, count: 3 }
    let state: State = next(State::Open)
    match state {
        Paid => gross(line),
        Open => 0,
        Sent => 1,
    }
}
"""
MISSPELT = "fn main() -> Int {\n    let total = 4\n    totl * 2\n}\n"
OPEN_MATCH = (
    "enum S { A, B }\nfn f(s: S) -> Int {\n    match s {\n        A => 1,\n    }\n}\nfn main() -> Int {\n    f(S::A)\n}\n"
)
BROKEN = "fn main() -> Int {\n    let a = [1, 2\n    list_len(a)\n}\n"
UNIMPORTED = "fn main() -> Int {\n    tax(100)\n}\n"
Answers = list[dict[str, Any]]


class Task(NamedTuple):
    """Calls, each a tool and its arguments, and what must hold of their answers and the folder."""

    name: str
    calls: tuple[tuple[str, dict[str, Any]], ...]
    is_right: Callable[[Answers, Path], bool]


def generated(*texts: str) -> Callable[[Answers, Path], bool]:
    """Predicate: True if the last answer has code with some texts, which checks clean."""
    return lambda answers, _: bool(answers[-1].get("success")) and all(text in answers[-1].get("code", "") for text in texts)


def has(file: str, *texts: str) -> Callable[[Answers, Path], bool]:
    """Predicate: True if a file contains some texts."""
    return lambda answers, folder: all(text in (folder / file).read_text("utf-8") for text in texts)


def cursor(text: str, piece: str) -> dict[str, int]:
    """The position of a piece of a text."""
    before = text[: text.index(piece)]
    return {"line": before.count("\n") + 1, "column": len(before) - before.rfind("\n") - 1}


def around(text: str, piece: str) -> dict[str, Any]:
    """The range of a piece of a text."""
    start = cursor(text, piece)
    return {"start": start, "end": {"line": start["line"], "column": start["column"] + len(piece)}}


HERE = {"path": "app.ax"}
TASKS = (
    Task(
        "write: total of a field",
        (("generate_code", {"description": "total of the field cents of all Lines", "context": HERE}),),
        generated("List<Line>", "item.cents"),
    ),
    Task(
        "write: lookup", (("generate_code", {"description": "find a Line by name", "context": HERE}),), generated("Option<Line>")
    ),
    Task(
        "write: state machine",
        (("generate_code", {"description": "state machine called Light with states Red, Green and Amber"}),),
        generated("enum Light", "next_light"),
    ),
    Task(
        "write: record",
        (("generate_code", {"description": "record Point with x: Int and y: Int", "kind": "record"}),),
        generated("make_point", "with_y"),
    ),
    Task(
        "write: application", (("generate_code", {"description": "a counter", "kind": "app"}),), generated("fn update", "fn view")
    ),
    Task(
        "fix: misspelt name",
        (("suggest_fix", {"code": MISSPELT}),),
        lambda answers, _: answers[0]["fixes"][0]["edits"][0]["new_text"] == "total",
    ),
    Task(
        "fix: missing arm",
        (("boruna_repair", {"source": OPEN_MATCH}),),
        lambda answers, _: "B =>" in answers[0]["repaired_source"],
    ),
    Task(
        "fix: explain",
        (("explain_error", {"error": "E003", "code_context": MISSPELT}),),
        lambda answers, _: "total * 2" in answers[0]["corrected_code"],
    ),
    Task(
        "fix: missing import",
        (("suggest_fix", {"path": "unimported.ax"}),),
        lambda answers, _: any("shop" in one["title"] for one in answers[0]["fixes"]),
    ),
    Task("fix: syntax", (("boruna_repair", {"source": BROKEN}),), lambda answers, _: answers[0]["verify_passed"] is True),
    Task(
        "refactor: rename in all files",
        (("rename_symbol", {**HERE, "symbol": "tax", "new_name": "vat", "apply": True}),),
        has("libs/shop/src/core.ax", "fn vat("),
    ),
    Task(
        "refactor: extract",
        (("extract_function", {**HERE, "range": around(APP, "base + tax(base)"), "new_function_name": "taxed", "apply": True}),),
        has("app.ax", "fn taxed(base: Int) -> Int", "    taxed(base)\n"),
    ),
    Task(
        "refactor: inline",
        (("inline_variable", {"code": "fn main() -> Int {\n    let a = 2\n    a * 3\n}\n", "symbol": "a"}),),
        lambda answers, _: "2 * 3" in answers[0]["refactored_code"],
    ),
    Task(
        "refactor: parameters",
        (
            (
                "refactor_code",
                {
                    **HERE,
                    "symbol": "net",
                    "kind": "change_signature",
                    "parameters": [{"number": 1}, {"number": 0}],
                    "apply": True,
                },
            ),
        ),
        has("app.ax", "net(line.count, line.cents)"),
    ),
    Task(
        "refactor: move",
        (("refactor_code", {**HERE, "symbol": "label", "kind": "move_item", "library": "texts", "apply": True}),),
        has("libs/texts/src/core.ax", "export fn label"),
    ),
    Task(
        "refactor: match",
        (("refactor_code", {**HERE, "position": cursor(APP, "if number == 1"), "kind": "if_to_match", "apply": True}),),
        has("app.ax", "match number {"),
    ),
    Task(
        "find: callers",
        (("call_hierarchy", {**HERE, "symbol": "tax", "depth": 3, "detail": "summary"}),),
        lambda answers, _: answers[0]["calls"][0]["calls"][0]["name"] == "main",
    ),
    Task(
        "find: by structure",
        (("search_workspace", {"query": "functions that take a Line", "detail": "summary"}),),
        lambda answers, _: answers[0]["match_count"] == 1,
    ),
    Task(
        "find: uses",
        (("find_references", {**HERE, "symbol": "State", "detail": "summary"}),),
        lambda answers, _: answers[0]["reference_count"] >= 6,
    ),
    Task(
        "find: what a file has",
        (("get_file_context", {"path": "libs/shop/src/core.ax", "detail": "summary"}),),
        lambda answers, _: answers[0]["exports"] == ["net", "tax"],
    ),
)


def workspace(folder: Path) -> int:
    """Writes the files of the tasks; gives their bytes."""
    files = {"boruna.toml": "", "app.ax": APP, "libs/shop/src/core.ax": LIBRARY, "unimported.ax": UNIMPORTED}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return sum(len(text.encode()) for text in files.values())


async def worked(task: Task, program: str, arguments: list[str]) -> tuple[int, int, bool, int]:
    """Calls, bytes of answers, whether it came out right, and the bytes of all files."""
    folder = Path(tempfile.mkdtemp(prefix="agent"))
    try:
        size = workspace(folder)
        answers: Answers = []
        spent = 0
        async with Client(StdioServerParameters(command=program, args=arguments, cwd=folder)) as client:
            for tool, given in task.calls:
                try:
                    result = await client.call_tool(tool, given)
                except MCPError as error:
                    spent += len(str(error))
                    continue
                spent += sum(len(getattr(part, "text", "").encode()) for part in result.content)
                answers.append(result.structured_content or {})
        try:
            is_right = bool(answers) and task.is_right(answers, folder)
        except (KeyError, IndexError, OSError, TypeError):
            is_right = False
        return len(task.calls), spent, is_right, size
    finally:
        shutil.rmtree(folder)


async def table(title: str, program: str, arguments: list[str]) -> int:
    """Prints the tasks of one server; gives how many came out right."""
    print(f"{title:34}{'calls':>6}{'bytes':>8}{'x files':>9}  right")
    right = 0
    for task in TASKS:
        calls, spent, is_right, size = await worked(task, program, arguments)
        right += is_right
        print(f"{task.name:34}{calls:>6}{spent:>8}{spent / size:>9.2f}  {'yes' if is_right else 'NO'}", flush=True)
    print(f"{right} of {len(TASKS)} right\n")
    return right


def main() -> int:
    right = asyncio.run(table("this server", command("boruna-mcp"), ["--standalone", "--toolsets", "all"]))
    if reference := os.environ.get("BORUNA_REFERENCE"):
        asyncio.run(table("the reference", str(Path(reference) / "boruna-mcp"), []))
    return right < len(TASKS)


if __name__ == "__main__":
    sys.exit(main())
