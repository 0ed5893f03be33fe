"""Results of programs where the reference computes something else (chapter 26 section 2, S1 to S14), worked out by hand."""

from __future__ import annotations

import pytest

from boruna_ls.runtime.forms import display
from boruna_ls.runtime.run import run_module
from tests.support.compiled import module_of


def result(text: str) -> str:
    """The value of a program as programs show it, or the message of its error."""
    outcome = run_module(module_of(text))
    return outcome.error.message if outcome.error else display(outcome.value)


def in_main(body: str, before: str = "") -> str:
    return result(f"{before}\nfn main() -> Int {{ {body} }}")


S1 = [
    (r'"a\n\t\r\"\\z"', '"a\n\t\r"\\z"'),
    (r'match "\n" { "\n" => 1, _ => 2 }', "1"),
    (r'__builtin_string_len("\\n")', "2"),
]
S3 = [
    ("let mut x = 1\n if true { x = 2 }\n x", "2"),
    ("let mut x = 1\n if false { x = 2 }\n x", "1"),
    ("let mut x = 1\n if true { x = 2 } else { 7 }\n x", "2"),
    ("let mut x = 1\n 10 + { if true { x = 2 }\n x }", "12"),
    ("let y = if false { 1 }\n [y, if true { 2 }]", "[(), 2]"),
    ("[{ }, { let z = 1 }, match 1 { 1 => { } }]", "[(), (), ()]"),
    ("if true { let a = 1 }", "()"),
    ("while false { }", "()"),
    ("let mut n = 0\n while n < 3 { if n == 1 { n = n + 2 } else { n = n + 1\n 9 } }\n n", "3"),
    ("let mut n = 0\n match true { true => { n = 5 }, false => { } }\n n", "5"),
    ("let a = spawn worker\n send a 1\n 3", "3"),
    ("let a = spawn worker\n [send a 1, 2]", "[(), 2]"),
    ("5 + quiet(1)", "type error: expected numeric, got Unit"),
    ("[1, quiet(0), 2]", "[1, (), 2]"),
    ("if true { if false { 1 } } else { 2 }", "()"),
    ("let mut t = 0\n for i in [1, 2, 3] { if i == 2 { t = t + 10 } else { t = t + i } }\n t", "14"),
]
S4 = [
    ("for i in [1, 2] { i }\n 7", "7"),
    ("for i in [1, 2] { i }", "()"),
    ("1 + { for i in [1, 2] { i }\n 4 }", "5"),
    ("pick(true) * 10 + pick(false)", "12"),
    ("arm(1) * 100 + arm(2) * 10 + arm(3)", "563"),
]
S5 = [
    ("[both(true, true), both(true, false), both(false, true)]", "[3, 2, 1]"),
    ('match "b" { "a" => 1, x => 2, "b" => 3 }', "2"),
    ('match "b" { "a" => 1, _ => 2, _ => 3 }', "2"),
    ('match "b" { "a" => 1 }', "no match found for value"),
    ("match true { false => 1 }", "no match found for value"),
    ('[match "q" { "a" => 1, x => x ++ "!" }]', '["q!"]'),
    ("match 3 { }", "no match found for value"),
]
S6 = [
    ("match 2 { 1 => 10, 2 => 20, _ => 30 }", "20"),
    ("match 4294967297 { 1 => 10, _ => 30 }", "30"),
    ("match 4294967295 { 4294967295 => 1, _ => 2 }", "1"),
    ("match 1 { 4294967295 => 1, n => n + 1 }", "2"),
    ("match E::B { 1 => 10, _ => 30 }", "30"),
    ("match E::B(1) { true => 10, B(n) => n, _ => 30 }", "1"),
    ("match true { A(n) => 10, B(n) => 20, b => b }", "true"),
    ("match E::A(3) { A(9) => 1, A(3) => 2, A(n) => n }", "2"),
    ("match E::A(4) { A(9) => 1, A(3) => 2, A(n) => n }", "4"),
    ("match E::A(Some(Ok(7))) { A(None) => 1, A(Some(Err(n))) => 2, A(Some(Ok(n))) => n }", "7"),
    ("match E::A(true) { A(false) => 1, A(true) => 2 }", "2"),
    ("match E::A(1) { A(true) => 1, A(_) => 2 }", "2"),
    ('match Some("x") { Some("y") => 1, Some("x") => 2, _ => 3 }', "2"),
    ("match Ok(Some(5)) { Ok(None) => 1, Ok(Some(n)) => n, _ => 3 }", "5"),
    ("match E::A(E::B(3)) { A(A(n)) => 1, A(B(3)) => 2 }", "2"),
    ("match E::A(E::B(4)) { A(A(n)) => 1, A(B(3)) => 2 }", "no match found for value"),
    ("match E::A(3) { whole => whole }", "Enum#0::0(3)"),
    ("match Some(3) { None => None, whole => whole }", "Some(3)"),
    ('match "t" { "u" => 1, Some(k) => k, whole => whole }', '"t"'),
    ('match Some(4) { "u" => 1, Some(k) => k, _ => 0 }', "4"),
    ('match None { "u" => 1, None => 2, _ => 0 }', "2"),
    ("match { } { 1 => 1, _ => 2 }", "2"),
    ("match 1.0 { 1 => 1, _ => 2 }", "2"),
    ("match [1] { true => 1, A(x) => 2, l => l }", "[1]"),
    ("match R { v: 3 } { true => 1, A(x) => 2, r => r.v }", "3"),
]
S7 = [
    ("match Some(5) { Some(v) => v, None => 0 }", "5"),
    ("match Err(1) { Ok(v) => v, Err(e) => e + 1 }", "2"),
    ('[Some(1) == __builtin_list_head([1]), Ok(2) == try_parse_int("2"), Some(1) == Ok(1)]', "[true, true, false]"),
    ('[Some(1), Ok(None), Err("e")]', '[Some(1), Ok(None), Err("e")]'),
    ("if Err(1) { 1 } else { 2 }", "2"),
    ("match Some(1) { B(x) => 1, _ => 2 }", "2"),
]
S8 = [
    ("P { y: 2, x: 1 }", "Record#2{1, 2}"),
    ("P { y: 2 }.x", "()"),
    ("P { x: 1, x: 3, y: 2 }", "Record#2{3, 2}"),
    ("P { x: 1, w: 9, y: 2 }", "Record#2{1, 2}"),
    ("P { w: emit 9, x: 1, y: 2 }", "Record#2{1, 2}"),
    ("let p = P { x: 1, y: 2 }\n P { ..p, y: p.x + 10 }", "Record#2{1, 11}"),
    ("let p = P { x: 1, y: 2 }\n P { ..p, y: 5, x: 6 }", "Record#2{6, 5}"),
    ("let p = P { x: 1, y: 2 }\n P { ..p, y: 5, y: 6 }", "Record#2{1, 6}"),
    ("let q = Q { y: 1, z: 2 }\n [q.y, P { x: 3, y: 4 }.y]", "[1, 4]"),
    ("P { ..Q { y: 1, z: 2 }, x: 5 }", "Record#2{5, 1}"),
    ("P { ..Q { y: 1, z: 2 }, y: 5 }", "no field 'x' on Q"),
    ("P { x: 1, y: 2 }.z", "no field 'z' on P"),
    ("P { x: 1, y: 2 }.nothing", "no field 'nothing' on P"),
    ("R { v: 1 }.y", "no field 'y' on R"),
    ("let n = 5\n n.y", "type error: expected Record, got Int"),
    ("let n = 5\n n.z", "type error: expected Record, got Int"),
    ("let u = Unknown { b: 1, a: 2 }\n [u.a, u.b]", "[2, 1]"),
]
S9 = [
    (
        "[match A1::Yes { No => 1, Yes => 2 }, match B1::Yes { No => 1, Yes => 2 }, match B1::No { Yes => 1, No => 2 }]",
        "[2, 2, 2]",
    ),
    ("match A1::Yes { Maybe => 1, Nowhere => 2, _ => 3 }", "3"),
    ("match A1::Yes { Nowhere => 2 }", "no match found for value"),
]
S10 = [
    ("let v = 1\n if true { let v = 2 }\n v", "1"),
    ("let v = 1\n for v in [5, 6] { let v = v + 1 }\n v", "1"),
    ("let v = 1\n match Some(9) { Some(v) => v, None => 0 } * 10 + v", "91"),
    ("let v = 1\n let v = v + 1\n { let v = v * 10\n v } + v", "22"),
    ("let mut v = 1\n { v = 5 }\n v", "5"),
]
S11 = [
    ("let f = double\n apply(double, 4)", "8"),
    ("let double = triple\n double(4)", "12"),
    ("list_len([1, 2])", "99"),
]
S13 = [
    ("small(9)", '"postcondition 1 failed in `small`" [counterexample: (9)]'),
    ("small(2)", "2"),
    ("small(-1)", "1"),
    ("nothing(1)", "()"),
    ("1 + { small(2) }", "3"),
    ("shadow(3)", "6"),
]
DECLARATIONS = """
enum E { A(Int), B(Int) }
type Q { y: Int, z: Int }
type P { x: Int, y: Int }
type R { v: Int }
enum A1 { Yes, No, Maybe }
enum B1 { No, Yes }
fn worker() -> Int { receive }
fn quiet(n: Int) { let m = n }
fn pick(c: Bool) -> Int { if c { 1 } else { return 2 } }
fn arm(n: Int) -> Int { match n { 1 => 5, 2 => { return 6 }, _ => 3 } }
fn both(a: Bool, b: Bool) -> Int { match a { true => match b { true => 3, false => 2 }, false => 1 } }
fn double(n: Int) -> Int { n * 2 }
fn triple(n: Int) -> Int { n * 3 }
fn apply(double: Fn(Int) -> Int, n: Int) -> Int { double(n) }
fn small(n: Int) -> Int ensures result < 5 ensures result > 0 { if n > 3 { return n }
 if n < 0 { return 0 - n }
 n }
fn nothing(n: Int) ensures n > 0 { let m = n }
fn shadow(result: Int) -> Int ensures result == 6 { result * 2 }
"""
"""The record types stand behind one enum, so their ids are 1, 2 and 3."""


