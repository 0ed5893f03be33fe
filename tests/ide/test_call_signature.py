"""The signature of the call around `<|>`, in calls that are being written."""

from __future__ import annotations

import pytest

from analysis.ide.call_signature import CallSignature, call_signature
from tests.support.marked import MAIN, marked, opened

HEAD = """// Adds two numbers.
fn add(left: Int, right: Int) -> Int !{random} requires left > 0 { left + right }
type Point { x: Int, y: Int }
enum Shape { Dot, Round(Point) }
"""


def found_in(text: str) -> CallSignature | None:
    program = marked(HEAD + text)
    return call_signature(opened(program.text), MAIN, program.cursor)


@pytest.mark.parametrize(
    ("text", "active"),
    [
        pytest.param("fn f() -> Int { add(<|>) }", 0, id="empty"),
        pytest.param("fn f() -> Int { add(<|> }", 0, id="not closed"),
        pytest.param("fn f() -> Int { add(1, <|>) }", 1, id="second"),
        pytest.param("fn f() -> Int { add(1, 2<|> }", 1, id="second, not closed"),
        pytest.param("fn f() -> Int { add(list_len([1, 2]), <|>) }", 1, id="commas of others do not count"),
        pytest.param("fn f() -> Int { add([1, 2<|>]) }", 0, id="inside a list"),
        pytest.param("fn f() -> Int { add(Point { x: 1, y: <|> }.x) }", 0, id="inside a record literal"),
        pytest.param("fn f() -> Int {\n  let a = add(1,\n    <|>\n  a\n}", 1, id="over lines"),
        pytest.param("fn f() -> Int { add(1, 2, <|>) }", 2, id="one too many"),
        pytest.param('fn f() -> Int { add("a,<|>b") }', 0, id="inside a string"),
    ],
)
def test_parameter_at_the_cursor(text: str, active: int) -> None:
    found = found_in(text)
    assert found is not None
    assert found.label == "fn add(left: Int, right: Int) -> Int !{random}"
    assert [found.label[slice(*span)] for span in found.parameters] == ["left: Int", "right: Int"]
    assert found.active == active
    assert found.doc == "Adds two numbers.\n\nrequires left > 0"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("fn f() -> Int { list_len(<|>) }", "fn list_len(xs: List<T>) -> Int"),
        ("fn f() -> Shape { Shape::Round(<|>) }", "Shape::Round(Point)"),
        ("fn f(s: Shape) -> Int { match s { Round(<|>) => 1 } }", "Shape::Round(Point)"),
        ("fn f() -> Option<Int> { Some(<|>) }", "Some(value: T)"),
    ],
)
def test_what_is_called(text: str, label: str) -> None:
    found = found_in(text)
    assert found is not None
    assert found.label == label


@pytest.mark.parametrize(
    "text",
    [
        "fn f(<|>) { 1 }",
        "fn f() -> Int { add(1, 2)<|> }",
        "fn f() -> Int { <|>add(1, 2) }",
        "fn f() -> Int { unknown(<|>) }",
        "fn f() -> Int { (1 + <|>) }",
        "fn f(add: Int) -> Int { add(<|>) }",
        "fn f() -> Int { add(1, 2) if true { <|> } else { 2 } }",
        "<|>",
    ],
)
def test_outside_of_calls(text: str) -> None:
    assert found_in(text) is None


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("fn f() -> Int { let g = add\n g(1, <|>) }", "fn add(left: Int, right: Int) -> Int !{random}"),
        ("fn f() -> Int { let g = add\n g(1, <|> }", "fn add(left: Int, right: Int) -> Int !{random}"),
        ("fn f(g: Fn(Int, String) -> Bool) -> Bool { g(1, <|>) }", "fn g(Int, String) -> Bool"),
        ("fn f(add: Fn(Bool, Int) -> Int) -> Int { add(true, <|>) }", "fn add(Bool, Int) -> Int"),
    ],
)
def test_functions_that_locals_hold(text: str, label: str) -> None:
    found = found_in(text)
    assert found is not None
    assert (found.label, found.active) == (label, 1)
