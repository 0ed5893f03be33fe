"""Modules and functions stay small enough to be read at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
MOST_LINES: Final = 450
MOST_OF_FUNCTION: Final = 60
REASONED: Final = "not parted since"
"""Words before the reason in the first line of a longer function's docstring."""


def modules() -> Iterator[Path]:
    for package in ("analysis", "boruna_ls", "tests", "benchmarks"):
        yield from sorted((ROOT / package).rglob("*.py"))


def too_long(module: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > MOST_OF_FUNCTION and REASONED not in (ast.get_docstring(node) or "").partition("\n")[0]:
                found.append(f"{module}: {node.name} has {length} lines")
    return found


def test_no_module_is_too_long() -> None:
    lengths = {str(module.relative_to(ROOT)): module.read_text("utf-8").count("\n") for module in modules()}
    assert len(lengths) > 500
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def test_no_function_is_too_long() -> None:
    assert [row for module in modules() for row in too_long(module)] == []


@pytest.mark.parametrize(("reason", "expected"), [("One loop, not parted since it is hot.", 0), ("One loop.", 1)])
def test_a_long_function_needs_a_reason(tmp_path: Path, reason: str, expected: int) -> None:
    module = tmp_path / "long.py"
    module.write_text(f'def run() -> None:\n    """{reason}"""\n' + "    pass\n" * 70)
    assert len(too_long(module)) == expected
