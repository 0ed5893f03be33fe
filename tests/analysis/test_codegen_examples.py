"""Worked examples of code generation: programs with their constants and listings (chapter 07 section 13)."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from analysis.bytecode.disassembly import constant_text
from tests.support.compiled import function_of, listing, module_of, ops_in


@dataclass
class Example:
    text: str
    constants: str
    functions: dict[str, str]
    shapes: dict[str, tuple[int, int]] = field(default_factory=dict)
    tables: dict[str, list[list[tuple[int, int]]]] = field(default_factory=dict)
    entry: int = 1


EXAMPLES = {
    "locals, if, calls, statement Pop": Example(
        """
fn scale(n: Int, by: Int) -> Int {
  let m = n * by
  if m > 9 { m } else { 0 - m }
}
fn main() -> Int {
  scale(2, 3)
  scale(4, 3)
}
""",
        "9, 0, 2, 3, 4, 3",
        {
            "scale": """
0000: LoadLocal(0)    0001: LoadLocal(1)    0002: Mul    0003: StoreLocal(2)    0004: LoadLocal(2)    0005: PushConst(0)
0006: Gt    0007: JmpIfNot(10)    0008: LoadLocal(2)    0009: Jmp(13)    0010: PushConst(1)    0011: LoadLocal(2)
0012: Sub    0013: Ret""",
            "main": "PushConst(2) PushConst(3) Call(0, 2) Pop PushConst(4) PushConst(5) Call(0, 2) Ret",
        },
        {"scale": (2, 3), "main": (0, 0)},
    ),
    "a while loop drops its tail": Example(
        """
fn main() -> Int {
  let mut n = 0
  while n < 2 {
    n = n + 1
    n * 10
  }
  n
}
""",
        "0, 2, 1, 10",
        {
            "main": """
0000: PushConst(0)    0001: StoreLocal(0)   0002: LoadLocal(0)    0003: PushConst(1)    0004: Lt
0005: JmpIfNot(15)    0006: LoadLocal(0)    0007: PushConst(2)    0008: Add             0009: StoreLocal(0)
0010: LoadLocal(0)    0011: PushConst(3)    0012: Mul             0013: Pop             0014: Jmp(2)
0015: LoadLocal(0)    0016: Ret"""
        },
        {"main": (0, 1)},
        entry=0,
    ),
    "a for loop, its tail dropped": Example(
        "fn main() -> Int { for v in [5, 6] { v }\n 7 }",
        "5, 6, 0, 1, 7",
        {
            "main": """
PushConst(0) PushConst(1) MakeList(2) StoreLocal(0) PushConst(2) StoreLocal(1)
LoadLocal(1) LoadLocal(0) ListLen Lt JmpIfNot(22) LoadLocal(0) LoadLocal(1) ListGet StoreLocal(2)
LoadLocal(2) Pop
LoadLocal(1) PushConst(3) Add StoreLocal(1) Jmp(6)
PushConst(4) Ret"""
        },
        {"main": (0, 3)},
        entry=0,
    ),
    "records and spread": Example(
        """
type Box { w: Int, h: Int, tag: String }
fn grow(b: Box) -> Box { Box { ..b, h: b.h + 1 } }
fn main() -> Int {
  let b = Box { w: 2, h: 3, tag: "t" }
  grow(b).h
}
""",
        '1, 2, 3, "t"',
        {
            "grow": """
LoadLocal(0) StoreLocal(1) LoadLocal(1) GetField(0) LoadLocal(0) GetField(1) PushConst(0) Add LoadLocal(1) GetField(2)
MakeRecord(0, 3) Ret""",
            "main": """
PushConst(1) PushConst(2) PushConst(3) MakeRecord(0, 3) StoreLocal(0) LoadLocal(0) Call(0, 1) GetField(1) Ret""",
        },
        {"grow": (1, 2), "main": (0, 1)},
    ),
    "enum match, table form": Example(
        """
enum Op { Push(Int), Drop, Swap(Int) }
fn weight(o: Op) -> Int {
  match o {
    Push(n) => n
    Drop => 1
    other => 2
  }
}
fn main() -> Int { weight(Op::Push(8)) + weight(Op::Drop) }
""",
        "1, 2, 8, ()",
        {
            "weight": """
LoadLocal(0) Match(0) StoreLocal(1) LoadLocal(1) Jmp(10) Pop PushConst(0) Jmp(10) StoreLocal(2) PushConst(1) Ret""",
            "main": "PushConst(2) MakeEnum(0, 0) Call(0, 1) PushConst(3) MakeEnum(0, 1) Call(0, 1) Add Ret",
        },
        {"weight": (1, 3), "main": (0, 0)},
        {"weight": [[(0, 2), (1, 5), (-1, 8)]]},
    ),
    "string match, chain form": Example(
        """
fn rank(s: String) -> Int {
  match s {
    "ace" => 14
    "ten" => 10
    name => 0
  }
}
fn main() -> Int { rank("ten") }
""",
        '"ace", 14, "ten", 10, 0, "ten"',
        {
            "rank": """
