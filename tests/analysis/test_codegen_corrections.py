"""Code that replaces the reference's where that would compute a wrong result (chapter 26 section 2).

The results of these programs are tested with the virtual machine; here it is the code itself: balanced, by name, by own type.
"""

from __future__ import annotations

import pytest

from analysis.bytecode.module import Arm
from tests.support.compiled import compiled, errors_of, function_of, listing, module_of, ops_in, unbalanced

BALANCED = [
    "let x = if c { 1 }",
    "if c { x = 1 }",
    "if c { x = 1 } else { 0 }",
    "if c { return 1 }",
    "if c { 1 } else { return 2 }",
    "let y = { }",
    "let y = { x = 2 }",
    "let y = match x { 1 => { x = 2 }, _ => 3 }",
    "match c { true => { x = 1 }, false => { } }",
    "match c { true => { return 1 }, false => 2 }",
    "while c { if c { x = 1 } }",
    "while c { if c { 1 } }",
    "for v in [1] { if c { x = 1 } else { 2 } }",
    "for v in [1] { match v { 1 => 2 } }",
    "for v in [1] { if c { return v } else { return 2 } }",
    "send (spawn f) 1",
    "let y = [send (spawn f) 1, 2]",
    "if c { if c { 1 } else { x = 1 } } else { while c { } }",
    "return if c { 1 }",
    'match "a" { "b" => 1 }',
    'match "a" { "b" => 1, x => 2, "c" => { x = 1 } }',
    'match "a" { Some("b") => 1, Ok(None) => { }, "c" => 2 }',
]


@pytest.mark.parametrize("statement", BALANCED)
@pytest.mark.parametrize("follow", ["", "\n x"], ids=["last", "not last"])
@pytest.mark.parametrize("clause", ["", " ensures true"], ids=["", "ensures"])
def test_every_statement_leaves_the_stack_as_it_found_it(statement: str, follow: str, clause: str) -> None:
    text = f"fn f() -> Int {{ 1 }}\nfn main(c: Bool) -> Int{clause} {{ let mut x = 0\n {statement}{follow} }}"
    for function in module_of(text).functions:
        assert unbalanced(function) is None


def test_a_return_may_stand_among_operands() -> None:
    text = "fn main(c: Bool) -> Int { 1 + { if c { return 2 }\n 3 } }"
    assert unbalanced(module_of(text).functions[0]) is None


def test_a_function_without_a_value_returns_unit() -> None:
    assert listing(module_of("fn main() { let x = 1 }").functions[0]) == ops_in("PushConst(0) StoreLocal(0) PushConst(1) Ret")
    assert module_of("fn main() { let x = 1 }").constants[1] == ("Unit",)


def test_blocks_are_scopes() -> None:
    text = "fn main(a: Int) -> Int { let v = 1\n if true { let v = 2\n v } else { let a = 3\n a }\n v + a }"
    code = listing(module_of(text).functions[0])
    assert code[-4:] == ["LoadLocal(1)", "LoadLocal(0)", "Add", "Ret"]


def test_the_nearest_definition_is_called() -> None:
    text = "fn f(n: Int) -> Int { n }\nfn list_len(x: Int) -> Int { 9 }\nfn main(f: Int) -> Int { f(1) + list_len(2) }"
    main = function_of(module_of(text), "main")
    assert listing(main) == ops_in("PushConst(1) LoadLocal(0) CallIndirect(1) PushConst(2) Call(1, 1) Add Ret")


def test_the_last_of_several_definitions_counts() -> None:
    module = module_of("fn f() -> Int { 1 }\nfn main() -> Int { f() }\nfn f() -> Int { 2 }\nfn main() -> Int { f() + 1 }")
    assert module.entry == 3
    assert listing(module.functions[3]) == ops_in("Call(2, 0) PushConst(2) Add Ret")


def test_record_literals_go_by_names() -> None:
    head = "type P { x: Int, y: Int, z: Int }\n"
    swapped = module_of(head + "fn main() -> P { P { z: 3, x: 1, y: 2 } }").functions[0]
    assert listing(swapped) == ops_in(
        "PushConst(0) StoreLocal(0) PushConst(1) StoreLocal(1) PushConst(2) StoreLocal(2) "
        "LoadLocal(1) LoadLocal(2) LoadLocal(0) MakeRecord(0, 3) Ret"
    )
    odd = module_of(head + "fn main() -> P { P { y: 1, w: 9, y: 2 } }")
    assert listing(odd.functions[0])[-5:] == ["PushConst(3)", "LoadLocal(2)", "PushConst(4)", "MakeRecord(0, 3)", "Ret"]
    assert odd.constants[3:] == (("Unit",), ("Unit",))
    unknown = module_of(head + "fn main() -> Int { Q { b: 1, a: 2 }.b }")
    assert listing(unknown.functions[0])[4:] == ops_in("LoadLocal(0) LoadLocal(1) MakeAnonymous(2, 2) GetField(0) Ret")
    assert unknown.constants[2] == ("String", "b,a")


def test_fields_at_several_positions_are_taken_by_name() -> None:
    text = "type A { x: Int, y: Int }\ntype B { y: Int }\nfn main(a: A, b: B) -> Int { a.y + a.x + b.nothing }"
    module = module_of(text)
    assert listing(module.functions[0]) == ops_in(
        "LoadLocal(0) GetNamed(0) LoadLocal(0) GetField(0) Add LoadLocal(1) GetField(0) Add Ret"
    )
    assert module.constants == (("String", "y"),)
    assert module.functions[0].field_names == ((3, "x"), (6, "nothing"))


