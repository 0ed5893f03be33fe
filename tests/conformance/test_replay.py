"""The corpus against the real MCP server: each recorded call of the tools that exist, compared as replay.py does."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import command
from tests.support.corpus import CONFORMANCE, tool
from tests.support.improvements import improvements
from tests.support.score import SCORES, Score

TOOLS = {
    "boruna_ast",
    "boruna_capability_list",
    "boruna_check",
    "boruna_compile",
    "boruna_framework_test",
    "boruna_policy_validate",
    "boruna_repair",
    "boruna_run",
    "boruna_run_sealed",
    "boruna_symbols",
    "boruna_template_apply",
    "boruna_template_list",
    "boruna_validate_app",
    "boruna_workflow_validate",
}
AREAS = [
    "syntax",
    "diagnostics",
    "surface",
    "bytecode",
    "run",
    "capabilities",
    "framework",
    "framework/templates",
    "stdlib",
    "workflows",
]
SHOWN = 40

replay = tool(CONFORMANCE / "replay.py")


@pytest.mark.parametrize("area", AREAS)
def test_answers_are_those_of_the_corpus(area: str, corpus: Callable[[str], Path], request: pytest.FixtureRequest) -> None:
    score = replayed(corpus(area))
    request.config.stash[SCORES][area] = score
    assert score.total > 0
    assert unexpected(score.differences, improvements(area)) == []


def replayed(folder: Path) -> Score:
    """Score of `replay.py check` in a folder, restricted to TOOLS; its tally prints each difference, which is stored here."""
    score, tally = Score(), replay.Tally(folder, True)
    expected = {row["id"]: row for row in replay.lines_of(folder / "expected.jsonl")}

    def compare(server: Any, cases: Iterable[tuple[str, str, dict, dict]]) -> None:
        for name, called, arguments, row in cases:
            if called in TOOLS:
                equal, total = tally.equal, tally.total
                with redirect_stdout(io.StringIO()) as printed:
                    tally.compare(server, name, called, arguments, row)
                if tally.total - total != tally.equal - equal:
                    score.differences.append((name, printed.getvalue().strip()))

    with replay.started(command("boruna-mcp"), folder) as server:
        recorded = [(*call, expected[call[0]]) for call in replay.calls(folder)]
        compare(server, recorded if expected else replay.library_programs(folder))
    if (folder / "stock_templates.jsonl").exists():
        with replay.Server(command("boruna-mcp")) as server:
            compare(server, replay.stock_templates(folder, server))
    score.total, score.left_out = tally.total, tally.left_out
    return score


def unexpected(differences: list[tuple[str, str]], allowed: dict[str, str]) -> list[str]:
    """The differences without a row in improvements.md, and the rows without a difference."""
    found = dict(differences)
    lines = [words for case, words in differences if case not in allowed]
    lines += [f"{case} is equal by now: take its row out of improvements.md" for case in allowed if case not in found]
    return lines if len(lines) <= SHOWN else [*lines[:SHOWN], f"… and {len(lines) - SHOWN} more"]