@pytest.mark.parametrize("body, expected", [*S1, *S3, *S4, *S5, *S6, *S7, *S8, *S9, *S10, *S13])
def test_results(body: str, expected: str) -> None:
    assert in_main(body, DECLARATIONS) == expected


@pytest.mark.parametrize("body, expected", S11)
def test_the_nearest_definition_wins(body: str, expected: str) -> None:
    assert in_main(body, DECLARATIONS + "fn list_len(xs: List<Int>) -> Int { 99 }") == expected


def test_the_last_definition_wins() -> None:
    text = "fn f() -> Int { 1 }\nfn main() -> Int { f() }\nfn f() -> Int { 2 }\nfn main() -> Int { f() + 10 }"
    assert result(text) == "12"
    types = "type T { a: Int, b: Int }\ntype T { b: Int, a: Int }\nfn main() -> Int { T { a: 1, b: 2 }.b }"
    assert result(types) == "2"


def test_evaluation_goes_in_source_order() -> None:
    outcome = run_module(
        module_of("type P { x: Int, y: Int }\nfn main() -> P { P { y: emit 1, q: emit 2, x: emit 3, y: emit 4 } }")
    )
    assert outcome.ui_output == (1, 2, 3, 4)
    assert display(outcome.value) == "Record#0{3, 4}"


def test_a_loop_does_not_fill_the_stack() -> None:
    body = "let mut n = 0\n for i in make(5000) { n = n + 1\n n }\n n"
    loop = "let mut xs = []\n let mut i = 0\n while i < n { xs = list_push(xs, i)\n i = i + 1 }\n xs"
    make = f"fn make(n: Int) -> List<Int> {{ {loop} }}"
    assert in_main(body, make) == "5000"
