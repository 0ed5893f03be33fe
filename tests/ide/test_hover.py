"""Hover: what is shown for every kind of name, findings' pages, and text that must not become ours."""

from __future__ import annotations

import pytest

from analysis.ide.hover import hover
from analysis.ide.markdown import fence, prose
from tests.support.marked import MAIN, marked, opened


def _shown(text: str, libs: dict[str, str] | None = None) -> str:
    program = marked(text)
    found = hover(opened(program.text, libs), MAIN, program.cursor)
    assert found is not None
    return found.markdown


def _code(text: str) -> str:
    return f"```ax\n{text}\n```"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "// Adds.\n//   really\nfn add(a: Int, b: Int) -> Int !{random}\n"
            "  requires a > 0\n  ensures result > b\n{ a }\n"
            "fn main() { <|>add(1, 2) add(3, 4) }",
            _code("fn add(a: Int, b: Int) -> Int !{random}\n    requires a > 0\n    ensures result > b")
            + "\n\nAdds.\n  really\n\nNeeds capability `random`.\n\nA call takes 13 steps.",
        ),
        ("/// At.\ntype <|>P { x: Fn() -> T }\nfn f(p: P) { p.x }", _code("type P { x: Fn() -> T }") + "\n\nAt."),
        ("enum <|>E { A, B(Int) }\nfn f() { E::A E::B(1) }", _code("enum E { A, B(Int) }")),
        ("type P {\n// Far.\nx: Int\n}\nfn f(p: P) { p.<|>x }", _code("x: Int") + "\n\nFar.\n\nField of record `P`."),
        ("enum E { A, B(Int) }\nfn f() { E::A E::<|>B(1) }", _code("E::B(Int)") + "\n\nVariant of enum `E`."),
        (
            f"type <|>P {{ {'x' * 50}: Int, {'y' * 50}: Int }}",
            _code(f"type P {{\n    {'x' * 50}: Int,\n    {'y' * 50}: Int,\n}}"),
        ),
        ("fn f(a: List<Int>) { <|>a }", _code("a: List<Int>") + "\n\nParameter of `f`."),
        ("fn f() { let mut x = 1 x = <|>x }", _code("let mut x: Int")),
        ("fn f(g: Int) { let x = g + 1 <|>x }", _code("let x: Int")),
        ("fn f(g: Int) { let x = -g * 1.5 <|>x }", _code("let x: Float")),
        ("fn f(g: Int) { let x = g == 1 || !g <|>x }", _code("let x: Bool")),
        ("fn f() { let x = [None, Some(1)] <|>x }", _code("let x: List<Option<Int>>")),
        ("fn f() { let x = Err(\"no\") <|>x }", _code("let x: Result<_, String>")),
        ("fn f() { let mut x = [] x = list_push(x, 1) <|>x }", _code("let mut x: List<Int>")),
        ("fn f(g: Bool) { let x = if g { return 1 } else { list_get([true], 0) } <|>x }", _code("let x: Bool")),
        ("fn f(g: Bool) { let x = __builtin_map_set(map_new(), \"a\", g) <|>x }", _code("let x: Map<String, Bool>")),
        ("fn f(g: Int) { let x = match g { 0 => None _ => Some(g) } <|>x }", _code("let x: Option<Int>")),
        ("fn f() { let x = missing() <|>x }", _code("let x")),
        ("fn f(a: List<Int>) { for n in a { <|>n } }", _code("n: Int") + "\n\nLoop variable."),
        ("fn f(a: Option<Int>) { match a { Some(n) => <|>n } }", _code("n: Int") + "\n\nBound by a pattern."),
        ("fn f() -> Int ensures <|>result > 0 { 1 }", _code("result: Int") + "\n\nWhat `f` returns."),
        ("fn f() { <|>list_len([]) }", _code("fn list_len(xs: List<T>) -> Int") + "\n\nBuilt in: number of items."),
        ("fn f(a: <|>Bool) { a }", _code("Bool") + "\n\nBuilt in: `true` or `false`."),
        ("fn f() !{<|>net} {}", "Capability `net`, another spelling of `net.fetch`: asks servers in the network."),
        ("fn f() !{<|>mine} {}", "Unknown capability `mine`."),
        ("fn f() { whi<|>le true { } }", _code("while") + "\n\nRepeats a block as long as a condition holds."),
        ("module <|>m", _code("module m")),
        ("fn g( {\nfn f(a: Int) { let = <|>a }", _code("a: Int") + "\n\nParameter of `f`."),
    ],
)  # fmt: skip
def test_hover(text: str, shown: str) -> None:
    described = _shown(text).split("\n\n[")[0]
    assert described == shown


