"""References: from every marked span all others are found, and no more; the kinds of use; libraries."""

from __future__ import annotations

import pytest

from analysis.ide.references import Reference, highlights, references
from analysis.inputs import FileId, source
from analysis.semantics.occurrences import Use
from analysis.text.source import Source
from tests.support.marked import MAIN, WORKSPACE, library, marked, opened


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("fn «f»(n: Int) -> Int { «f»(n) }\nfn g() { let f = «f» f(1) }", id="function, hidden by a local"),
        pytest.param("fn f() { let «x» = 1 { let x = 2 x } «x» = «x» + 1 }", id="local, hidden in a block"),
        pytest.param("fn f(«n»: Int) requires «n» > 0 { match «n» { n => n } }\nfn g(n: Int) { n }", id="parameter"),
        pytest.param("type «P» { p: Int }\nfn f(p: «P») -> List<«P»> { [«P» { p: 1 }] }", id="record"),
        pytest.param("enum «E» { E(Int) }\nfn f(e: «E») { match e { E(n) => «E»::E(n) } }", id="enum"),
        pytest.param("enum E { «E»(Int) }\nfn f(e: E) { match e { «E»(n) => E::«E»(n) } }", id="variant"),
        pytest.param(
            "enum A { «X» }\nenum B { X }\nfn f(a: A, b: B) { match a { «X» => match b { X => 1 } } }", id="two enums"
        ),
        pytest.param("type P { «x»: Int }\nfn f(p: P) { P { ..p, «x»: p.«x» }.«x» }", id="field"),
        pytest.param("type P { «x»: Int }\ntype Q { x: Int }\nfn f(p: P, q: Q) { p.«x» + q.x }", id="two records"),
        pytest.param("fn f() { «list_len»([1]) + «list_len»([]) }", id="builtin"),
        pytest.param("fn f(a: «Int») -> List<«Int»> { let b: «Int» = a [b] }", id="builtin type"),
        pytest.param("fn f() !{«fs.read»} {}\nfn g() !{net, «fs . read»} {}", id="capability"),
        pytest.param("fn f() ensures «result» > «result» {}\nfn g() ensures result > 0 {}", id="result"),
        pytest.param("fn «f»() {}\nfn g( {}\nfn h() { «f»() let = «f»() }", id="with syntax errors around"),
    ],
)  # fmt: skip
def test_references(text: str) -> None:
    program = marked(text)
    db = opened(program.text)
    for start, end in program.spans:
        for offset in (start, end):
            assert [found.span for found in references(db, MAIN, offset)] == program.spans
            assert [found.span for found in highlights(db, MAIN, offset)] == program.spans


def test_kinds_of_use() -> None:
    program = marked("enum E { A }\nfn f(e: E) { let mut x = E::A x = x match x { A => f(x) } }")
    db = opened(program.text)

    def kinds(name: str, include_declaration: bool = True) -> list[Use]:
        return [found.kind for found in references(db, MAIN, program.text.index(name), include_declaration)]

    assert kinds("A") == [Use.DECLARATION, Use.CONSTRUCT, Use.MATCH]
    assert kinds("f(") == [Use.DECLARATION, Use.CALL]
    assert kinds("x =") == [Use.DECLARATION, Use.WRITE, Use.READ, Use.READ, Use.READ]
    assert kinds("x =", include_declaration=False) == [Use.WRITE, Use.READ, Use.READ, Use.READ]


def test_references_across_files() -> None:
    shapes = marked("type Box { side: Int }\nfn «area»(b: Box) -> Int { b.side }\n")
    squares = marked('import "shapes"\nfn square() { «area»(Box { side: 1 }) }\n')
    program = marked('import "shapes"\nfn main() { «area»(Box { side: 2 }) }')
    other = marked("import shapes\nfn test() { «area»(1) }")
    unrelated = "fn area() {}"
    libs = {"shapes": shapes.text, "squares": squares.text, "unrelated": unrelated}
    db = opened(program.text, libs)
    second = FileId(WORKSPACE, "disk", f"{WORKSPACE}/test.ax")
    source.set(db, second, Source.from_text(other.text))
    expected = {
        (MAIN, program.spans[0]),
        (library("shapes"), shapes.spans[0]),
        (library("squares"), squares.spans[0]),
        (second, other.spans[0]),
    }
    for file, offset in (
        (MAIN, program.spans[0][0]),
        (second, other.spans[0][0]),
        (library("shapes"), shapes.spans[0][0]),
    ):
        found = references(db, file, offset, others=(MAIN, second))
        assert {(each.file, each.span) for each in found} == expected
    assert highlights(db, MAIN, program.spans[0][0]) == (Reference(MAIN, program.spans[0], Use.CALL),)


def test_a_library_that_is_open_in_an_editor_is_one_file() -> None:
    shapes = marked("fn «area»() { «area»() }\n")
    program = marked("import shapes\nfn main() { «area»() }")
    db = opened(program.text, {"shapes": shapes.text})
    in_editor = library("shapes")._replace(workspace=WORKSPACE, layer="editor:1")
    source.set(db, in_editor, Source.from_text(shapes.text))
    found = references(db, in_editor, shapes.spans[1][0], others=(MAIN, in_editor))
    assert [(each.file, each.span) for each in found] == [
        (in_editor, shapes.spans[0]),
        (in_editor, shapes.spans[1]),
        (MAIN, program.spans[0]),
    ]


def test_nothing_has_no_references() -> None:
    for text in ("fn f() { <|>missing }", "fn f() { retu<|>rn 1 }", "// <|>f\nfn f() {}", 'fn f() { "<|>f" }'):
        program = marked(text)
        assert references(opened(program.text), MAIN, program.cursor) == ()
        assert highlights(opened(program.text), MAIN, program.cursor) == ()
