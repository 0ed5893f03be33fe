"""Semantic tokens: one line a token, `text type modifiers`, for everything that can be written."""

from __future__ import annotations

from analysis.ide.semantic_tokens import tokens
from tests.support.marked import MAIN, opened


def _table(text: str, libs: dict[str, str] | None = None) -> list[str]:
    return [" ".join((text[token.start : token.end], token.type, *token.modifiers)) for token in tokens(opened(text, libs), MAIN)]


def test_declarations_and_types() -> None:
    text = "module m import std-json // note\nexport type P { x: List<Q> } enum E { A(Int) }"
    assert _table(text) == [
        "module keyword",
        "m namespace declaration",
        "import keyword",
        "std-json namespace",
        "// note comment",
        "export keyword",
        "type keyword",
        "P type declaration",
        "x property declaration",
        "List type defaultLibrary",
        "Q type",
        "enum keyword",
        "E type declaration",
        "A enumMember declaration",
        "Int type defaultLibrary",
    ]


def test_bodies() -> None:
    text = (
        'fn f(a: Fn() -> Int) !{net.fetch} { let mut x = g(a(), "s", 1.5) x = P { y: Some(a) }.y '
        "match x { A => E::A } list_len(x) < 2 }"
    )
    assert _table(text) == [
        "fn keyword",
        "f function declaration",
        "a parameter declaration readonly",
        "Fn type defaultLibrary",
        "-> operator",
        "Int type defaultLibrary",
        "! operator",
        "net.fetch modifier",
        "let keyword",
        "mut keyword",
        "x variable declaration",
        "= operator",
        "g function",
        "a parameter readonly",
        '"s" string',
        "1.5 number",
        "x variable modification",
        "= operator",
        "P struct",
        "y property",
        "Some enumMember defaultLibrary",
        "a parameter readonly",
        "y property",
        "match keyword",
        "x variable",
        "A enumMember",
        "=> operator",
        "E type",
        "A enumMember",
        "list_len function defaultLibrary",
        "x variable",
        "< operator",
        "2 number",
    ]


def test_own_definitions_of_builtin_names_are_not_the_language_s() -> None:
    assert "list_len function" in _table("fn list_len(a: Int) {}\nfn f() { list_len(1) }")
    assert "list_len function" in _table("import l\nfn f() { list_len(1) }", {"l": "fn list_len(a: Int) {}"})
    assert "Int type" in _table("type Int {}\nfn f(a: Int) {}")


def test_a_token_never_crosses_a_line() -> None:
    assert _table('fn f() { "a\r\nb\rc\n\nd" }')[2:] == ['"a string', "b string", "c string", 'd" string']
    assert _table("// a\r// b\r\nfn")[:2] == ["// a comment", "// b comment"]


def test_part_of_a_file() -> None:
    text = "fn a() {}\nfn b() {}\nfn c() {}\n"
    db = opened(text)
    assert [text[token.start : token.end] for token in tokens(db, MAIN, (12, 14))] == ["fn", "b"]
    assert tokens(db, MAIN, (-4, 10**9)) == tokens(db, MAIN)


def test_broken_text_keeps_its_colours() -> None:
    assert _table("fn f(a: Int) { let = a + ) \n b(a) }") == [
        "fn keyword",
        "f function declaration",
        "a parameter declaration readonly",
        "Int type defaultLibrary",
        "let keyword",
        "= operator",
        "a parameter readonly",
        "+ operator",
        "b function",
        "a parameter readonly",
    ]
