"""Definition: `<|>` in a program leads to the marked span; in libraries to another file."""

from __future__ import annotations

import pytest

from analysis.ide.definition import definition
from analysis.ide.name_meanings import Kind
from analysis.ide.target import target_at
from tests.support.marked import MAIN, library, marked, opened

TYPES = """type Point { x: Int, y: Int }
type Size { x: Int }
type Nested { inner: Size, x: Int }
enum Shape { Dot, Round(Size) }
enum Light { Dot, On }
"""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("fn «f»() {}\nfn g() { <|>f() }", id="function"),
        pytest.param("fn g() { f<|>() }\nfn «f»() {}", id="cursor behind the name, declared below"),
        pytest.param("fn f() {}\nfn «f»() {}\nfn g() { <|>f() }", id="of two functions the last"),
        pytest.param("fn «<|>f»() {}\nfn f() {}\nfn g() {}", id="a declaration leads to itself"),
        pytest.param("fn «list_len»(a: Int) {}\nfn g() { <|>list_len(1) }", id="own function named like a builtin"),
        pytest.param("fn f(«f»: Fn() -> Int) { <|>f() }", id="a local hides a function in calls"),
        pytest.param("type «P» { x: Int }\nfn f(p: <|>P) {}", id="record in an annotation"),
        pytest.param("type «P» { x: Int }\nfn f() { <|>P { x: 1 } }", id="record in a literal"),
        pytest.param("enum P { A }\ntype «P» { x: Int }\nfn f() { <|>P { x: 1 } }", id="of two types the last"),
        pytest.param("enum «E» { A }\nfn f() { <|>E::A }", id="enum"),
        pytest.param("enum E { «A» }\nfn f() { E::<|>A }", id="variant"),
        pytest.param("type P { «x»: Int }\nfn f() { P { <|>x: 1 } }", id="field in a literal"),
        pytest.param("fn g( { }\nfn «f»() {}\nfn h() { <|>f() }", id="beside a broken item"),
        pytest.param("fn «f»() {}\nfn h() { let = 3 <|>f() ) }", id="in a broken statement"),
        pytest.param("module «<|>m»\nfn f() {}", id="module"),
        pytest.param("fn f(n: Int) -> «Int» ensures <|>result > n { n }", id="result is the result's type"),
    ],
)
def test_definition(text: str) -> None:
    program = marked(text)
    found = definition(opened(program.text), MAIN, program.cursor)
    assert [(place.file, place.name_span) for place in found] == [(MAIN, program.spans[0])]
    assert all(place.span[0] <= place.name_span[0] and place.name_span[1] <= place.span[1] for place in found)


@pytest.mark.parametrize(
    ("owner", "body"),
    [
        pytest.param("Size", "fn f(s: Size) { s.<|>x }", id="annotation"),
        pytest.param("Point", "fn f() { let p = Point { x: 1, y: 2 } p.<|>x }", id="let"),
        pytest.param("Point", "fn f() { Point { <|>x: 1 } }", id="literal"),
        pytest.param("Size", "fn s() -> Size {}\nfn f() { s().<|>x }", id="call"),
        pytest.param("Size", "fn f(s: Fn() -> Size) { s().<|>x }", id="call of a local"),
        pytest.param("Size", "fn f(all: List<Size>) { for s in all { s.<|>x } }", id="item"),
        pytest.param("Size", "fn f(all: List<Size>) { list_get(all, 0).<|>x }", id="what a builtin returns"),
        pytest.param("Size", "fn f(s: Shape) { match s { Round(r) => r.<|>x, Dot => 0 } }", id="payload"),
        pytest.param("Size", "fn f(o: Result<Size, Point>) { match o { Ok(r) => r.<|>x, _ => 0 } }", id="what Ok holds"),
        pytest.param("Point", "fn f(o: Result<Size, Point>) { match o { Err(r) => r.<|>x } }", id="what Err holds"),
        pytest.param("Nested", "fn f(o: Nested) { o.<|>x }", id="the outer record's"),
        pytest.param("Size", "fn f(o: Nested) { o.inner.<|>x }", id="the inner record's"),
        pytest.param("Size", "fn f(o: Nested) { if true { o.inner } else { o.inner }.<|>x }", id="branch"),
    ],
)
def test_field_of_a_known_type(owner: str, body: str) -> None:
    program = marked(TYPES + body)
    at = program.text.index("x:", program.text.index(f"type {owner}"))
    found = definition(opened(program.text), MAIN, program.cursor)
    assert [place.name_span for place in found] == [(at, at + 1)]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("fn f(l: Light) { match l { <|>Dot => 0 } }", id="annotation"),
        pytest.param("fn f() { Light::<|>Dot }", id="construction"),
        pytest.param("fn f() { match g() { <|>Dot => 0, On => 1 } }", id="the other arms"),
        pytest.param("fn f(l: Option<Light>) { match l { Some(<|>Dot) => 0 } }", id="what Some holds"),
    ],
)
def test_variant_of_a_known_type(body: str) -> None:
    program = marked(TYPES + body)
    at = program.text.index("Dot", program.text.index("enum Light"))
    found = definition(opened(program.text), MAIN, program.cursor)
    assert [place.name_span for place in found] == [(at, at + 3)]


