"""What `round` does with halves, which languages disagree about, and how numbers are shown with decimals."""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.typing.program import Program

_EVEN: Final = {"round": "round_even", "round_to": "round_to_even"}
_HALVES_UP: Final = re.compile(
    r"\bString\.format|\.formatted\(|\bval \w|\bfun \w|\bnumber_format\(|\$\w+ =|\bConsole\.|\$@?\"|\.ToString\(|\bcase class\b"
    r"|\bText\.Printf|\bdefmodule\b|\btoStringAsFixed\b|\.toFixed\(|\bpublic (?:static )?\w|\bfloat_format\("
)
"""Marks of Java, Kotlin, Scala, C#, PHP, Haskell, Elixir, Dart and JavaScript, which show 0.125 with two decimals as `0.13`."""


def rounded_word(program: Program, node: n.Call, name: str) -> str:
    """The operation that a call of `round` means; in Python and Julia, 2.5 becomes 2."""
    if name not in _EVEN or not program.rounds_to_even:
        return name
    is_free = isinstance(node.function, n.Name) or name == "round_to"
    return _EVEN[name] if is_free else name


def shows_even(text: str) -> bool:
    """True if formats round halves to the even neighbour, as in Python, C, Go, Rust and Ruby."""
    return _HALVES_UP.search(text) is None
