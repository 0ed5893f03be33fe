"""Certain results of inference hold: every value of a run is of the type of its expression."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.corpus import CONFORMANCE, tool
from tests.support.typed_run import typed_run

replay = tool(CONFORMANCE / "replay.py")


@pytest.mark.parametrize("area", ["run", "bytecode", "capabilities", "diagnostics"])
def test_values_of_the_corpus_are_of_their_types(area: str, corpus: Callable[[str], Path]) -> None:
    judge([arguments["source"] for _, _, arguments in replay.calls(corpus(area)) if "source" in arguments])


def test_values_of_programs_with_libraries_are_of_their_types(corpus: Callable[[str], Path]) -> None:
    judge([arguments["source"] for _, _, arguments, _ in replay.library_programs(corpus("stdlib"))])


def judge(programs: list[object]) -> None:
    compared = runs = 0
    wrong: list[str] = []
    for program in sorted({program for program in programs if isinstance(program, str)}):
        made = typed_run(program)
        if made is not None:
            runs += 1
            compared += made.compared
            wrong += [f"{told}\n{program}" for told in made.wrong[:1]]
    assert wrong == []
    assert runs > 20
    assert compared > 500