def test_all_candidates_where_types_do_not_tell() -> None:
    program = marked(TYPES.replace("x", "«x»") + "fn f() { unknown().<|>x }")
    found = definition(opened(program.text), MAIN, program.cursor)
    assert [place.name_span for place in found] == program.spans
    program = marked(TYPES.replace("Dot", "«Dot»") + "fn f() { match g() { <|>Dot => 1, _ => 2 } }")
    assert [place.name_span for place in definition(opened(program.text), MAIN, program.cursor)] == program.spans


@pytest.mark.parametrize(
    "text",
    [
        "fn f() { <|>missing }",
        "fn f() { <|>list_len }",
        "fn f(x: <|>Int) {}",
        "fn f() { 1 +<|> 2 }",
        "<|>fn f() {}",
        "<|>",
    ],
)
def test_nothing_to_go_to(text: str) -> None:
    program = marked(text)
    assert definition(opened(program.text), MAIN, program.cursor) == ()


def test_libraries() -> None:
    shapes = marked("// Shapes.\ntype «Box» { side: Int }\nfn «area»(b: Box) -> Int { b.side }\nfn main() -> Int { 0 }\n")
    program = marked('import "shapes"\nfn main() -> Int { <|>area(<|>Box { side: 2 }) }\nfn f() { <|>main() }')
    db = opened(program.text, {"shapes": shapes.text, "other": "fn area() {}"})
    area, box, main = (definition(db, MAIN, cursor) for cursor in program.cursors)
    assert [(place.file, place.name_span) for place in box] == [(library("shapes"), shapes.spans[0])]
    assert [(place.file, place.name_span) for place in area] == [(library("shapes"), shapes.spans[1])]
    assert [place.file for place in main] == [MAIN]
    (imported,) = definition(db, MAIN, 9)
    assert imported.file == library("shapes")


def test_own_definition_wins_over_libraries_and_the_last_import_over_the_first() -> None:
    libs = {"a": "fn both() {}\nfn own() {}", "b": "fn both() {}"}
    program = marked("import a\nimport b\nfn main() { <|>both() <|>own() }\nfn own() {}")
    db = opened(program.text, libs)
    both, own = (definition(db, MAIN, cursor) for cursor in program.cursors)
    assert [place.file for place in both] == [library("b")]
    assert [place.file for place in own] == [MAIN]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("fn <|>f() {}", Kind.FUNCTION),
        ("type <|>T {}", Kind.RECORD),
        ("enum <|>T {}", Kind.ENUM),
        ("enum T { <|>A }", Kind.VARIANT),
        ("type T { <|>a: Int }", Kind.FIELD),
        ("fn f(<|>a: Int) {}", Kind.PARAMETER),
        ("fn f() { let <|>a = 1 }", Kind.LOCAL),
        ("fn f() { for <|>a in [] {} }", Kind.LOCAL),
        ("fn f() { <|>list_len([]) }", Kind.BUILTIN),
        ("fn f(a: <|>Int) {}", Kind.BUILTIN_TYPE),
        ("fn f(a: <|>List<Int>) {}", Kind.BUILTIN_TYPE),
        ("fn f() !{fs.<|>read} {}", Kind.CAPABILITY),
        ("fn f() { whi<|>le true {} }", Kind.KEYWORD),
        ("fn f() ensures <|>result {}", Kind.RESULT),
    ],
)
def test_kinds(text: str, kind: Kind) -> None:
    program = marked(text)
    found = target_at(opened(program.text), MAIN, program.cursor)
    assert found is not None
    assert found.kind is kind
