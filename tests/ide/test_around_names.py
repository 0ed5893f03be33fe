"""Inlay hints, type definitions, calls, links, linked names and symbols of a workspace."""

from __future__ import annotations

import pytest

from analysis.fixes.missing_imports import import_edit
from analysis.ide.bracket_pairs import opening_of
from analysis.ide.call_hierarchy import callees, callers, function_at
from analysis.ide.document_links import document_links
from analysis.ide.inlay_hints import inlay_hints
from analysis.ide.library_rename import import_edits
from analysis.ide.linked_names import linked_names
from analysis.ide.type_definition import type_definition
from analysis.ide.workspace_symbols import best, matches
from analysis.inputs import source
from tests.support.marked import MAIN, library, marked, opened

HEAD = """type Point { x: Int, y: Int }
enum Shape { Dot, Round(Point) }
fn origin() -> Point { Point { x: 0, y: 0 } }
fn move(at: Point, by: Int) -> Point { at }
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("fn f() { let a = origin() }", "fn f() { let a[: Point] = origin() }", id="result"),
        pytest.param("fn f() { let a: Point = origin() }", None, id="written already"),
        pytest.param("fn f(n: Int) { n * 2 }", "fn f(n: Int)[ -> Int] { n * 2 }", id="result of a function"),
        pytest.param(
            "fn f(n: Int) { if n > 1 { return [n] } [] }",
            "fn f(n: Int)[ -> List<Int>] { if n > 1 { return [n] } [] }",
            id="return",
        ),
        pytest.param('fn f(n: Int) { if n > 1 { return "many" } n }', None, id="two results"),
        pytest.param("fn f(n: Int) { if n > 1 { n } }", None, id="no result"),
        pytest.param('fn f() { let a = 1 let b = "x" let c = Point { x: 1, y: 2 } }', None, id="literals show it"),
        pytest.param("fn f(p: Point) { let a = p.x + 1 }", "fn f(p: Point) { let a[: Int] = p.x + 1 }", id="field"),
        pytest.param(
            "fn f(a: List<Point>) { for p in a { p } }", "fn f(a: List<Point>) { for p[: Point] in a { p } }", id="item"
        ),
        pytest.param(
            "fn f(s: Shape) -> Point { match s { Round(p) => p } }",
            "fn f(s: Shape) -> Point { match s { Round(p[: Point]) => p } }",
            id="bound",
        ),
        pytest.param(
            "fn f() -> Point { move(origin(), 2) }", "fn f() -> Point { move(origin(), [by:]2) }", id="a literal as argument"
        ),
        pytest.param(
            "fn f() -> Point { move(origin(), -2) }", "fn f() -> Point { move(origin(), [by:]-2) }", id="a negative one"
        ),
        pytest.param("fn f(by: Int) -> Point { move(origin(), by) }", None, id="a name says it"),
        pytest.param("fn f() -> List<Int> { list_push([1], 2) }", None, id="builtins are known"),
        pytest.param("fn f() { unknown(1) let x = unknown(2) }", None, id="unknown"),
        pytest.param("fn f(move: Fn(Int) -> Int) -> Int { move(1) }", None, id="a function value"),
        pytest.param("fn f() { let _a = origin() }", None, id="not used on purpose"),
        pytest.param(
            "fn f() -> Int !{random} { 1 }\nfn g() -> Int !{time.now} { time_now() }\n"
            "fn h() -> Int { g() }\nfn i() -> Int !{fs.read} { g() }",
            "fn f() -> Int !{random} { 1 }\nfn g() -> Int !{time.now} { time_now() }\n"
            "fn h() -> Int[ !{time.now}] { g() }\nfn i() -> Int !{fs.read[, time.now]} { g() }",
            id="capabilities",
        ),
    ],
)
def test_inlay_hints(text: str, expected: str | None) -> None:
    db = opened(HEAD + text)
    shown = HEAD + text
    for hint in reversed(inlay_hints(db, MAIN, (len(HEAD), len(shown)))):
        shown = f"{shown[: hint.offset]}[{hint.text}]{shown[hint.offset :]}"
    assert shown == HEAD + (expected or text)


def test_inlay_hints_of_a_part_only() -> None:
    text = HEAD + "fn f() { let a = origin()\n let b = origin() }\nfn g() { let c = origin() }"
    hints = inlay_hints(opened(text), MAIN, (text.index("let b"), text.index("\nfn g")))
    assert [text[hint.offset - 1] for hint in hints] == ["b"]
    assert all(hint.insert for hint in hints)


@pytest.mark.parametrize(
    "text",
    [
        "type «Point» { x: Int }\nfn f(p: Point) { <|>p }",
        "type «Point» { x: Int }\nfn f(p: List<Point>) { <|>p }",
        "type «Point» { x: Int }\nfn f() -> Point { Point { x: 1 } }\nfn g() { <|>f() }",
        "type «Point» { x: Int }\nfn f() { let p = Point { x: 1 } <|>p }",
        "type Line { start: Point }\ntype «Point» { x: Int }\nfn f(l: Line) { l.<|>start }",
        "enum «E» { A, B }\nfn f() { E::<|>A }",
        "type «Point» { x: Int }\nfn f(p: <|>Point) { 1 }",
        "type «Key» { x: Int }\ntype «Point» { x: Int }\nfn f(p: Result<Key, Point>) { <|>p }",
        "fn f(n: Int) { <|>n }",
        "fn f() { <|>1 }",
    ],
)
def test_type_definition(text: str) -> None:
    program = marked(text)
    found = type_definition(opened(program.text), MAIN, program.cursor)
    assert sorted(place.name_span for place in found) == program.spans


CALLS = """fn low(n: Int) -> Int { n }
fn middle(n: Int) -> Int { low(n) + low(2) }
fn high(use: Fn(Int) -> Int) -> Int requires low(1) > 0 { middle(1) + use(2) }
fn main() -> Int { high(low) }
"""


def called(name: str, text: str = CALLS) -> dict[str, list[str]]:
    db = opened(text)
    start = function_at(db, MAIN, text.index(f"fn {name}") + 3)
    assert start is not None
    return {each.function.name: [text[slice(*span)] for span in each.spans] for each in callees(db, start)}


def calling(name: str, text: str = CALLS) -> dict[str, list[int]]:
    db = opened(text)
    start = function_at(db, MAIN, text.index(f"fn {name}") + 3)
    assert start is not None
    found = callers(db, start)
    assert all(text[slice(*span)] == name for each in found for span in each.spans)
    return {each.function.name: [text.count("\n", 0, span[0]) for span in each.spans] for each in found}


def test_calls() -> None:
    assert calling("low") == {"middle": [1, 1], "high": [2], "main": [3]}
    assert calling("main") == {}
    assert called("high") == {"low": ["low"], "middle": ["middle"]}
    assert called("low") == {}


def test_calls_over_files() -> None:
    db = opened('import "shop"\nfn main() -> Int { add(1) }', {"shop": "fn add(n: Int) -> Int { add(n) }"})
    found = function_at(db, MAIN, source(db, MAIN).text.index("add"))
    assert found is not None
    assert found.place.file == library("shop")
    assert {(each.function.name, each.function.place.file) for each in callers(db, found, [MAIN])} == {
        ("add", library("shop")),
        ("main", MAIN),
    }


def test_document_links() -> None:
    text = 'import "shop"\nimport other-one\nimport "none"\nfn f() { 1 }\n' + "fn g() { 2 }\n" * 50 + 'import "shop"\n'
    db = opened(text, {"shop": "", "other-one": ""})
    links = document_links(db, MAIN)
    assert [(text[slice(*link.span)], link.file) for link in links] == [
        ("shop", library("shop")),
        ("other-one", library("other-one")),
        ("shop", library("shop")),
    ]
    assert links[-1].span[0] > len(text) - 10


def test_linked_names() -> None:
    program = marked("fn f(«n»: Int) -> Int { let a = «<|>n» «n» + a }\nfn g(n: Int) -> Int { n }")
    assert list(linked_names(opened(program.text), MAIN, program.cursor)) == program.spans
    assert linked_names(opened("fn f() { f() }"), MAIN, 3) == ()


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["Sub", "Point", "Shape", "line_total", "total_line"]),
        ("line", ["line_total", "total_line"]),
        ("lt", ["line_total"]),
        ("LINE_TOTAL", ["line_total"]),
        ("poi", ["Point"]),
        ("Round", ["Round"]),
        ("Shape::Round", ["Round"]),
        ("xq", []),
    ],
)
def test_workspace_symbols(query: str, names: list[str]) -> None:
    text = "type Point { x: Int }\nenum Shape { Dot, Round }\nfn line_total() {}\nfn total_line() {}\ntype Sub { b: Int }\n"
    found = best(matches(opened(text), MAIN, query), 10)
    assert [one.symbol.name for one in found] == names
    assert all(text[slice(*one.symbol.name_span)] == one.symbol.name for one in found)


@pytest.mark.parametrize("length", [3, 64, 65, 200])
def test_a_part_of_a_long_name(length: int) -> None:
    """However long it is: short ones are compared by a pattern."""
    db = opened(f"fn {'ab' * length}c() {{}}")
    for query, fits in (
        ("a" * length, True),
        ("a" * length + "c", True),
        ("a" * length + "cb", False),
        ("a" * 3 * length, False),
    ):
        assert bool(list(matches(db, MAIN, query))) == fits, query


def test_braces() -> None:
    program = marked("fn f() {\n  if true «{» g({ 1 }) }<|> else { 2 }\n}")
    db = opened(program.text)
    assert opening_of(db, source(db, MAIN), program.cursor) == program.spans[0][0]
    assert opening_of(opened("}"), source(db, MAIN), 1) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fn f() {}", 'import "shop"\n\nfn f() {}'),
        ('import "a"\nfn f() {}', 'import "a"\nimport "shop"\nfn f() {}'),
        ("module m\n\nfn f() {}", 'module m\nimport "shop"\n\nfn f() {}'),
        ("", 'import "shop"\n\n'),
    ],
)
def test_import_is_written_behind_the_others(text: str, expected: str) -> None:
    edit = import_edit(opened(text), MAIN, "shop")
    assert text[: edit.span[0]] + edit.new_text + text[edit.span[1] :] == expected


def test_imports_of_a_library_with_another_name() -> None:
    text = 'import "shop"\nimport shop\nfn shop() { "shop" }\n'
    db = opened(text, {"shop": ""})
    edits = list(import_edits(db, MAIN, "shop", "my.shop"))
    for edit in reversed(edits):
        text = text[: edit.span[0]] + edit.new_text + text[edit.span[1] :]
    assert text == 'import "my.shop"\nimport "my.shop"\nfn shop() { "shop" }\n'
