"""Texts compared line by line: every difference leads from one text to the other, and no text takes long."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.database import job_checkpoint
from analysis.text.diff import line_changes, unified_diff
from boruna_ls.lsp.features.formatting import line_edits

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "x = 1", "}"]), max_size=30)


def applied(before: list[str], after: list[str]) -> list[str]:
    result, at = [], 0
    for start, end, new_start, new_end in line_changes(before, after):
        assert at <= start <= end
        assert start < end or new_start < new_end
        result += [*before[at:start], *after[new_start:new_end]]
        at = end
    return result + before[at:]


@given(LINES, LINES)
def test_changes_lead_from_one_text_to_the_other(before: list[str], after: list[str]) -> None:
    assert applied(before, after) == after


@given(LINES, LINES)
def test_edits_of_lines_lead_from_one_text_to_the_other(before: list[str], after: list[str]) -> None:
    old, new = "\n".join(before), "\n".join(after)
    pieces, at = [], 0
    for edit in line_edits(old, new):
        pieces += [old[at : edit.span[0]], edit.new_text]
        at = edit.span[1]
    assert "".join([*pieces, old[at:]]) == new


def test_what_did_not_change_is_no_part_of_a_change() -> None:
    before = ["one", "two", "three", "four", "five"]
    assert line_changes(before, before) == []
    assert line_changes(before, ["one", "2", "three", "five", "six"]) == [(1, 2, 1, 2), (3, 4, 3, 3), (5, 5, 4, 5)]
    # Lines that stand there many times: the shortest script.
    assert line_changes(["}", "", "}", ""], ["}", "", "x", "}", ""]) == [(2, 2, 2, 3)]


@pytest.mark.parametrize("seed", range(20))
def test_git_applies_a_unified_diff(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    lines = [dice.choice(["fn f() {", "}", "    let x = 1", "", f"line {number}"]) for number in range(dice.randrange(40))]
    changed = [line for line in lines if dice.random() < 0.85]
    for _ in range(dice.randrange(6)):
        changed.insert(dice.randrange(len(changed) + 1), dice.choice(["}", "new", ""]))
    before, after = "\n".join(lines), "\n".join(changed)
    (tmp_path / "a.ax").write_text(before)
    diff = unified_diff("a.ax", before, after)
    if diff:
        subprocess.run(["git", "apply", "--unidiff-zero", "-"], cwd=tmp_path, input=diff, text=True, check=True)
    assert (tmp_path / "a.ax").read_text() == after


HOSTILE = {
    "every second line is another one": (["x"] * 4_000, ["x", "  x"] * 2_000),
    "no line stands there once": (["a", "b"] * 8_000, ["b", "a", "a"] * 5_000),
    "nothing is common": ([f"a{n}" for n in range(20_000)], [f"b{n}" for n in range(20_000)]),
    "the other way round": ([str(n) for n in range(8_000)], [str(n) for n in reversed(range(8_000))]),
    "one unique line behind the other": (
        [str(n) for n in range(3_000) for _ in range(2)],
        [str(n) for n in reversed(range(3_000)) for _ in range(2)],
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_is_compared_for_ever(name: str) -> None:
    """The work is bounded by the number of lines: counted in checkpoints, of which each stands for a bounded piece of it."""
    before, after = HOSTILE[name]
    pieces = 0

    def count() -> None:
        nonlocal pieces
        pieces += 1

    with job_checkpoint(count):
        assert applied(before, after) == after
    assert pieces < len(before) + len(after)
