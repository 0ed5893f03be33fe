"""Hints of the family P: shown where the setting asks for them, where boruna 3.2.0 compiles a program otherwise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.checked import Checker
from tests.support.commands import run


def diagnostics_of(text: str, portable: bool = True) -> list[str]:
    return [f"{one.code} {one.line}:{one.column}" for one in Checker(portable).check(text) if one.code[0] == "P"]


POINTS = "type P { x: Int, y: Int }\ntype Q { y: Int }\nenum E { A, B(Int) }\nenum F { A, C }\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('fn f() -> String { "a\\n" }', ["P001 1:20"]),
        ('fn f(s: String) -> Int { match s { "\\t" => 1, _ => 0 } }', ["P001 1:36"]),
        ('fn f() -> Int intent "a\\n" { 1 }', []),
        ("fn f() -> Int {\r\n    1\r\n}\r\n", ["P002 1:16"]),
        ("// a\r\nfn f() -> Int { 1 } // b\r\n", []),
        ("fn f() { let mut a = 1 if a > 0 { a = 2 } }", ["P003 1:24"]),
        ("fn f() { let mut a = 1 if a > 0 { a = 2 } else { 1 } }", ["P003 1:24"]),
        ("fn f(a: Int) -> Int { if a > 0 { 1 } else { 2 } }", []),
        ("fn f(a: Int) -> Int { if a > 0 { return 1 } else { 2 } }", []),
        ("fn f() { for n in [1] { n } }", ["P004 1:25"]),
        ("fn f() { for n in [1] { let _m = n } while false { 1 } }", []),
        ('fn f(s: String) -> Int { match s { _ => 1, "a" => 2 } }', ["P005 1:36"]),
        ('fn f(s: String) -> Int { match s { "a" => 2, _ => 1 } }', []),
        (f"{POINTS}fn f(a: E, b: E) -> Int {{ match a {{ B(_) => match b {{ B(_) => 1, _ => 2 }}, _ => 3 }} }}", ["P005 5:45"]),
        (f'{POINTS}fn f(a: E, s: String) -> Int {{ match a {{ B(_) => match s {{ "a" => 1, _ => 2 }}, _ => 3 }} }}', []),
        ("fn f(n: Int) -> Int { match n { 1 => 2, _ => 0 } }", ["P006 1:33"]),
        ("fn f(n: Option<Int>) -> Int { match n { Some(1) => 2, _ => 0 } }", ["P006 1:46"]),
        ("fn f(n: Option<Int>) -> Int { match n { Some(m) => m, None => 0 } }", []),
        (f"{POINTS}fn f() -> P {{ P {{ y: 1, x: 2 }} }}", ["P008 5:15"]),
        (f"{POINTS}fn f() -> P {{ P {{ x: 1, y: 2 }} }}", []),
        (f"{POINTS}fn f(p: P) -> Int {{ p.y + p.x }}", ["P008 5:23"]),
        (f"{POINTS}fn f(e: E) -> Int {{ match e {{ A => 1, B(n) => n }} }}", ["P009 5:31"]),
        ("fn f(a: Int) -> Int { if a > 0 { let a = 2 a } else { a } }", ["P010 1:38"]),
        ("fn f(a: Int) -> Int { let b = 1 if a > 0 { let c = 2 c } else { let c = b c } }", []),
        ("fn list_len(a: List<Int>) -> Int { 1 }", ["P011 1:4"]),
        ("fn list_len(a: List<Int>, b: Int) -> Int { b }", []),
        ("fn f(n: Int) -> Int ensures result > 0 { if n > 1 { return n } else { 0 } n }", ["P013 1:53"]),
        ("fn f(n: Int) -> Int { if n > 1 { return n } else { 0 } n }", []),
        ("fn broken( {", []),
    ],
)
def test_hints(text: str, expected: list[str]) -> None:
    assert diagnostics_of(text) == expected
    assert diagnostics_of(text, portable=False) == []


def test_hints_are_silenced_and_chosen_as_others_are(tmp_path: Path) -> None:
    (tmp_path / "a.ax").write_text('// boruna: allow P001\nfn main() -> String {\n    "a\\n"\n}\n')
    (tmp_path / "b.ax").write_text('fn main() -> String {\n    "a\\n"\n}\n')

    def codes(*arguments: str) -> list[str]:
        answer = json.loads(run("check", "--json", *arguments, cwd=tmp_path).stdout)
        return [one["id"] for one in answer["diagnostics"]]

    assert codes("b.ax") == codes("--portable", "a.ax") == []
    assert codes("--portable", "b.ax") == ["P001"]
    (tmp_path / "boruna.toml").write_text("[check]\nportable = true\n")
    assert codes("b.ax") == ["P001"]
    (tmp_path / "boruna.toml").write_text('[check]\nportable = true\nignore = ["P"]\n')
    assert codes("b.ax") == []
