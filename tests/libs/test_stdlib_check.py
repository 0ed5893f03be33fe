"""Libraries with the tests beside them: the command, the tool, and the pages that are made of their comments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from boruna_ls.answers.reference import library_description, library_names
from boruna_ls.cli.doc import write_pages
from tests.support.commands import run
from tests.support.mcp_lines import LineServer, call, initialize

PAGES = Path(__file__).resolve().parents[2] / "docs" / "libraries"
LIBRARY = """\
// Doubles a number.
export fn twice(number: Int) -> Int {
    number * 2
}

export fn thrice(number: Int) -> Int {
    number * 3
}

fn helper() -> Int {
    1
}
"""
TESTS = """\
import "mine"

fn test_twice() -> Bool {
    twice(2) == 4
}

fn test_wrong() -> Bool {
    twice(2) == 5
}
"""


def test_every_library_is_documented_and_passes_its_tests() -> None:
    done = run("stdlib", "check", "--json")
    answer = json.loads(done.stdout)
    assert [one["name"] for one in answer["libraries"] if not one["ok"]] == []
    assert {one["name"] for one in answer["libraries"]} == set(library_names())
    assert (done.returncode, answer["success"], answer["failed"]) == (0, True, 0)
    assert answer["passed"] > 200


@pytest.fixture
def libs(tmp_path: Path) -> Path:
    for name, text in (("src", LIBRARY), ("tests", TESTS)):
        (tmp_path / "libs" / "mine" / name).mkdir(parents=True)
        (tmp_path / "libs" / "mine" / name / "core.ax").write_text(text, "utf-8")
    return tmp_path / "libs"


def test_what_is_wrong_with_a_library_is_named(libs: Path) -> None:
    done = run("stdlib", "check", "mine", "--libs-dir", str(libs))
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "WRONG mine: 2 functions, 1 tests passed",
        "      undocumented: thrice",
        "      untested: thrice",
        "      test_wrong (line 8): gave false; a test passes with true, Unit or Ok",
        "1 tests passed, 1 failed, in 1 libraries",
    ]


def test_tests_that_do_not_compile_loop_or_are_missing(libs: Path) -> None:
    tests = libs / "mine" / "tests" / "core.ax"
    tests.write_text('import "mine"\n\nfn test_loop() -> Bool {\n    while true {\n    }\n    twice(1) == thrice(1)\n}\n')
    assert "max execution steps exceeded" in run("stdlib", "check", "mine", "--libs-dir", str(libs)).stdout
    tests.write_text("fn test_x(\n")
    assert "expected" in run("stdlib", "check", "mine", "--libs-dir", str(libs)).stdout
    tests.unlink()
    assert "no tests" in run("stdlib", "check", "mine", "--libs-dir", str(libs)).stdout
    assert run("stdlib", "check", "../mine", "--libs-dir", str(libs)).returncode == 2


def test_the_tool_says_the_same(libs: Path) -> None:
    with LineServer("--libs-dir", str(libs), "--standalone") as server:
        server.ask(initialize(version="2025-11-25"))
        answer = server.ask(call(1, "boruna_stdlib_check", names=["mine", "std-list"]))["result"]["structuredContent"]
        by_name = {one["name"]: one for one in answer["libraries"]}
        assert answer["success"] is False
        assert by_name["std-list"]["ok"] is True
        assert by_name["mine"]["untested"] == by_name["mine"]["undocumented"] == ["thrice"]
        assert by_name["mine"]["failures"][0]["name"] == "test_wrong"
        assert server.ask(call(2, "boruna_stdlib_check", names=["../mine"]))["result"]["isError"] is True


def test_the_pages_are_current(tmp_path: Path) -> None:
    write_pages(str(tmp_path))
    made = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()}
    assert {path.name: path.read_text("utf-8") for path in PAGES.iterdir()} == made, "run `make library-pages`"


def test_every_library_says_what_it_is_for() -> None:
    assert [name for name in library_names() if len(library_description(name)) < 15] == []
