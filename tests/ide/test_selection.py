"""Expanding selections: the chain of spans from the cursor outwards."""

from __future__ import annotations

from analysis.ide.selection import selection_ranges
from tests.support.marked import MAIN, marked, opened


def _chain(text: str) -> list[str]:
    program = marked(text)
    return [program.text[start:end] for start, end in selection_ranges(opened(program.text), MAIN, program.cursor)]


def test_expression() -> None:
    body = "let a = f(x + wi<|>dth * 2, 3)"
    program = f"// Doc.\nfn g(x: Int) {{\n    {body}\n    a\n}}\n\nfn other() {{}}\n"
    plain = body.replace("<|>", "")
    item = f"fn g(x: Int) {{\n    {plain}\n    a\n}}"
    assert _chain(program) == [
        "width",
        "width * 2",
        "x + width * 2",
        "x + width * 2, 3",
        "(x + width * 2, 3)",
        "f(x + width * 2, 3)",
        plain,
        f"{plain}\n    a",
        f"{{\n    {plain}\n    a\n}}",
        item,
        f"// Doc.\n{item}",
        program.replace("<|>", ""),
    ]


def test_words() -> None:
    assert _chain('fn f() { "a<|>b" }')[:2] == ["ab", '"ab"']
    assert _chain("fn f() { a<|>(1) }")[0] == "a"
    assert _chain("fn f() {} // no<|>te")[0] == "// note"
    assert _chain("// no<|>te\n") == ["// note", "// note\n"]
    assert _chain("fn f() { match x { Some(<|>n) => n } }")[:3] == ["n", "(n)", "Some(n)"]


def test_text_that_does_not_parse() -> None:
    assert _chain("fn f() { let = a<|>b ) }")[:2] == ["ab", "let = ab"]
    assert _chain("<|>") == [""]
    assert _chain("}}} <|>{{{")[-1] == "}}} {{{"
