"""The commonest things that a person types, at the speed of a person, with the editor's own settings: the text is what was meant.

A list that opens by itself must not take Enter, Space or a bracket for a choice.

`|` is the cursor; `\n` is the key Enter, `\t` is Tab, `↓` goes to the end of the next line.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from code_server import Editor, editor
from playwright.sync_api import expect

TYPES = """type State {
    count: Int,
    name: String,
}

enum Light {
    Red,
    Green,
    Custom(String),
}

fn main() -> Int {
    0
}

fn shown(light: Light, state: State) -> Int {
|
}
"""
SPEED = 70
"""Milliseconds between two keys: about 160 words a minute."""

# What is typed into the last function, and what its lines are then.
INSIDE = {
    "a match, its arms on lines of their own": (
        "match light {\nRed => 1,\nGreen => 2,\n_ => 3,",
        ["    match light {", "        Red => 1,", "        Green => 2,", "        _ => 3,", "    }"],
    ),
    "a match on one line": ("match light { _ => 0 }", ["    match light { _ => 0 }"]),
    "an arm with a payload": (
        "match light {\nCustom(name) => 1,\n_ => 0,",
        ["    match light {", "        Custom(name) => 1,", "        _ => 0,", "    }"],
    ),
    "a record on lines": (
        'let next = State {\ncount: 1,\nname: "a",',
        ["    let next = State {", "        count: 1,", '        name: "a",', "    }"],
    ),
    "a record on one line": ('let next = State { count: 1, name: "a" }', ['    let next = State { count: 1, name: "a" }']),
    "a copy with a change": ("State { ..state, count: 2 }", ["    State { ..state, count: 2 }"]),
    "an if with a block": (
        "if state.count > 1 {\n1↓ else {\n2",
        ["    if state.count > 1 {", "        1", "    } else {", "        2", "    }"],
    ),
    "a let and a new line": ("let a = 1\na", ["    let a = 1", "    a"]),
    "let mut": ("let mut total = 0\ntotal = total + 1\ntotal", ["    let mut total = 0", "    total = total + 1", "    total"]),
    "a for loop": ("for n in [1, 2] {\nn\n", ["    for n in [1, 2] {", "        n", "", "    }"]),
    "a while loop": ("while false {\n0", ["    while false {", "        0", "    }"]),
    "a field and a new line": ("state.count\n1", ["    state.count", "    1"]),
    "a field, then an operator": ("state.count + 1", ["    state.count + 1"]),
    "a qualified variant": ("let l = Light::Green\n1", ["    let l = Light::Green", "    1"]),
    "a variant with a payload": ('let l = Light::Custom("x")\n1', ['    let l = Light::Custom("x")', "    1"]),
    "a call with arguments": ("shown(light, state)\n1", ["    shown(light, state)", "    1"]),
    "a text with quotes and a new line": ('let t = "hello"\n1', ['    let t = "hello"', "    1"]),
    "a comment": ("// note that\n1", ["    // note that", "    1"]),
    "a type annotation": ("let xs: List<Int> = []\n1", ["    let xs: List<Int> = []", "    1"]),
    "an option": (
        "match Some(1) {\nSome(found) => found,\nNone => 0,",
        ["    match Some(1) {", "        Some(found) => found,", "        None => 0,", "    }"],
    ),
    "a completion that is chosen by Tab": ("state.cou\t", ["    state.count"]),
}
OUTSIDE = {
    "a function": ("fn add(a: Int, b: Int) -> Int {\na + b", ["fn add(a: Int, b: Int) -> Int {", "    a + b", "}"]),
    "a record type": ("type Point {\nx: Int,\ny: Int,", ["type Point {", "    x: Int,", "    y: Int,", "}"]),
    "an enum": ("enum Side {\nLeft,\nRight,", ["enum Side {", "    Left,", "    Right,", "}"]),
    "capabilities": ("fn now() -> Int !{time.now} {\n1", ["fn now() -> Int !{time.now} {", "    1", "}"]),
}


def file_of(table: dict[str, tuple[str, list[str]]], name: str) -> str:
    return f"{'inside' if table is INSIDE else 'outside'}_{list(table).index(name):02}.ax"


BEFORE = {file_of(INSIDE, name): TYPES for name in INSIDE}
BEFORE |= {file_of(OUTSIDE, name): f"{TYPES.replace('|', '    0')}\n|\n" for name in OUTSIDE}


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    files = {name: text.replace("|", "    " if text is TYPES else "") for name, text in BEFORE.items()}
    files["start.ax"] = TYPES.replace("|", "    0")
    with editor(tmp_path_factory.mktemp("typing").resolve(), files) as made:
        made.open("start.ax")
        # The server is there before anybody types.
        made.answered()
        yield made


def typed(window: Editor, name: str, keys: str) -> list[str]:
    """The lines of a file after a person has typed at its cursor."""
    before = BEFORE[name]
    row = before[: before.index("|")].count("\n")
    window.open(name)
    window.page.keyboard.press("Control+g")
    window.page.locator(".quick-input-box input").fill(f":{row + 1}:99")
    window.page.keyboard.press("Enter")
    expect(window.page.locator(".quick-input-widget")).to_be_hidden()
    expect(window.page.locator("#status\\.editor\\.selection")).to_contain_text(f"Ln {row + 1}")
    for key in keys:
        # A list opens after a dot; a person reads before choosing from it.
        window.page.wait_for_timeout(500 if key == "\t" else SPEED // 2)
        if key == "↓":
            window.page.keyboard.press("ArrowDown")
        window.page.keyboard.press({"↓": "End", "\n": "Enter", "\t": "Tab", " ": "Space"}.get(key, key), delay=SPEED // 2)
    window.save()
    lines = [line.rstrip() for line in (window.workspace / name).read_text().split("\n")]
    window.page.keyboard.press("Control+w")
    return lines[row : len(lines) - before[before.index("|") :].count("\n")]


@pytest.mark.parametrize("name", INSIDE)
def test_in_a_function(window: Editor, name: str) -> None:
    keys, wanted = INSIDE[name]
    assert typed(window, file_of(INSIDE, name), keys) == wanted


@pytest.mark.parametrize("name", OUTSIDE)
def test_between_functions(window: Editor, name: str) -> None:
    keys, wanted = OUTSIDE[name]
    assert typed(window, file_of(OUTSIDE, name), keys) == wanted
