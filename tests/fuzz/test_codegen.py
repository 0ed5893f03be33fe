"""Compiled programs compute what their text says: compared with an evaluator of syntax trees that knows no bytecode."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from analysis.bytecode.axbc import decode, encode, encode_file
from analysis.bytecode.module import Module
from analysis.codegen.compile import REFUSING
from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.inputs import source
from analysis.text.source import Source
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.gateway import Gateway
from boruna_ls.runtime.mock import Mock
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.policy import ALLOW_ALL
from boruna_ls.runtime.run import RunOutcome, run_module
from tests.fuzz import cases
from tests.fuzz.programs import program
from tests.fuzz.running import fuzz
from tests.fuzz.vm_programs import busy_program
from tests.support.compiled import MAIN, compiled, unbalanced
from tests.support.evaluator import Evaluator


def examine(text: str, _: Random) -> None:
    made = compiled(text)
    if made.module is None:
        # Smaller versions of a failing program need not compile.
        assert made.errors
        return
    assert encode(decode(encode(made.module))) == encode(made.module)
    for function in made.module.functions:
        problem = unbalanced(function)
        # An early return among operands reaches the checks with them below the result, which they cut off.
        assert problem is None or ("at heights" in problem and " ensures " in text), problem
    outcome = _run(made.module)
    shown = outcome.error.message if outcome.error else display(outcome.value)
    wanted, emitted = Evaluator(text).run()
    assert shown == wanted
    loaded = _run(decode(encode_file(made.module)))
    assert (loaded.error.message if loaded.error else display(loaded.value), loaded.steps) == (shown, outcome.steps)
    if outcome.error is None:
        assert list(map(display, outcome.ui_output)) == emitted


def computes(text: str, _: Random) -> None:
    """As `examine`, for programs that run longer."""
    made = compiled(text)
    if made.module is None:
        return
    outcome = _run(made.module, max_steps=20_000)
    if outcome.error is None or outcome.error.kind == "runtime_error":
        wanted, emitted = Evaluator(text).run()
        assert (outcome.error.message if outcome.error else display(outcome.value)) == wanted
        assert outcome.error is not None or list(map(display, outcome.ui_output)) == emitted


def _run(module: Module, **options: Any) -> RunOutcome:
    return run_module(module, Options(gateway=Gateway(ALLOW_ALL, Mock(display)), **options))


@pytest.fixture
def deep_calls() -> Iterator[None]:
    """The evaluator calls itself some times for each call of a program."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    yield
    sys.setrecursionlimit(before)


def agree(text: str, _: Random) -> None:
    made = compiled(text)
    db = Database()
    source.set(db, MAIN, Source.from_text(text))
    refusing = [found for _, found in check_file(db, MAIN).entries if found.code in REFUSING and found.severity == "error"]
    assert (made.module is None) == bool(refusing), (made.errors[:1], refusing[:1])
    if made.module is None:
        assert made.errors
        assert all(0 <= error.start <= error.end <= len(text) for error in made.errors)


def test_a_check_refuses_what_the_compiler_refuses(seed: int) -> None:
    fuzz(seed, "refusals", cases.damaged, agree)


def test_programs_compute_what_they_say(seed: int) -> None:
    fuzz(seed, "programs", program, examine)


def test_longer_programs_compute_what_they_say(seed: int, deep_calls: None) -> None:
    fuzz(seed, "busy", busy_program, computes, slowest=20.0)


def test_busy_programs_compile(seed: int) -> None:
    for number in range(20):
        made = compiled(busy_program(Random(f"{seed}/busy/{number}")))
        assert made.module is not None, made.errors


def test_most_programs_compile_and_many_get_to_their_end(seed: int) -> None:
    ended = 0
    for number in range(100):
        made = compiled(program(Random(f"{seed}/share/{number}")))
        assert made.module is not None, made.errors
        ended += _run(made.module).error is None
    assert ended > 30
