"""A name means the same to the resolver that editors read and to the generator: renaming a local changes no result."""

from __future__ import annotations

from collections import defaultdict

import pytest

from analysis.ide.completion import completions
from analysis.ide.type_facts import locals_at
from analysis.inputs import source
from analysis.semantics.occurrences import GLOBAL, Space
from analysis.semantics.scopes import resolved
from boruna_ls.workspace import Host
from tests.repair.dialects import result_of

_FN = "fn h(n: Int) -> Int { n + 2 }\n"
PROGRAMS = {
    "let in a branch": (
        "fn f(c: Bool) -> Int { let x = 1 let mut y = x if c { let x = 10 y = y + x } else { y = y + x } y * 100 + x }\n"
        "fn main() -> List<Int> { [f(true), f(false)] }",
        [1101, 201],
    ),
    "let of a parameter's name": ("fn f(x: Int) -> Int { let x = x + 1 let x = x * 2 x }\nfn main() -> Int { f(3) }", 8),
    "lets in a loop": (
        "fn main() -> Int { let mut i = 0 let mut s = 0 while i < 3 { let s2 = s let s = 100 i = i + 1"
        " if s > 50 { let i = 7 if i == 7 { } } } s + i }",
        3,
    ),
    "loop variable": (
        "fn main() -> Int { let x = 5 let mut t = 0 for x in [1, 2] { t = t + x let x = x * 10 t = t + x } t * 10 + x }",
        335,
    ),
    "loop variable named like its list": (
        "fn main() -> Int { let xs = [1, 2] let mut t = 0 for xs in xs { t = t + xs } t + list_len(xs) }",
        5,
    ),
    "payload of an arm": (
        "enum E { A(Int), B }\nfn f(x: E, y: Int) -> Int { match x { A(y) => match E::B { B => y, _ => 0 }, B => y } }\n"
        "fn main() -> List<Int> { [f(E::A(7), 1), f(E::B, 1)] }",
        [7, 1],
    ),
    "arm that binds the name it matches": (
        "fn f(x: Int) -> Int { match x { 1 => x, x => { let x = x + 1 x } } }\nfn main() -> List<Int> { [f(1), f(5)] }",
        [1, 6],
    ),
    "match in an arm": (
        "fn f(x: Option<Int>) -> Int { match x { Some(x) => x, None => match x { Some(x) => x, None => 9 } } }\n"
        "fn main() -> List<Int> { [f(Some(2)), f(None)] }",
        [2, 9],
    ),
    "parameter that hides a function": (
        f"fn g(n: Int) -> Int {{ n + 1 }}\n{_FN}fn f(g: Fn(Int) -> Int) -> Int {{ let r = g(1) let g = h g(r) }}\n"
        "fn main() -> Int { f(h) }",
        5,
    ),
    "locals that hide builtins": (
        "fn k(n: Int) -> Int { n * 3 }\nfn f(list_len: Fn(Int) -> Int) -> Int { list_len(4) }\n"
        "fn main() -> Int { let parse_int = k f(parse_int) + parse_int(1) }",
        15,
    ),
    "block as a value": ("fn main() -> Int { let x = 1 let y = { let x = 2 x + 1 } x * 10 + y }", 13),
    "assignment to the inner one": ("fn main() -> Int { let mut x = 1 if true { let mut x = 5 x = 6 } x }", 1),
    "assignment to the outer one": ("fn main() -> Int { let mut x = 1 if true { x = 5 let x = 9 } x }", 5),
    "let of a local's name in a contract": (
        "fn f(x: Int) -> Int requires x > 0 { let x = 0 - x x }\nfn main() -> Int { f(3) }",
        -3,
    ),
    "let whose value has a block": ("fn main() -> Int { let x = 1 let x = if x == 1 { let x = 20 x } else { x } x }", 20),
    "argument with a block": (
        "fn f(a: Int, b: Int) -> Int { a - b }\nfn main() -> Int { let a = 9 let b = 4 f({ let a = 1 a }, a) + b }",
        -4,
    ),
    "field of the same name": (
        "type P { x: Int }\nfn main() -> Int { let x = P { x: 3 } let y = P { ..x, x: x.x + 1 } y.x + x.x }",
        7,
    ),
    "condition with a block": ("fn main() -> Int { let x = 3 if { let x = 1 x } == 1 { x } else { 0 } }", 3),
    "condition of a loop with a block": (
        "fn main() -> Int { let mut n = 3 let mut c = 0 while { let n = n - 1 n > 0 } { n = n - 1 c = c + 1 } c * 10 + n }",
        21,
    ),
    "early return": ("fn f(x: Int) -> Int { if x > 0 { let x = 0 - x return x } x }\nfn main() -> Int { f(4) }", -4),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_renaming_a_local_changes_nothing(name: str) -> None:
    program, result = PROGRAMS[name]
    assert result_of(program) == result
    host = Host()
    text = source(host.db, host.inline(program))
    renamed = 0
    for number, chunk in enumerate(text.chunks):
        places: defaultdict[int, set[int]] = defaultdict(set)
        names: dict[int, str] = {}
        for one in resolved(host.db, chunk.text).occurrences:
            if one.space is Space.VALUE and one.local != GLOBAL:
                places[one.local] |= {one.local, one.start}
                names[one.local] = one.name
        for local, starts in places.items():
            changed = chunk.text
            for start in sorted(starts, reverse=True):
                changed = f"{changed[:start]}other_name{changed[start + len(names[local]) :]}"
            whole = "".join(changed if index == number else other.text for index, other in enumerate(text.chunks))
            assert result_of(whole) == result, whole
            renamed += 1
    assert renamed > 0


HIDDEN = """fn f(x: Int, c: Bool) -> Int ensures y > 0 {
    let y = x
    if c {
        let x = "a"
        let z = x
    }
    for x in [1.5] {
        let w = x
    }
    y
}
"""


def test_a_local_is_seen_with_the_type_of_the_declaration_that_counts_there() -> None:
    host = Host()
    file = host.inline(HIDDEN)
    end, inner, loop = HIDDEN.rindex("y"), HIDDEN.index("let z") + 4, HIDDEN.index("let w") + 4
    assert {one.name: one.type for one in locals_at(host.db, file, end)} == {"x": "Int", "c": "Bool", "y": "Int"}
    assert {one.name: one.type for one in locals_at(host.db, file, inner)}["x"] == "String"
    assert {one.name: one.type for one in locals_at(host.db, file, loop)}["x"] == "Float"
    completed = {one.label: one.detail for one in completions(host.db, file, end).candidates}
    assert "Int" in completed["x"]
    assert "w" not in completed
