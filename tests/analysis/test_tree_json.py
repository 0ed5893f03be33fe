"""Trees as JSON: numbers as the reference writes them, no recursion, sizes without writing everything."""

from __future__ import annotations

import json
import math

from hypothesis import given
from hypothesis import strategies as st

from analysis.syntax.parser import parse
from analysis.syntax.tree_json import float_text, program_to_json, program_to_pretty
from tests.support import corpus


def test_floats_in_both_notations() -> None:
    written = {
        0.00001: "0.00001",
        0.000001: "1e-6",
        1.0: "1.0",
        1e15: "1000000000000000.0",
        1e16: "1e+16",
        1.5e-7: "1.5e-7",
        1.2345678901234568e20: "1.2345678901234568e+20",
        999999999999999.9: "999999999999999.9",
        0.0: "0.0",
        math.inf: "null",
    }
    assert {number: float_text(number) for number in written} == written


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_keep_their_value(number: float) -> None:
    assert float(float_text(number)) == number
    assert json.loads(float_text(number)) == number


def test_pretty_text_is_the_tree() -> None:
    shown = 0
    for program in corpus.programs("syntax", "diagnostics"):
        tree = parse(program.read_bytes().decode())
        if tree.is_sound:
            text, size = program_to_pretty(tree.items)
            assert json.loads(text) == program_to_json(tree.items)
            assert len(text.encode()) == size
            assert text == json.dumps(json.loads(text), ensure_ascii=False, indent=2) or "e" in text
            shown += 1
    assert shown > 100


@given(st.integers(0, 5000))
def test_cut_text_is_the_beginning_of_the_whole(limit: int) -> None:
    items = parse('fn main() -> String { "äöü🙂" ++ f([1, 2.5], P { a: "é" }) }').items
    whole, size = program_to_pretty(items)
    cut, told = program_to_pretty(items, limit)
    assert told == size
    assert whole.startswith(cut)
    assert len(cut.encode()) <= max(limit, 0)
    assert len(cut.encode()) > min(limit, size) - 4


def test_long_chains_and_deep_nesting_are_measured_without_being_written() -> None:
    chain = parse("fn main() -> Int { " + "1 + " * 20_000 + "1 }").items
    text, size = program_to_pretty(chain, 1000)
    assert len(text) == 1000
    assert size > 10**9
    nested = program_to_json(parse("fn main() -> Int { " + "-" * 900 + "1 }").items)
    depth, value = 0, nested["items"][0]["Function"]["body"]["stmts"][0]["Expr"]
    while "Unary" in value:
        depth, value = depth + 1, value["Unary"]["expr"]
    assert depth == 900
