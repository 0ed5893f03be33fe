"""Library functions that have no answer for some arguments: the run ends there and the message names the function."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import run

PROGRAM = """\
import "std-math"

fn main() -> Int {
    let inf = match __builtin_float_parse("inf") {
        Some(number) => number,
        None => 0.0,
    }
    %s
}
"""


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("float_to_int(inf)", "precondition 1 failed in `float_to_int`"),
        ("float_to_int(inf - inf)", "precondition 1 failed in `float_to_int`"),
        ("float_round(9223372036854775808.0)", "precondition 1 failed in `float_round`"),
        ("float_floor(-9223372036854777856.0)", "precondition 1 failed in `float_floor`"),
        ("int_pow(0, -1)", "division by zero"),
        ("int_pow(10, 19)", "integer overflow in multiplication"),
    ],
)
def test_a_number_without_an_answer_ends_the_run(tmp_path: Path, expression: str, message: str) -> None:
    program = tmp_path / "app.ax"
    program.write_text(PROGRAM % expression, "utf-8")
    answer = json.loads(run("run", "--json", str(program)).stdout)
    assert (answer["success"], answer["call_stack"][-1]["function"]) == (False, "main")
    assert message in answer["message"]
