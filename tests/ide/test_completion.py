"""Completion: what is offered at `<|>`, in programs that are as half written as they are when somebody types."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from analysis.ide.completion import completions
from analysis.ide.offers import Completion
from analysis.inputs import FileId, source
from analysis.text.source import Source
from tests.support.marked import MAIN, marked, opened

HEAD = """type Point { x: Int, y: Int }
type Line { start: Point, name: String }
enum Shape { Dot, Round(Point), Named(String) }
fn length(line: Line) -> Int { line.start.x }
fn origin() -> Point { Point { x: 0, y: 0 } }
"""
LIBRARY = "type Money { cents: Int }\nfn money_add(a: Money, b: Money) -> Money { a }\nfn main() -> Int { 1 }\n"


def offered(text: str) -> list[Completion]:
    program = marked(text)
    db = opened(program.text, {"std-json": "fn json_read(text: String) -> Int { 1 }", "shop": LIBRARY})
    return list(completions(db, MAIN, program.cursor).candidates)


def labels(text: str) -> list[str]:
    return [one.label for one in offered(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("fn f(line: Line) -> Int { line.<|> }", ["start", "name"], id="fields of a parameter"),
        pytest.param("fn f(line: Line) -> Int { line.start.<|> }", ["x", "y"], id="fields of a field"),
        pytest.param(
            "fn f(line: Line) -> Int {\n  let a = line.<|>\n  let b = 1\n  b\n}", ["start", "name"], id="before a statement"
        ),
        pytest.param("fn f() -> Int { origin().<|> }", ["x", "y"], id="fields of a result"),
        pytest.param("fn f(all: List<Point>) { for one in all { one.<|> } }", ["x", "y"], id="fields of an item"),
        pytest.param("fn f(line: Line) -> Int { line.na<|> }", ["name"], id="a field that is begun"),
        pytest.param("fn f(n: Int) -> Int { n.<|> }", [], id="a number has no fields"),
        pytest.param("fn f() -> Shape { Shape::<|> }", ["Dot", "Round", "Named"], id="variants"),
        pytest.param("fn f() -> Shape { Shape::Ro<|> }", ["Round"], id="a variant that is begun"),
        pytest.param("fn f() -> Point { Point { <|> } }", ["x", "y", ".."], id="fields of a literal"),
        pytest.param("fn f() -> Point { Point { x: 1, <|> } }", ["y"], id="fields that a literal lacks"),
        pytest.param("fn f() -> Point { Point { <|>, y: 1 } }", ["x", ".."], id="fields behind the cursor count"),
        pytest.param("fn f(s: Shape) -> Int { match s { <|> } }", ["Dot", "Round", "Named", "_"], id="first arm"),
        pytest.param("fn f(s: Shape) -> Int { match s { Dot => 1, <|> } }", ["Dot", "Round", "Named", "_"], id="second arm"),
        pytest.param("fn f(s: Shape) -> Int { match s { Ro<|> => 1 } }", ["Round"], id="pattern of an arm"),
        pytest.param("fn f(o: Option<Int>) -> Int { match o { <|> } }", ["Some", "None", "_"], id="parts of an Option"),
        pytest.param("fn f(o: Result<Int, Int>) -> Int { match o { <|> } }", ["Ok", "Err", "_"], id="parts of a Result"),
        pytest.param(
            "fn f(o: Option<Shape>) -> Int { match o { Some(<|>) => 1 } }", ["Dot", "Round", "Named", "_"], id="inside Some"
        ),
        pytest.param("fn f() !{<|>} { 1 }", None, id="capabilities"),
        pytest.param('import "<|>"', ["shop", "std-json"], id="libraries"),
        pytest.param("import std-<|>", ["std-json"], id="an import without quotes"),
        pytest.param("// a com<|>", [], id="comment"),
        pytest.param('fn f() -> String { "or<|>" }', [], id="string"),
        pytest.param("fn na<|>", [], id="name of a function"),
        pytest.param("fn f() { let na<|> = 1 }", [], id="name of a variable"),
        pytest.param("fn f(na<|>) { 1 }", [], id="name of a parameter"),
        pytest.param("fn f(a: Int, na<|>) { 1 }", [], id="name of a second parameter"),
        pytest.param("type T { na<|> }", [], id="name of a field"),
        pytest.param("enum E { A, N<|> }", [], id="name of a variant"),
        pytest.param("fn f() { for na<|> in [1] { 2 } }", [], id="name of a loop variable"),
    ],
)
def test_completion(text: str, expected: list[str] | None) -> None:
    for written in (HEAD + text, text + "\n" + HEAD) if not text.startswith("import") else (text + "\n" + HEAD,):
        if expected is None:
            assert "net.fetch" in labels(written)
        else:
            assert labels(written) == expected, written


def test_names_inside_out() -> None:
    found = labels(HEAD + "fn f(line: Line, lost: Int) -> Int {\n  let last = 1\n  { let limit = 2\n  l<|> }\n  let later = 3\n}")
    assert found[:4] == ["limit", "last", "lost", "line"]
    assert "later" not in found
    assert "length" in found[4:]
    assert "list_len" in found[found.index("length") :]


def test_values_of_every_sort() -> None:
    found = labels(HEAD + "fn f() -> Int {\n  <|>\n}")
    for name in ("origin", "Shape::Round", "Point", "list_len", "if", "let", "true", "Some"):
        assert name in found
    assert "main" not in labels("fn main() -> Int {\n  <|>\n}")
    assert "let" not in labels(HEAD + "fn f() -> Int { 1 + <|> }")


def test_what_an_argument_needs_comes_first() -> None:
    found = labels(HEAD + "fn g(at: Point, n: Int) -> Int { n }\nfn f(a: Int, b: Point) -> Int { g(<|>) }")
    assert found[0] == "b"
    assert labels(HEAD + "fn g(at: Point, n: Int) -> Int { n }\nfn f(a: Int, b: Point) -> Int { g(b, <|> }")[0] == "a"
    assert labels(HEAD + "fn g(at: Shape) -> Int { 1 }\nfn f(a: Int) -> Int { g(<|>) }")[:3] == [
        "Shape::Dot",
        "Shape::Round",
        "Shape::Named",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "fn f(a: <|>) {}",
        "fn f(a: <|>",
        "fn f() -> <|> { 1 }",
        "fn f() { let a: <|> = 1 }",
        "fn f() {\n    let a: <|>\n    1\n}",
        "type T { a: <|> }",
    ],
)
def test_types(text: str) -> None:
    found = labels(HEAD + text)
    # The types of which the file speaks most come first.
    assert set(found[:4]) == {"Point", "Int", "Line", "String"}
    assert {"Shape", "List", "Fn"} <= set(found)


def test_the_result_in_what_a_function_ensures() -> None:
    assert labels(HEAD + "fn f() -> Point ensures res<|> { origin() }")[0] == "result"
    assert labels(HEAD + "fn f() -> Point ensures result.<|> { origin() }") == ["x", "y"]
    assert "result" not in labels(HEAD + "fn f() -> Point requires res<|> { origin() }")


def test_items_and_clauses() -> None:
    assert labels(HEAD + "<|>") == ["fn", "type", "enum", "import", "export"]
    assert labels(HEAD + "f<|>") == ["fn"]
    assert labels(HEAD + "fn f() -> Int\n    <|>\n{ 1 }") == ["requires", "ensures", "intent"]


def insert(text: str, label: str) -> str:
    return next(one.insert for one in offered(text) if one.label == label)


def test_inserted_texts() -> None:
    assert insert(HEAD + "fn f() -> Int { len<|> }", "length") == "length($0)"
    assert insert(HEAD + "fn f() -> Int { len<|>(1) }", "length") == "length"
    assert insert(HEAD + "fn f() -> Int { or<|> }", "origin") == "origin()"
    assert insert(HEAD + "fn f() -> Point { Po<|> }", "Point") == "Point { x: $1, y: $2 }"
    assert insert(HEAD + "fn f(s: Shape) -> Int { match s { <|> } }", "Round") == "Round(${1:value}) => $0,"
    assert insert(HEAD + "fn f(s: Shape) -> Int { match s { R<|> => 1 } }", "Round") == "Round(${1:value})"
    assert insert('import "<|>\n', "shop") == 'shop"'
    assert insert("import <|>\n", "shop") == '"shop"'


def test_what_libraries_have_is_offered_with_its_import() -> None:
    there = {one.label: one for one in offered("fn f() -> Int { mon<|> }")}
    assert there["money_add"].library == "shop"
    there = {one.label: one for one in offered('import "shop"\nfn f() -> Int { mon<|> }')}
    assert there["money_add"].library == ""
    assert [one.library for one in offered("fn f(a: Mon<|>) {}") if one.label == "Money"] == ["shop"]


def test_every_place_of_programs_is_answered(corpus_programs: list[str]) -> None:
    """At any cut of any program something is answered, and it replaces just the word before the cursor."""
    dice = random.Random(5)
    for text in dice.sample(corpus_programs, 25):
        for _ in range(12):
            cut = dice.randrange(len(text) + 1)
            for written in (text, text[:cut]):
                made = completions(opened(written), MAIN, cut)
                assert made.span[1] == cut
                assert written[made.span[0] : cut].replace(".", "").replace("-", "").isidentifier() or made.span[0] == cut


@pytest.fixture(scope="module")
def corpus_programs() -> list[str]:
    root = Path(__file__).parents[2]
    files = [*root.glob("libs/*/src/core.ax"), *root.glob("demo/workspace/*.ax"), *root.glob("templates/**/*.ax")]
    return [path.read_text(encoding="utf-8") for path in files for _ in range(3)]


def test_only_the_item_is_read_again() -> None:
    program = marked(HEAD * 50 + "fn f(line: Line) -> Int { line.<|> }")
    db = opened(program.text)
    completions(db, MAIN, program.cursor)
    typed = program.text[: program.cursor] + "n" + program.text[program.cursor :]
    source.set(db, FileId(*MAIN), Source.from_text(program.text).edited(program.cursor, program.cursor, "n"))
    with db.record_events() as events:
        assert [one.label for one in completions(db, MAIN, program.cursor + 1).candidates] == ["name"]
    assert source(db, MAIN).text == typed
    assert sum(event[0] == "execute" and event[1] == "chunk_tree" for event in events) <= 1
