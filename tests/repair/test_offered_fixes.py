"""Fixes that checks and editors offer for forms of other languages: the translation, what repairs apply, and no lie beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Severity
from analysis.fixes.repair import fixes_for, repair_file
from analysis.text.edits import Confidence
from boruna_ls.answers.check import check_answer
from tests.support.marked import MAIN, opened

LIBRARIES: Final = {
    folder.name: (folder / "src" / "core.ax").read_text(encoding="utf-8")
    for folder in (Path(__file__).resolve().parents[2] / "libs" / name for name in ("std-list", "std-math"))
}
LIES: Final = {
    "a variant with two values": "enum E { A(Int, Int), B }\nfn s(e: E) -> Int { match e { A(x, y) => x + y, B => 0 } }\n"
    "fn main() -> Int { s(E::A(1, 2)) }",
    "a variant with fields": "enum S { Rect { w: Float, h: Float }, Dot }\n"
    "fn a(s: S) -> Float { match s { Rect { w, h } => w * h, Dot => 0.0 } }\n"
    "fn main() -> Float { a(S::Rect { w: 2.0, h: 3.5 }) }",
    "a function in a function": "fn main() -> Int {\n fn d(n: Int) -> Int { n * 2 }\n d(4) }",
    "counting up": "fn main() -> Int { let mut i = 0; i++; i }",
    "a power": "fn main() -> Int { 2 ** 3 }",
    "a map": 'fn main() -> Int {\n    let m = {"a": 1}\n    m["a"]\n}',
    "an item assigned": "fn main() -> List<Int> { let mut xs = [1, 2]\n xs[0] = 9\n xs }",
    "bits": "fn main() -> Int { 7 & 3 }",
    "a pair": "fn p() -> (Int, Int) {\n    (1, 2)\n}\nfn main() -> Int {\n    let (a, b) = p()\n    a + b\n}",
    "patterns of lists": "fn s(xs: List<Int>) -> Int { match xs { [] => 0, [x, ..rest] => x + s(rest) } }\n"
    "fn main() -> Int { s([1]) }",
}
WORDS: Final = {
    "break": "fn main() -> Int {\n let mut s = 0\n for x in [1, 2, 3] { if x == 3 { break }\n s = s + x }\n s }",
    "continue": "fn main() -> Int {\n let mut s = 0\n for x in [1, 2, 3] { if x == 3 { continue }\n s = s + x }\n s }",
    "as": "fn main() -> Float { let n = 3\n n as Float / 2.0 }",
    "range": "fn main() -> Int { let mut s = 0\n for i in range(4) { s = s + i }\n s }",
    "abs": "fn main() -> Int { abs(-3) }",
}
"""Words that parse and mean nothing here."""


def _offered(text: str) -> list[list[tuple[str, Confidence]]]:
    """The fixes of each error."""
    db = opened(text, LIBRARIES)
    return [
        [(fix.id, fix.confidence) for fix in fixes_for(db, MAIN, chunk, diagnostic)]
        for chunk, diagnostic in check_file(db, MAIN).entries
        if diagnostic.severity is Severity.ERROR
    ]


def _patches(text: str) -> list[list[str]]:
    answer: Any = check_answer(opened(text, LIBRARIES), MAIN, "main.ax")
    return [
        [*(patch["id"] for patch in diagnostic.get("patches", [])), *diagnostic.get("patched_by", [])]
        for diagnostic in answer["diagnostics"]
        if diagnostic["severity"] == "error"
    ]


@pytest.mark.parametrize("name", LIES)
def test_the_translation_comes_first_and_lies_are_no_patches(name: str) -> None:
    offered = _offered(LIES[name])
    assert offered
    for fixes in offered:
        assert fixes[0][0] == "E002-translate"
        assert all(confidence is Confidence.LOW for _, confidence in fixes[1:])
    assert all(ids == ["E002-translate"] for ids in _patches(LIES[name]))


@pytest.mark.parametrize("name", WORDS)
def test_views_offer_what_repairs_apply(name: str) -> None:
    """Whatever of it a repair applies, a check and the quick fixes offer by the same id."""
    applied = {done.fix.id for done in repair_file(opened(WORDS[name], LIBRARIES), MAIN).applied}
    assert applied
    assert applied <= {identity for fixes in _offered(WORDS[name]) for identity, _ in fixes}
    assert applied <= {identity for ids in _patches(WORDS[name]) for identity in ids}


def test_a_patch_is_listed_once() -> None:
    """Two diagnostics of one mistake have one patch, and the second names it."""
    program = "fn main() -> Int {\n    let Limit = 2\n    if 2 == Limit {\n        1\n    } else {\n        0\n    }\n}"
    first, second = check_answer(opened(program), MAIN, "main.ax")["diagnostics"]
    assert [patch["id"] for patch in first["patches"]] == ["E002-parentheses"]
    assert ("patches" in second, second["patched_by"], second["shown"]) == (False, ["E002-parentheses"], None)


def test_a_slip_keeps_its_small_fix() -> None:
    """What means the same as the translation changes less."""
    (fixes,) = _offered("fn main() -> Int { let n = 2\n if n == 1 { 1 } else if n == 2 { 5 } else { 3 } }")
    assert fixes[0] == ("E002-else-if", Confidence.HIGH)


def test_a_missing_import_has_one_name() -> None:
    program = "fn main() -> Int { int_abs(-3) }"
    assert [done.fix.id for done in repair_file(opened(program, LIBRARIES), MAIN).applied] == ["E003-import-std-math"]
    assert [[identity for identity, _ in fixes] for fixes in _offered(program)] == [["E003-import-std-math"]]
    assert _patches(program) == [["E003-import-std-math"]]


def test_a_name_like_that_of_a_library_is_told() -> None:
    """With the library, and the name there."""
    program = "fn main() -> Int { list_summ([1]) }"
    db = opened(program, LIBRARIES)
    ((chunk, diagnostic),) = check_file(db, MAIN).entries
    assert diagnostic.help == "did you mean 'list_sum' of the library 'std-list'? Write it, and `import \"std-list\"`"
    assert fixes_for(db, MAIN, chunk, diagnostic)[0].id == "E003-import-std-list-list_sum"


def test_the_translation_is_applied_by_its_id() -> None:
    """A check lists it, so a repair takes it."""
    outcome = repair_file(opened(LIES["counting up"], LIBRARIES), MAIN, patch_id="E002-translate")
    assert [done.fix.id for done in outcome.applied] == ["E002-translate"]
    assert "i = i + 1" in outcome.text


ADVICE: Final = {
    'fn main() -> List<String> { string_lines("a") }': 'add `import "std-text"`',
    "fn main() -> Int { option_unwrap_or(Some(1), 2) }": 'write `option_or(…)`, with `import "std-option"`',
    "fn f(x: Int) -> Int { x }\nfn main() -> List<Int> { list_map([1], f) }": (
        "write a loop: `for item in [1] { out = list_push(out, f(item)) }`"
    ),
    "fn f(x: Int) -> Int { x }\nfn main() -> Option<Int> { option_map(Some(1), f) }": (
        "write a `match`: `match Some(1) { Some(value) => …, None => … }`"
    ),
    "fn main() -> List<Int> { map([1, 2], |x| x + 1) }": "write a function, `fn step(x: …) -> … { x + 1 }`, and call it",
    "fn main() -> Int {\n let mut out = 1\n out += f(3)\n out }": "write `out = out + f(3)`",
    "fn main() -> Int {\n let mut s = 1\n if s == 1 { s += 2 }\n s }": "write `s = s + 2`",
    "fn f(xs: List<Int>) -> Int { match xs { [] => 0, _ => 1 } }": "write `if list_len(xs) == 0 { … }`",
    "fn f(n: Int) -> Int { match n { 1..=3 => 5, _ => 0 } }": "write `if n >= 1 && n <= 3 { … } else { … }`",
    "fn f() { for (let i = 0; i < 4; i++) { g(i) } }": "write `let mut i = 0`, then `while i < 4 { … i = i + 1 }`",
    "fn f(n: Int) -> Int { match n { k if k > 3 => 1, _ => 2 } }": "write `k => if k > 3 { 1 } else { … }`, with what the arms "
    "below give in the `else`",
    "fn f(n: Int) -> Int {\n let r = n > 0 ? 5 : 6\n r }": "write `if n > 0 { 5 } else { 6 }`",
    'fn f(n: Int) -> String { format!("n is {}", n) }': 'write `"n is " ++ n`, a number as `__builtin_int_to_string(n)`',
    "fn f(o: Option<Int>) -> Option<Int> {\n let x = o?\n Some(x) }": "write `match o { Some(x) => …, None => None }`; "
    "of a Result, `Ok(x) => …, Err(error) => Err(error)`",
    "fn f() { let mut i = 0\n while i < 9 { if i == 4 { break }\n i = i + 1 } }": "end the loop by its condition: "
    "`while i < 9 && !(i == 4) {`",
    "fn f(xs: List<Int>) { for x in xs { if x == 3 { continue }\n g(x) } }": "put the rest of the body into `if !(x == 3) { … }`",
}
"""By program what to write, with its own names."""


@pytest.mark.parametrize("program", ADVICE)
def test_advice_uses_the_names_of_the_program(program: str) -> None:
    helps = [diagnostic.help for _, diagnostic in check_file(opened(program), MAIN).entries]
    assert ADVICE[program] in helps
