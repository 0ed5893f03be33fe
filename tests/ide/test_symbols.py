"""The outline: kinds, types, nesting, spans; also beside syntax errors."""

from __future__ import annotations

from analysis.ide.symbols import Symbol, document_symbols
from tests.support.marked import MAIN, marked, opened


def _outline(symbols: tuple[Symbol, ...]) -> list[object]:
    return [(each.kind.value, each.name, each.detail, *_outline(each.children)) for each in symbols]


def test_outline() -> None:
    program = marked(
        "module m\nimport x\n// A point.\n«type «Point» { «x»: Int, «y»: List<Int> }»\n"
        "«export enum «Shape» { «Dot», «Round»(Point) }»\n"
        "«fn «area»(s: Shape) -> Int !{random} { let a = 1 a }»\n«fn «main»() {}»"
    )
    found = document_symbols(opened(program.text), MAIN)
    assert _outline(found) == [
        ("record", "Point", "", ("field", "x", "Int"), ("field", "y", "List<Int>")),
        ("enum", "Shape", "", ("variant", "Dot", ""), ("variant", "Round", "Point")),
        ("function", "area", "(s: Shape) -> Int !{random}"),
        ("function", "main", "()"),
    ]
    spans = [span for each in found for span in (each.span, each.name_span, *(child.name_span for child in each.children))]
    assert sorted(spans) == program.spans
    assert [program.text[slice(*child.span)] for child in found[0].children] == ["x: Int", "y: List<Int>"]


def test_items_around_a_broken_one_are_there() -> None:
    text = "fn a() {}\nfn b( {\n let = 1\n}\ntype T { x Int }\nenum E { A }\nfn a() {}"
    assert [each.name for each in document_symbols(opened(text), MAIN)] == ["a", "b", "T", "E", "a"]
    assert document_symbols(opened(""), MAIN) == ()


def test_an_edit_of_a_body_makes_one_chunk_anew() -> None:
    text = "fn a() { 1 }\nfn b() { 2 }\nfn c() { 3 }\n"
    db = opened(text)
    before = document_symbols(db, MAIN)
    with db.record_events() as events:
        after = document_symbols(opened(text.replace("2", "2 + 2"), db=db), MAIN)
    assert sum(event[0] == "execute" and event[1] == "chunk_symbols" for event in events) == 1
    assert after[0] == before[0]
    assert after[2].span == (before[2].span[0] + 4, before[2].span[1] + 4)
