"""Translated code: the same as the interpreter on everything, in the form that was meant, and never refused by CPython."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from analysis.bytecode.module import FunctionCode, Module
from analysis.data_classes import replace
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.run import run_module
from boruna_ls.runtime.translator.execution import Translation
from tests.fuzz.vm import examine
from tests.support.both_ways import difference, refused
from tests.support.compiled import module_of
from tests.support.corpus import BENCH

CASES = 150


def test_random_programs_and_modules(seed: int) -> None:
    problems = [problem for number in range(CASES) if (problem := examine(seed, number))]
    assert not problems, "\n".join(problems)


def translated(text: str, is_open: bool = False) -> Translation:
    module = module_of(text)
    return Translation(Program.of(module), module.entry, is_open, logged=False)


def both(text: str, max_steps: int = 10_000_000) -> tuple[Any, ...]:
    """Common result of both ways: value or message, and steps."""
    module = module_of(text)
    ways = []
    for options in (Options(max_steps=max_steps, translate=False), Options(max_steps=max_steps, rehearsal_steps=0)):
        outcome = run_module(module, options)
        shown = outcome.error.message if outcome.error else display(outcome.value)
        ways.append((shown, outcome.steps, outcome.error and outcome.error.call_stack))
    assert ways[0] == ways[1]
    assert not refused(module)
    return ways[0]


def nested(levels: int, opening: str, inside: str, closing: str) -> str:
    return opening * levels + inside + closing * levels


@pytest.mark.parametrize("levels", [5, 14, 15, 20, 21, 40])
def test_loops_in_loops(levels: int) -> None:
    names = [f"i{level}" for level in range(levels)]
    opening = "".join(f"let mut {name} = 0\n while {name} < 1 {{ {name} = {name} + 1\n n = n + 1\n " for name in names)
    assert both(f"fn main() -> Int {{ let mut n = 0\n {opening} {'}' * levels}\n n }}")[0] == str(levels)


@pytest.mark.parametrize("levels", [30, 76, 98, 120, 300])
def test_branches_in_branches(levels: int) -> None:
    inside = nested(levels, "if n > 0 { n = n - 1\n ", "7", " } else { n }")
    assert both(f"fn main() -> Int {{ let mut n = {levels}\n {inside} }}")[0] == "7"


@pytest.mark.parametrize("kind", ["n", "s"])
def test_many_arms(kind: str) -> None:
    """They stand below one another, not inside one another, and none of them is found by dispatching."""
    literals = [str(number) if kind == "n" else f'"k{number}"' for number in range(300)]
    arms = ", ".join(f"{literal} => {number * 2}" for number, literal in enumerate(literals))
    value = "i" if kind == "n" else '("k" ++ __builtin_int_to_string(i))'
    loop = f"let mut i = 0\n let mut acc = 0\n while i < 350 {{ acc = acc + f({value})\n i = i + 1 }}\n acc"
    text = f"fn f(x: Int) -> Int {{ let r = match x {{ {arms}, _ => 1 }}\n r }}\nfn main() -> Int {{ {loop} }}"
    assert both(text)[0] == str(sum(number * 2 for number in range(300)) + 50)
    assert "b = " not in translated(text).source


@pytest.mark.parametrize("levels", [50, 200, 400])
def test_operators_in_operators(levels: int) -> None:
    for text in (nested(levels, "(1 + ", "n", ")"), nested(levels, "(n + 1 - ", "n", ")"), "n" + " + 1" * levels):
        both(f"fn f(n: Int) -> Int {{ {text} }}\nfn main() -> Int {{ f(3) }}")
    both(f"fn f(n: Int) -> Bool {{ {nested(levels, '!(', 'n > 1', ')')} }}\nfn main() -> Bool {{ f(3) }}")
    both(f'fn f(s: String) -> String {{ "a" {"++ s" * levels} }}\nfn main() -> String {{ f("b") }}')


def test_a_function_of_many_instructions() -> None:
    lines = "\n".join(f"  x = x + {number}\n  if x > {number * 3} {{ x = x - 1 }}" for number in range(600))
    both(f"fn main() -> Int {{\n  let mut x = 0\n{lines}\n  x\n}}")


def test_many_functions_in_a_chain() -> None:
    functions = "\n".join(f"fn f{number}(n: Int) -> Int {{ f{number + 1}(n + 1) }}" for number in range(300))
    assert both(f"{functions}\nfn f300(n: Int) -> Int {{ n }}\nfn main() -> Int {{ f0(0) }}")[0] == "stack overflow (max 256)"
    assert both(f"{functions}\nfn f300(n: Int) -> Int {{ n }}\nfn main() -> Int {{ f100(0) }}")[0] == "200"


@pytest.mark.parametrize("program", sorted((BENCH / "vm").glob("*.ax")), ids=lambda file: file.stem)
def test_bench_programs_cut_short(program: Any) -> None:
    for limit in (0, 1, 999, 54_321):
        both(program.read_text(), limit)


def test_a_loop_of_even_rounds_counts_the_budget_down() -> None:
    source = translated((BENCH / "vm" / "int_loop.ax").read_text()).source
    assert "for left in range(left - 17, -1, -17):" in source
    assert "type(" not in source, "what is known needs no test"
    assert source.count("9223372036854775807") == 1, "only the sum can leave 64 bits"


def test_what_is_known_needs_no_test() -> None:
    for name in ("fib_rec", "record_update", "match_heavy", "list_sum", "sieve"):
        source = translated((BENCH / "vm" / f"{name}.ax").read_text()).source
        assert "type(" not in source, name
        assert " b_" not in source, name


def test_texts_grow_in_place() -> None:
    source = translated((BENCH / "vm" / "string_build.ax").read_text()).source
    assert "l0 = l0 + (str((l1 % 10)) + ',')" in source


def test_an_open_world_tests_what_it_gets() -> None:
    text = "type P { a: Int }\nfn main(p: P) -> Int { p.a + 1 }"
    assert "named_field" in translated(text, is_open=True).source or "field(" in translated(text, is_open=True).source


def test_flow_that_no_compiler_writes() -> None:
    """A jump into the middle of a loop from before it: no structure, so a loop over the blocks."""
    code = (
        ("LoadLocal", 0), ("JmpIf", 6),
        ("LoadLocal", 1), ("PushConst", 1), ("Add",), ("StoreLocal", 1),
        ("LoadLocal", 1), ("PushConst", 2), ("Lt",), ("JmpIf", 2), ("LoadLocal", 1), ("Ret",),
    )  # fmt: skip
    for flag in (True, False):
        main = FunctionCode("main", 0, 0, (("PushConst", 3), ("PushConst", 0), ("Call", 1, 2), ("Ret",)))
        module = Module(
            "m", 1, (("Int", 0), ("Int", 1), ("Int", 9), ("Bool", flag)), (), (), (main, FunctionCode("f", 2, 2, code)), 0
        )
        made = Translation(Program.of(module), 0, False, False)
        assert "b = " in made.source
        assert run_module(module, Options(rehearsal_steps=0)).value == 9
        assert difference(module, Random(1)) is None


def test_a_host_that_has_hardly_a_frame_left() -> None:
    """Python's own limit must not show in what a program does."""
    module = module_of("fn f(n: Int) -> Int { if n == 0 { 0 } else { emit n\n 1 + f(n - 1) } }\nfn main() -> Int { f(200) }")
    expected = run_module(module, Options(translate=False))

    def deep(levels: int) -> None:
        if levels:
            deep(levels - 1)
            return
        outcome = run_module(module, Options(rehearsal_steps=0))
        assert (outcome.value, outcome.steps, outcome.ui_output) == (200, expected.steps, expected.ui_output)

    for levels in (0, 500, 600, 700, 800):
        deep(levels)


def test_a_loop_without_a_head_that_counts() -> None:
    """Facts about a number in a loop with two entries must reach a fixed point, too."""
    code = (
        ("LoadLocal", 0), ("JmpIf", 6),
        ("LoadLocal", 1), ("PushConst", 1), ("Add",), ("StoreLocal", 1),
        ("LoadLocal", 1), ("PushConst", 1), ("Add",), ("StoreLocal", 1), ("Jmp", 2),
    )  # fmt: skip
    main = FunctionCode("main", 0, 0, (("PushConst", 2), ("PushConst", 0), ("Call", 1, 2), ("Ret",)))
    module = Module("m", 1, (("Int", 0), ("Int", 1), ("Bool", True)), (), (), (main, FunctionCode("f", 2, 2, code)), 0)
    assert difference(module, Random(1), most=3000) is None
    assert Translation(Program.of(module), 0, False, False).make is not None


@pytest.mark.parametrize("name", ["a\0b", "\ud800", 'x"\n>'])
def test_a_module_may_have_any_name(name: str) -> None:
    named = replace(module_of("fn main() -> Int { 9 }"), name=name)
    assert run_module(named, Options(rehearsal_steps=0)).value == 9
