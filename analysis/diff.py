"""Texts compared line by line. Lines end at line feeds only, not at the other line ends of `str.splitlines`."""

from __future__ import annotations

import difflib


def lines_with_ends(text: str) -> list[str]:
    """The lines of a text, each with its line feed; the last one without, if the text does not end in one."""
    pieces = [piece + "\n" for piece in text.split("\n")]
    pieces[-1] = pieces[-1][:-1]
    return pieces if pieces[-1] else pieces[:-1]


def unified_diff(name: str, before: str, after: str) -> str:
    """The difference of two texts as `diff -u` and `patch` know it; "" if there is none."""
    lines = difflib.unified_diff(lines_with_ends(before), lines_with_ends(after), f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
