"""An operand that was read from a variable stays what it was when the variable is assigned before the operation."""

from __future__ import annotations

from random import Random

import pytest

from tests.support.both_ways import difference
from tests.support.compiled import compiled

LOOP = """fn f(a: Int) -> Int {{
    let mut x = a
    let mut i = 0
    let mut s = 0
    while i < 500 {{
        s = s + {operation}
        i = i + 1
    }}
    s
}}
fn main() -> Int {{ f(3) }}
"""


@pytest.mark.parametrize(
    "operation",
    [
        "(x + { x = x + 1  x })",
        "(x - { x = 7 - x  x * 2 })",
        "list_get([x, { x = x + 1  x }], 0)",
        "(if x == { x = x + 1  x } { 1 } else { 2 })",
        "(-1 - x + { x = -1 + 5 / 100  x })",
    ],
)
def test_assigned_between_reading_and_use(operation: str) -> None:
    module = compiled(LOOP.format(operation=operation)).module
    assert module is not None
    assert difference(module, Random(1)) is None