0000: LoadLocal(0)    0001: StoreLocal(1)   0002: LoadLocal(1)    0003: PushConst(0)    0004: Eq    0005: JmpIfNot(8)
0006: PushConst(1)    0007: Jmp(17)         0008: LoadLocal(1)    0009: PushConst(2)    0010: Eq    0011: JmpIfNot(14)
0012: PushConst(3)    0013: Jmp(17)         0014: LoadLocal(1)    0015: StoreLocal(2)   0016: PushConst(4)    0017: Ret"""
        },
        {"rank": (1, 3)},
        {"rank": []},
    ),
    "contracts": Example(
        """
fn split(total: Int, parts: Int) -> Int
  intent "share evenly"
  ensures result * parts <= total
  requires parts > 0
{
  return total / parts
}
fn main() -> Int { split(10, 3) }
""",
        '0, "precondition 1 failed in `split`", "postcondition 1 failed in `split`", 10, 3',
        {
            "split": """
0000: LoadLocal(1)
0001: PushConst(0)
0002: Gt
0003: Assert { msg: 1, kind: Requires, index: 0 }
0004: LoadLocal(0)
0005: LoadLocal(1)
0006: Div
0007: StoreLocal(2)
0008: LoadLocal(2)
0009: LoadLocal(1)
0010: Mul
0011: LoadLocal(0)
0012: Lte
0013: Assert { msg: 2, kind: Ensures, index: 0 }
0014: LoadLocal(2)
0015: Ret"""
        },
        {"split": (2, 3)},
    ),
    "nested table matches, each with its own table": Example(
        """
fn both(a: Bool, b: Bool) -> Int {
  match a {
    true => match b { true => 3, false => 2 }
    false => 1
  }
}
fn main() -> Int { both(true, true) }
""",
        "3, 2, 1, true, true",
        {
            "both": """
LoadLocal(0) Match(0) Pop LoadLocal(1) Match(1) Pop PushConst(0) Jmp(10) Pop PushConst(1) Jmp(13) Pop PushConst(2) Ret"""
        },
        {},
        {"both": [[(1, 2), (0, 11)], [(1, 5), (0, 8)]]},
    ),
    "wrappers, function values, actors, effects": Example(
        """
fn job() -> Int { receive }
fn run(f: Fn(String) -> Option<Int>) -> Option<Int> { f("k") }
fn pull(k: String) -> Option<Int> { Some(list_len(__builtin_string_chars(step_input(k)))) }
fn main() -> Int {
  let r = run(pull)
  let pid = spawn job
  emit [Ok(1), Err("e"), None]
  !(pid == pid) && -1 < 2
  return
}
""",
        '"k", true, Fn#2, 1, "e", None, 1, 2, ()',
        {
            "job": "ReceiveMsg Ret",
            "run": "PushConst(0) LoadLocal(0) CallIndirect(1) Ret",
            "pull": "LoadLocal(0) CapCall(10, 1) StringChars ListLen PushConst(1) Pop MakeEnum(65534, 1) Ret",
            "main": """
PushConst(2) Call(1, 1) StoreLocal(0) SpawnActor(0) StoreLocal(1) PushConst(3) MakeEnum(65533, 0) PushConst(4)
MakeEnum(65533, 1) PushConst(5) MakeList(3) Dup EmitUi Pop LoadLocal(1) LoadLocal(1) Eq Not PushConst(6) Neg PushConst(7)
Lt And Pop PushConst(8) Ret""",
        },
        {"main": (0, 2)},
        entry=3,
    ),
}


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES.keys())
def test_worked_examples(example: Example) -> None:
    module = module_of(example.text)
    assert ", ".join(map(constant_text, module.constants)) == example.constants
    assert module.entry == example.entry
    for name, wanted in example.functions.items():
        assert listing(function_of(module, name)) == ops_in(wanted)
    for name, (arity, slots) in example.shapes.items():
        function = function_of(module, name)
        assert (function.arity, function.locals) == (arity, slots)
    for name, tables in example.tables.items():
        assert [[(arm.tag, arm.target) for arm in table] for table in function_of(module, name).match_tables] == tables


def test_contracts_carry_the_intent() -> None:
    assert function_of(module_of(EXAMPLES["contracts"].text), "split").intent == "share evenly"


def test_builtins_that_need_a_capability_declare_it() -> None:
    module = module_of(EXAMPLES["wrappers, function values, actors, effects"].text)
    assert [function.capabilities for function in module.functions] == [(), (), ("StepInput",), ()]
    text = 'fn main() -> String !{llm, step.input} { llm_call_as(llm_call("a"), "{}") ++ step_input("b") }'
    main = function_of(module_of(text), "main")
    assert main.capabilities == ("LlmCall", "StepInput")
    assert listing(main) == ops_in("PushConst(0) CapCall(7, 1) PushConst(1) CapCall(7, 2) PushConst(2) CapCall(10, 1) Concat Ret")


def test_every_instruction_knows_its_place() -> None:
    text = "// first\nfn f() -> Int { 1 }\n\nfn main() -> Int {\n  f() + 2 / 0\n}\n"
    main = function_of(module_of(text), "main")
    places = [main.place(index) for index in range(len(main.code))]
    spans = [text[place[1] : place[2]] for place in places if place is not None]
    assert spans == ["f()", "2", "0", "2 / 0", "f() + 2 / 0", "}"]
