"""Programs at the edge: thousands of terms, deep nesting, 255 of everything."""

from __future__ import annotations

import pytest

from tests.support.compiled import compiled, errors_of, function_of, module_of, unbalanced


def test_chains_of_any_length() -> None:
    module = module_of(f"fn main() -> Int {{ {' + '.join(['1'] * 20_000)} }}")
    assert len(module.functions[0].code) == 40_000
    assert unbalanced(module.functions[0]) is None


@pytest.mark.parametrize(
    "opening, closing",
    [
        ("(", ")"),
        ("!", ""),
        ("[", "]"),
        ("if true { ", " }"),
        ("if true { ", " } else { 0 }"),
        ("if true { 0 } else { ", " }"),
        ("match 1 { 1 => ", ", _ => 2 }"),
        ("match true { true => ", ", _ => 2 }"),
        ("let x = { ", " }\n x"),
        ("Some(", ")"),
        ("f(", ")"),
        ("P { x: ", " }"),
        ("while true { ", " }"),
        ("for v in [1] { ", " }"),
        ("f({ return ", " })"),
    ],
)
def test_deep_nesting(opening: str, closing: str) -> None:
    text = f"type P {{ x: Int }}\nfn f(a: Int) -> Int {{ a }}\nfn main() -> Int {{ {opening * 400}1{closing * 400} }}"
    made = compiled(text)
    assert made.module is not None, made.errors
    assert unbalanced(function_of(made.module, "main")) is None


def test_long_rows_of_postfix_operators() -> None:
    module = module_of(f"fn main(x: Int) -> Int {{ x{'.a' * 1000}{'(1)' * 1000} }}")
    assert len(module.functions[0].code) == 3002


def test_nesting_that_is_too_deep_is_an_error() -> None:
    assert errors_of(f"fn main() -> Int {{ {'(' * 5000}1{')' * 5000} }}") == [("E002", "nesting too deep")]


def many(count: int, word: str = "1") -> str:
    return ", ".join([word] * count)


FIELDS = ", ".join(f"f{number}: Int" for number in range(256))
VARIANTS = ", ".join(f"V{number}" for number in range(257))


@pytest.mark.parametrize(
    "text, message",
    [
        (f"fn main() -> Int {{ [{many(256)}] }}", "list literal has 256 elements; max 255"),
        (f"fn main(g: Int) -> Int {{ g({many(256)}) }}", "call has 256 arguments; max 255"),
        (f"type P {{ {FIELDS} }}\nfn main(p: P) -> P {{ P {{ ..p, f1: 2 }} }}", "record literal has 256 fields; max 255"),
        (f"enum E {{ {VARIANTS} }}\nfn main() -> E {{ E::V256 }}", "enum has 256 variants; max 255"),
        (
            f"fn main({', '.join(f'a{number}: Int' for number in range(256))}) -> Int {{ 1 }}",
            "function `main` has 256 parameters; max 255",
        ),
    ],
)
def test_what_does_not_fit_into_an_instruction_is_refused(text: str, message: str) -> None:
    assert errors_of(text)[0] == ("E008", message)


def test_what_just_fits_is_compiled() -> None:
    main = module_of(f"fn main(g: Int) -> Int {{ g({many(255)})\n list_len([{many(255)}]) }}").functions[0]
    assert ("CallIndirect", 255) in main.code
    assert ("MakeList", 255) in main.code
