"""The steps of a call: those of a run, where every run takes the same number."""

from __future__ import annotations

import random

import pytest

from analysis.ide.step_cost import constant_steps
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.run import run_module
from tests.ide.refactorings import texts
from tests.support.both_ways import World
from tests.support.compiled import compiled
from tests.support.marked import MAIN, opened

TWICE = "fn twice(n: Int) -> Int { n * 2 }\n"


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("fn f(n: Int) -> Int { n }", 3),
        (f"{TWICE}fn f(n: Int) -> Int {{ twice(twice(n)) }}", 13),
        ("fn f(b: Bool) -> Int { if b { 1 } else { 2 } }", None),
        ("fn f(n: Int) -> Int { while n > 1 { } n }", None),
        ("fn f(n: Int) -> Int { f(n) }", None),
        ("fn f(g: Fn(Int) -> Int) -> Int { g(1) }", None),
        ("fn f(n: Int) -> Int { missing(n) }", None),
        ("fn f(n: Int) -> Int { n + }", None),
    ],
)
def test_steps_of_a_call(text: str, steps: int | None) -> None:
    assert constant_steps(opened(text), MAIN, "f") == steps


def test_a_deep_chain_of_calls_has_no_number() -> None:
    chain = [f"fn f{number}(n: Int) -> Int {{ f{number + 1}(n) }}\n" for number in range(500)]
    db = opened("".join([*chain, "fn f500(n: Int) -> Int { n }\n"]))
    assert constant_steps(db, MAIN, "f0") is None
    assert constant_steps(db, MAIN, "f480") == 3 + 20 * 3


def test_runs_take_that_many_steps(seed: int) -> None:
    """Of the corpus: what is said of `main` is what a run counts."""
    seen = 0
    for name in random.Random(seed).sample(sorted(texts()), 200):
        module = compiled(texts()[name]).module
        steps = constant_steps(opened(texts()[name]), MAIN, "main")
        if module is None or steps is None:
            continue
        world = World()
        run = run_module(module, Options(gateway=world, log=world, max_steps=10_000, debug=lambda text: None))
        if run.error is None:
            seen += 1
            assert run.steps == steps, name
    assert seen > 10
