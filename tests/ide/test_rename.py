"""Rename: what may be renamed, the text afterwards, and every kind of refusal."""

from __future__ import annotations

import pytest

from analysis.ide.rename import Prepared, Refusal, prepare_rename, rename
from tests.support.edits import applied
from tests.support.marked import MAIN, library, marked, opened


@pytest.mark.parametrize(
    ("before", "new_name", "after"),
    [
        ("fn <|>f() { f() }", "go", "fn go() { go() }"),
        ("fn f(<|>n: Int) requires n > 0 { n }", "count", "fn f(count: Int) requires count > 0 { count }"),
        ("fn f() { let x = 1 { let <|>x = x x } x }", "y", "fn f() { let x = 1 { let y = x y } x }"),
        ("fn f(xs: List<Int>) { for x in xs { <|>x } }", "item", "fn f(xs: List<Int>) { for item in xs { item } }"),
        (
            "fn f(o: Option<Int>) { match o { Some(n) => <|>n } }",
            "k",
            "fn f(o: Option<Int>) { match o { Some(k) => k } }",
        ),
        ("type P { x: Int }\nfn f(p: <|>P) { P { x: 1 } }", "Q", "type Q { x: Int }\nfn f(p: Q) { Q { x: 1 } }"),
        (
            "enum E { A, B }\nfn f(e: E) { match e { <|>A => E::A } }",
            "Z",
            "enum E { Z, B }\nfn f(e: E) { match e { Z => E::Z } }",
        ),
        (
            "type P { x: Int }\nfn f(p: P) { P { x: p.<|>x } }",
            "wide",
            "type P { wide: Int }\nfn f(p: P) { P { wide: p.wide } }",
        ),
        ("fn f() {}\nfn <|>f() {}\nfn g() { f() }", "h", "fn f() {}\nfn h() {}\nfn g() { h() }"),
        ("fn <|>f() {}\nfn f() {}\nfn g() { f() }", "h", "fn h() {}\nfn f() {}\nfn g() { f() }"),
        ("fn f() { <|>f() let = f() ) }\nfn g( {", "h", "fn h() { h() let = h() ) }\nfn g( {"),
        ("fn <|>list_len(x: Int) {}\nfn g() { list_len(1) }", "size", "fn size(x: Int) {}\nfn g() { size(1) }"),
        ("module <|>m", "n", "module n"),
        ("fn f(<|>a: Int) { a }", "a", "fn f(a: Int) { a }"),
    ],
)
def test_rename(before: str, new_name: str, after: str) -> None:
    program = marked(before)
    db = opened(program.text)
    assert isinstance(prepare_rename(db, MAIN, program.cursor), Prepared)
    changes = rename(db, MAIN, program.cursor, new_name)
    assert not isinstance(changes, Refusal)
    text = program.text
    for change in changes:
        assert change.file == MAIN
        text = applied(text, change.edits)
    assert text == after


def test_prepare_gives_the_name_under_the_cursor() -> None:
    program = marked("fn f(«na<|>me»: Int) { name }")
    assert prepare_rename(opened(program.text), MAIN, program.cursor) == Prepared(program.spans[0], "name")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("fn f() { <|>list_len([]) }", "'list_len' is built in"),
        ("fn f(x: <|>Int) {}", "'Int' is built in"),
        ("fn f(x: Option<|><Int>) {}", "'Option' is built in"),
        ("fn f() !{<|>random} {}", "'random' is a capability, not a name of this program"),
        ("f<|>n f() {}", "'fn' is a keyword"),
        ("fn f() ensures <|>result > 0 {}", "'result' is the language's name for what the function returns"),
        ("fn f() { <|>missing }", "there is no name here that is defined in this program"),
        ("fn f() { 1 <|>+ 2 }", "there is no name here that is defined in this program"),
        (
            "type P { x: Int }\ntype Q { x: Int }\nfn f() { g().<|>x }",
            "it is unclear whose 'x' this is: 'P' and 'Q' have one",
        ),
        ("import <|>shapes", "'shapes' is a library; its name is that of its folder"),
    ],
)
def test_what_cannot_be_renamed(text: str, reason: str) -> None:
    program = marked(text)
    db = opened(program.text, {"shapes": "fn area() {}"})
    assert prepare_rename(db, MAIN, program.cursor) == Refusal(reason)
    assert rename(db, MAIN, program.cursor, "fresh") == Refusal(reason)