def test_patterns_know_their_own_enum() -> None:
    text = """
enum A { X, Y(Int) }
enum B { Y(Int), Z, X }
fn f(v: A) -> Int { match v { Y(n) => n, X => 1, true => 2, Nowhere => 3, _ => 4 } }
"""
    table = module_of(text).functions[0].match_tables[0]
    assert table == (
        Arm(1, 2, (0,)),
        Arm(0, 2, (1,)),
        Arm(0, 5, (0,)),
        Arm(2, 5, (1,)),
        Arm(1, 8, ()),
        Arm(-1, 14, ()),
    )


def test_payloads_are_tested_at_every_depth() -> None:
    text = "enum E { A(Option<Int>), B }\nfn f(v: E) -> Int { match v { A(Some(3)) => 1, A(x) => 2, B => 3 } }"
    function = module_of(text).functions[0]
    assert listing(function) == ops_in("""
0000: LoadLocal(0)    0001: StoreLocal(1)
0002: LoadLocal(1)    0003: Match(0)         0004: Match(1)    0005: PushConst(0)    0006: Eq    0007: JmpIfNot(11)
0008: PushConst(1)    0009: Jmp(25)          0010: Pop
0011: LoadLocal(1)    0012: Match(2)         0013: StoreLocal(2)    0014: PushConst(2)    0015: Jmp(25)    0016: Pop
0017: LoadLocal(1)    0018: Match(3)         0019: Pop    0020: PushConst(3)    0021: Jmp(25)    0022: Pop
0023: LoadLocal(1)    0024: Match(4)         0025: Ret""")
    assert [[arm.target for arm in table] for table in function.match_tables[:2]] == [[4, 10], [5, 10]]
    assert function.match_tables[-1] == ()


def test_every_exit_is_checked() -> None:
    text = "fn f(n: Int) -> Int ensures result > 0 { if n > 3 { return n }\n let result = 7\n return 1 }"
    function = module_of(text).functions[0]
    assert listing(function) == ops_in(
        "LoadLocal(0) PushConst(0) Gt JmpIfNot(6) LoadLocal(0) Jmp(9) PushConst(1) StoreLocal(1) PushConst(2) StoreLocal(2) "
        "LoadLocal(2) PushConst(3) Gt Assert { msg: 4, kind: Ensures, index: 0 } LoadLocal(2) Ret"
    )


def test_escapes_are_decoded_and_the_intent_is_not() -> None:
    module = module_of('fn main() -> String intent "a\\nb" { match "\\t" { "\\"" => "\\\\", _ => "é\\r" } }')
    assert [constant for constant in module.constants if constant[0] == "String"] == [
        ("String", "\t"),
        ("String", '"'),
        ("String", "\\"),
        ("String", "é\r"),
    ]
    assert module.functions[0].intent == "a\\nb"


@pytest.mark.parametrize(
    "text, errors",
    [
        ("fn main() -> Int { g(nmae, f(1, 2)) }\nfn f() -> Int { 1 }", ["undefined variable: g"]),
        ("fn main() -> Int { f(nmae) }\nfn f() -> Int { 1 }", ["undefined variable: nmae"]),
        ("fn main() -> Int { let k = list_len\n x }", ["undefined variable: x"]),
        ("fn main() -> Int { E::A(x) }", ["undefined variable: x"]),
        ("fn main() -> Int { E::A(list_len) }", ["unknown enum: E"]),
        ("fn main() -> Int { 1 }\nfn g() -> Int requires nope > 1 { 1 }", ["undefined: nope"]),
        ("fn main() -> Int { f = 1\n 1 }\nfn f() -> Int { 1 }", ["undefined variable: f"]),
        ("fn main() -> Int { spawn 3 }", ["spawn requires a function name"]),
        ("fn main() -> Int { spawn list_len }", ["unknown function: list_len"]),
    ],
)
def test_the_first_error_is_the_references(text: str, errors: list[str]) -> None:
    assert [message.partition("\n")[0] for _, message in errors_of(text)][: len(errors)] == errors


def test_all_errors_are_given_each_once() -> None:
    text = "fn main() -> Int { list_len + one + two }\nfn g() -> Int { E::A }\nfn h() -> Int { [ }"
    found = compiled(text).errors
    assert found[0].code == "E002"
    assert len(found) == len({(error.start, error.message) for error in found})
    assert {error.code for error in found} == {"E002", "E008", "E009"}


def test_code_behind_a_return_is_left_as_it_is() -> None:
    text = "fn main(c: Bool) -> Int { if c { return 1\n 2 }\n return 3\n let x = 4 }"
    assert listing(module_of(text).functions[0]) == ops_in(
        "LoadLocal(0) JmpIfNot(5) PushConst(0) Ret PushConst(1) PushConst(2) Ret PushConst(3) StoreLocal(1) Ret"
    )


def test_contracts_see_the_variables_of_the_exit() -> None:
    text = "fn main(a: Int) -> Int ensures a > 0 { if a > 1 { return a }\n let a = a - 1\n a }"
    function = module_of(text).functions[0]
    assert listing(function)[-3:] == ["LoadLocal(0)", "StoreLocal(1)", "Jmp(11)"]
    assert unbalanced(function) is None
