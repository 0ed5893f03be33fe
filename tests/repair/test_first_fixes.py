"""The first fix that is offered for a diagnostic removes it and adds none: a sample; `tests.repair.first_fixes` tries all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.diagnostics.check import check_file
from analysis.fixes.applying import edited
from analysis.fixes.repair import fixes_for, repair_file
from analysis.inputs import source
from analysis.text.source import Source
from tests.repair.first_fixes import LONGEST, tried
from tests.support.checked import Checker
from tests.support.corpus import CONFORMANCE, tool

DRAFTS = CONFORMANCE.parent / "bench" / "drafts"
SETS_BETWEEN, FIXES_TRIED = 6, 3
replay = tool(CONFORMANCE / "replay.py")


@pytest.mark.parametrize("area", ["diagnostics", "run"])
def test_the_first_fix_removes_and_adds_none(area: str, corpus: Callable[[str], Path]) -> None:
    checker = Checker()
    count = 0
    for program in sorted({text for _, _, made in replay.calls(corpus(area)) if isinstance(text := made.get("source"), str)}):
        if len(program) <= LONGEST:
            done = tried(checker, program)
            count += done.number
            assert not done.faults, (program, done.faults)
    assert count > 20


@pytest.mark.parametrize("drafts", sorted(path.parent.name for path in DRAFTS.glob("*/answers.json"))[::SETS_BETWEEN])
def test_the_first_fix_of_what_a_repair_makes_of_a_draft(drafts: str) -> None:
    """Of some sets the first draft, as it is and repaired."""
    checker = Checker()
    program = min((DRAFTS / drafts).glob("*.ax")).read_bytes().decode()
    source.set(checker.db, checker.file, Source.from_text(program))
    for text in (program, repair_file(checker.db, checker.file).text):
        done = tried(checker, text, most=FIXES_TRIED)
        assert not done.faults, (text, done.faults)


def test_an_arm_for_a_payload_takes_all_that_are_left() -> None:
    program = (
        "enum E { A(Int), B }\nfn of(e: E) -> Int { match e { A(9) => 1, A(4) => 2, B => 3 } }\nfn main() -> Int { of(A(4)) }\n"
    )
    done = tried(Checker(), program, ("W201",))
    assert (done.number, done.faults) == (1, ())


@pytest.mark.parametrize(
    ("program", "code", "repaired"),
    [
        ("fn main() -> Int { let rows = [[1, 2], [3]] let cell = rows[0][1] cell }", "W608", "list_get(list_get(rows, 0), 1)"),
        (
            "fn main() -> List<Int> { let xs = [1] xs ++ xs ++ [2] }",
            "W104",
            "__builtin_list_concat(__builtin_list_concat(xs, xs), [2])",
        ),
    ],
    ids=["indexing", "lists"],
)
def test_a_chain_is_fixed_at_once(program: str, code: str, repaired: str) -> None:
    checker = Checker()
    source.set(checker.db, checker.file, Source.from_text(program))
    ((chunk, diagnostic),) = [row for row in check_file(checker.db, checker.file).entries if row[1].code == code]
    first = fixes_for(checker.db, checker.file, chunk, diagnostic)[0]
    assert repaired in edited(Source.from_text(program), first.edits).text


def test_a_near_name_of_another_type_is_no_fix() -> None:
    program = "fn main() -> Int { let fs = 1 f(fs) }"
    checker = Checker()
    source.set(checker.db, checker.file, Source.from_text(program))
    ((chunk, diagnostic),) = [row for row in check_file(checker.db, checker.file).entries if row[1].code == "E003"]
    assert [fix.id for fix in fixes_for(checker.db, checker.file, chunk, diagnostic) if "rename" in fix.id] == []


@pytest.mark.parametrize("call", ["xs.push(3)", "push(xs, 3)", "append(xs, 3)"])
def test_a_foreign_call_that_changes_a_list_is_assigned(call: str) -> None:
    program = f"fn main() -> Int {{\n    let xs = [1]\n    {call}\n    list_len(xs)\n}}\n"
    done = tried(Checker(), program)
    assert (done.number, done.faults) == (1, ())