USED = "'{}' is already used here: some names would change their meaning"


@pytest.mark.parametrize(
    ("text", "new_name", "reason"),
    [
        ("fn <|>f() {}", "2f", "'2f' is not a name: letters, digits and underscores, no digit first"),
        ("fn <|>f() {}", "", "'' is not a name: letters, digits and underscores, no digit first"),
        ("fn <|>f() {}", "é", "'é' is not a name: letters, digits and underscores, no digit first"),
        ("fn <|>f() {}", "f\n", "'f\n' is not a name: letters, digits and underscores, no digit first"),
        ("fn <|>f() {}", "_", "'_' is not a name: letters, digits and underscores, no digit first"),
        ("fn <|>f() {}", "match", "'match' is a keyword"),
        ("fn <|>f() {}", "list_len", "'list_len' is built in"),
        ("type <|>P {}", "List", "'List' is a type of the language"),
        ("type <|>P {}", "p", "a record begins with a capital letter, or else its literals cannot be read"),
        ("enum E { <|>A }", "a", "a variant begins with a capital letter, or else patterns take it for a name to bind"),
        ("fn f(<|>a: Int) { a }", "A",
         "a variable begins with a small letter, or else it is taken for a type or a variant"),
        ("fn <|>f() {}\nfn g() {}", "g", "'g' is already defined here"),
        ("type <|>P {}\nenum Q {}", "Q", "'Q' is already defined here"),
        ("type P { <|>a: Int, b: Int }", "b", "'b' is already defined here"),
        ("enum P { <|>A, B }", "B", "'B' is already defined here"),
        ("import shapes\nfn <|>f() {}", "area", "'area' is already defined here"),
        ("fn f(<|>a: Int, b: Int) { a + b }", "b", USED.format("b")),
        ("fn f(<|>a: Int) { let b = 1 a }", "b", USED.format("b")),
        ("fn f(<|>a: Int) { g() a }\nfn g() {}", "g", USED.format("g")),
        ("fn <|>f() {}\nfn g(h: Int) { f() }", "h", USED.format("h")),
        ("fn f() ensures result > 0 { let <|>a = 1 a }", "result", None),
        ("fn f(<|>a: Int) ensures a > 0 { a }", "result", USED.format("result")),
        ("fn <|>f() {}\nfn g() { missing() }", "missing", "'missing' is already used in this file"),
        ("type P { <|>x: Int }\nfn f() { g().y }", "y", "'y' is already used in this file"),
        ("type P { <|>x: Int }\ntype Q { y: Int }\nfn f() { g().x }", "y",
         "another type has 'y', too: it would be unclear which one is meant"),
        ("type P { <|>x: Int }\ntype Q { x: Int }\nfn f(p: P) { p.x g().x }", "y",
         "it is unclear whose 'x' is meant in line 3"),
        ("type P { <|>x: Int }\nfn f(p: P) { p.y }", "y", "'y' is already used in this file"),
    ],
)  # fmt: skip
def test_refusals(text: str, new_name: str, reason: str | None) -> None:
    program = marked(text)
    found = rename(opened(program.text, {"shapes": "fn area() {}"}), MAIN, program.cursor, new_name)
    if reason is None:
        assert not isinstance(found, Refusal)
    else:
        assert found == Refusal(reason)


def test_rename_in_a_library_reaches_its_users() -> None:
    shapes = marked("fn <|>area() {}\n")
    program = "import shapes\nfn main() { area() }"
    db = opened(program, {"shapes": shapes.text})
    changes = rename(db, library("shapes"), shapes.cursor, "size", others=(MAIN,))
    assert not isinstance(changes, Refusal)
    assert {change.file: applied({MAIN: program}.get(change.file, shapes.text), change.edits) for change in changes} == {
        MAIN: "import shapes\nfn main() { size() }",
        library("shapes"): "fn size() {}\n",
    }
