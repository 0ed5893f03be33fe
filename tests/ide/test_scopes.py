"""Declaration of a name: block scope, shadowing, patterns, contracts, names in text that does not parse."""

from __future__ import annotations

import pytest

from analysis.database import Database
from analysis.semantics.occurrences import GLOBAL, RESULT, Space, Use
from analysis.semantics.scopes import resolved
from tests.support.marked import marked


def _names(text: str) -> list[tuple[str, str, str]]:
    """Every value name with its use and the text that stands where it is declared, up to the end of that line."""
    found = resolved(Database(), text)
    out = []
    for made in found.occurrences:
        if made.space is Space.VALUE and made.use is not Use.DECLARATION:
            place = {GLOBAL: "global", RESULT: "result"}.get(made.local) or text[made.local :].split("\n")[0]
            out.append((made.name, made.use.value, place))
    return out


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("fn f(«x»: Int) { <|>x }", id="parameter"),
        pytest.param("fn f() { let «x» = 1 <|>x }", id="let"),
        pytest.param("fn f(«x»: Int) { let x = <|>x }", id="initializer is outside of its own name"),
        pytest.param("fn f() { let x = 1 let «x» = 2 <|>x }", id="later let"),
        pytest.param("fn f() { let «x» = 1 if true { let x = 2 } <|>x }", id="inner let ends with its block"),
        pytest.param("fn f() { let x = 1 { let «x» = 2 <|>x } }", id="inner let within its block"),
        pytest.param("fn f(«v»: Int) { for v in <|>v { v } }", id="iterable is outside of the loop"),
        pytest.param("fn f(v: Int) { for «v» in v { <|>v } }", id="loop variable"),
        pytest.param("fn f(«v»: Int) { for v in v { v } <|>v }", id="after the loop"),
        pytest.param("fn f(n: Int) { match n { Some(«n») => <|>n, _ => n } }", id="pattern"),
        pytest.param("fn f(«n»: Int) { match n { Some(n) => n, _ => <|>n } }", id="other arm"),
        pytest.param("fn f(«n»: Int) { match <|>n { n => n } }", id="scrutinee"),
        pytest.param("fn f(n: Int) { match n { A(Ok(«deep»)) => { <|>deep } } }", id="deep pattern"),
        pytest.param("fn f() { let mut «x» = 1 <|>x = 2 }", id="assignment"),
        pytest.param("fn f(«g»: Fn(Int) -> Int) { <|>g(1) }", id="call of a local"),
        pytest.param("fn f(«n»: Int) requires <|>n > 0 { n }", id="requires"),
        pytest.param("fn f(n: Int) ensures <|>last > n { let «last» = n last }", id="ensures sees the body's names"),
        pytest.param("fn f(a: Int, «a»: Int) { <|>a }", id="of two parameters the last"),
        pytest.param("fn f() { let «x» = 1 let = <|>x }", id="in a statement that does not parse"),
        pytest.param("fn f() { let «x» = (1 2) <|>x }", id="declared by a statement that does not parse"),
        pytest.param("fn f(«x»: Int) { P { ..<|>x, a: 1 } }", id="spread"),
        pytest.param("fn f(«x»: Int) { send x (<|>x) }", id="send"),
    ],
)
def test_local(text: str) -> None:
    program = marked(text)
    found = resolved(Database(), program.text).at(program.cursor)
    assert found is not None
    assert (found.local, found.local + len(found.name)) == program.spans[0]


def test_outer_names_are_global() -> None:
    assert _names("fn f() { helper(list_len) let helper = 1 helper }") == [
        ("helper", "call", "global"),
        ("list_len", "read", "global"),
        ("helper", "read", "helper = 1 helper }"),
    ]


def test_result_belongs_to_ensures_and_hides_names_there() -> None:
    text = "fn f(result: Int)\n requires result > 0\n ensures result > 1\n{ result }"
    assert [place for _, _, place in _names(text)] == ["result: Int)", "result", "result: Int)"]


def test_names_are_found_in_deep_and_long_expressions() -> None:
    chain = "fn f(x: Int) { x" + " + x" * 5_000 + " }"
    assert sum(made.local == 5 for made in resolved(Database(), chain).occurrences) == 5_002
    nested = "fn f(x: Int) { " + "[" * 900 + "x" + "]" * 900 + " }"
    assert [made.local for made in resolved(Database(), nested).occurrences if made.name == "x"] == [5, 5]
    fields = "fn f(x: P) { x" + ".next" * 2_000 + " }"
    assert sum(made.space is Space.FIELD for made in resolved(Database(), fields).occurrences) == 2_000


def test_spaces_of_names() -> None:
    text = "type P { at: List<Q> }\nenum E { A(Int) }\nfn f(e: E) !{net.fetch} { match e { A(n) => P { at: E::A(n) }.at }}"
    found = [(made.name, made.space.value, made.use.value) for made in resolved(Database(), text).occurrences]
    assert found == [
        ("P", "type", "declaration"),
        ("at", "field", "declaration"),
        ("List", "generic type", "read"),
        ("Q", "type", "read"),
        ("E", "type", "declaration"),
        ("A", "variant", "declaration"),
        ("Int", "type", "read"),
        ("f", "value", "declaration"),
        ("e", "value", "declaration"),
        ("E", "type", "read"),
        ("net.fetch", "capability", "read"),
        ("e", "value", "read"),
        ("A", "variant", "match"),
        ("n", "value", "declaration"),
        ("P", "type", "construct"),
        ("at", "field", "write"),
        ("E", "type", "read"),
        ("A", "variant", "construct"),
        ("n", "value", "read"),
        ("at", "field", "read"),
    ]
