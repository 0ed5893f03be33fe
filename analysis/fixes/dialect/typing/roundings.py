"""What `round` does with halves, which languages disagree about, and how numbers are shown with decimals."""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.typing.program import Program

_EVEN: Final = {"round": "round_even", "round_to": "round_to_even"}
_OWN: Final = re.compile(r"\bfloat_format\(")
_NEAR: Final = re.compile(
    r"\bString\.format|\.formatted\(|\bval \w|\bfun \w|\bnumber_format\(|\$\w+ =|\bcase class\b|\bpublic (?:static )?String\b"
)
"""Marks of Java, Kotlin, Scala and PHP, which round the digits that a number is shown with: 1.005 is `1.01`."""
_UP: Final = re.compile(
    r"\.toFixed\(|\bConsole\.|\$@?\"|\.ToString\(|\bText\.Printf|\bdefmodule\b|\btoStringAsFixed\b|\bpublic (?:static )?\w"
)
"""Marks of JavaScript, C#, Dart, Haskell and Elixir, which round what a number is, and halves away from zero."""


def rounded_word(program: Program, node: n.Call, name: str) -> str:
    """The operation that a call of `round` means; in Python and Julia, 2.5 becomes 2."""
    if name not in _EVEN or not program.rounds_to_even:
        return name
    is_free = isinstance(node.function, n.Name) or name == "round_to"
    return _EVEN[name] if is_free else name


def format_of_decimals(text: str) -> str:
    """The function that shows decimals as the language of a text does; "" for the one of the library.

    Python, C, Go, Rust and Ruby round a half to the even neighbour.
    """
    if _OWN.search(text) is not None:
        return ""
    return "format_near" if _NEAR.search(text) else "format_up" if _UP.search(text) else "format_even"
