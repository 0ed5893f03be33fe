"""What `boruna_repair` does with its strategies, and what it says of a text that it does not work on."""

from __future__ import annotations

from analysis.fixes.outcome import RepairOutcome
from analysis.fixes.repair import repair_file
from analysis.inputs import source
from analysis.text.source import Source
from tests.support.checked import Checker

PROGRAM = """enum L { Red, Green }
fn f(l: L) -> Int { match l { Red => 1 } }
fn main() -> Int {
    let unused = 1
    f(L::Red) + list_ln([1]) + f(L::Grean)
}
"""


def repaired(text: str, strategy: str = "best", patch_id: str | None = None) -> RepairOutcome:
    checker = Checker()
    source.set(checker.db, checker.file, Source.from_text(text))
    return repair_file(checker.db, checker.file, strategy, patch_id)


def test_all_applies_the_first_patch_of_every_diagnostic_and_placeholders_last() -> None:
    done = repaired(PROGRAM, "all")
    assert [each.fix.id for each in done.applied] == [
        "W501-underscore-unused",
        "E003-rename-list_ln",
        "E008-rename-Grean",
        "E005-add-arms",
    ]
    assert done.applied[-1].placed_at is not None
    assert not done.verified


def test_all_translates_nothing() -> None:
    text = "fn main() -> Int {\n    let xs = [x * 2 for x in [1, 2]]\n    xs[0]\n}\n"
    assert "for x in" in repaired(text).text
    assert "list_push" in repaired(text).text
    assert "list_push" not in repaired(text, "all").text


def test_best_renames_no_unused_variable() -> None:
    assert "let unused" in repaired(PROGRAM).text


def test_an_unknown_strategy_is_best_and_says_so() -> None:
    done = repaired(PROGRAM, "everything")
    assert done.text == repaired(PROGRAM).text
    assert done.warnings == ("unknown strategy 'everything' was read as 'best'; the strategies are 'best' and 'all'",)


def test_a_long_text_says_that_it_is_not_translated() -> None:
    long = "".join(f"def f{number}(xs):\n    return len(xs) + {number}\n\n" for number in range(1_500))
    assert repaired(long[:2_000]).warnings == ()
    assert len(long) > 40_000
    (warning,) = repaired(long).warnings
    assert "more than 40,000 characters is not translated" in warning