def test_what_a_library_declares() -> None:
    libs = {"shapes": "// Shapes and sizes.\n\n// Area of it.\nfn area(a: Int) -> Int { a }\n"}
    assert _shown("import shapes\nfn f() { <|>area(1) }", libs) == (
        _code("fn area(a: Int) -> Int") + "\n\nArea of it.\n\nA call takes 3 steps.\n\nFrom library `shapes`."
    )
    shown = _code('import "shapes"') + "\n\nShapes and sizes.\n\nFunctions: `area`"
    assert _shown("import <|>shapes\nfn f() { area(1) }", libs) == shown


def test_the_comment_of_the_first_item_is_not_about_the_library() -> None:
    libs = {"shop": "// What costs.\ntype Price { cents: Int }\nfn free() -> Price { Price { cents: 0 } }\n"}
    shown = _code('import "shop"') + "\n\nTypes: `Price`\n\nFunctions: `free`"
    assert _shown('import "<|>shop"\nfn f() -> Price { free() }', libs) == shown


def test_both_candidates_where_types_do_not_tell() -> None:
    shown = _shown("type P { x: Int }\ntype Q { x: Bool }\nfn f() { missing().<|>x }")
    assert shown.split("\n\n[")[0] == (
        _code("x: Int") + "\n\nField of record `P`.\n\n---\n\n" + _code("x: Bool") + "\n\nField of record `Q`."
    )


def test_pages_of_findings() -> None:
    program = marked("fn main() { «mis<|>sing» }")
    db = opened(program.text)
    found = hover(db, MAIN, program.cursor)
    assert found is not None
    assert (found.markdown, found.span) == ("[E003: undefined-variable](boruna://diagnostics/E003)", program.spans[0])
    other = hover(db, MAIN, program.cursor, page=lambda code: f"https://example.org/{code}")
    assert other is not None
    assert other.markdown == "[E003: undefined-variable](https://example.org/E003)"
    none = hover(db, MAIN, program.cursor, page=lambda code: None)
    assert none is not None
    assert none.markdown == "E003: undefined-variable"


def test_nothing_to_show() -> None:
    program = marked("fn main() { 1 <|>+ 2 }\n")
    assert hover(opened(program.text), MAIN, program.cursor) is None


def test_a_files_text_stays_data() -> None:
    hidden = "a\u202eb\x07c"
    shown = _shown(
        f"// See [this](command:rm) and ![i](http://x/i.png) <img src=x> `ok` {hidden}\n"
        'fn f() intent "```" {}\nfn g() { <|>f() }'
    )
    assert shown.startswith("````ax\n")
    assert "\n````\n" in shown
    assert "[this\\](command:rm) and \\![i\\](http\\://x/i.png)" in shown
    assert "<img" not in shown
    assert "`ok`" in shown
    assert "a\\u{202e}b\\u{7}c" in shown
    assert prose("a < b & c") == "a &lt; b &amp; c"
    assert fence("x") == _code("x")


def test_the_result_that_a_function_does_not_declare() -> None:
    shown = _shown("fn <|>double(n: Int) { n * 2 }")
    assert shown.startswith(f"{_code('fn double(n: Int)')}\n\nIts result is not declared; it gives `Int`.\n\n")
