"""What a repair asks again after each change is not computed again."""

from __future__ import annotations

from collections import Counter

import pytest

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.fixes.dialect.reading.grammar_items import Parser
from analysis.fixes.dialect.rewriting.jumps.loop_variables import settle_loop_variables
from analysis.fixes.left_over import hidden_failures
from analysis.fixes.repair import repair_file
from analysis.inputs import FileId, source
from analysis.suggestions import broken_text
from analysis.text.source import Source
from boruna_ls.workspace import Host
from tests.faults.hostile_sources import Lines

BROKEN = "fn {0}() -> Int {{\n    let x = 1\n    x ~ ~ {1}\n}}\n\n"
MENDED = "fn {0}() -> Int {{\n    lett x = {1}\n    x\n}}\n\n"


def test_patches_of_a_chunk_are_tried_once_while_others_change(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: Counter[tuple[str, object]] = Counter()
    original = broken_text.candidates

    def counted(text, tree, error, *rest):  # type: ignore[no-untyped-def]
        tried[text, error] += 1
        return original(text, tree, error, *rest)

    monkeypatch.setattr(broken_text, "candidates", counted)
    host = Host()
    text = "".join(BROKEN.format(f"broken_{n}", n) for n in range(2)) + "".join(MENDED.format(f"f_{n}", n) for n in range(3))
    outcome = repair_file(host.db, host.inline(text))
    assert len(outcome.applied) >= 3, outcome
    assert {text: times for (text, _), times in tried.items() if times > 1} == {}


OTHER_LANGUAGE = """\
fn total(prices: List<Int>) -> Int {
    let kept = 0;
    for (const price of prices) {
        if (price > 10 && price !== 13) {
            kept += Math.max(price, 20) * prices.length;
        }
    }
    return kept === 0 ? 1 : kept;
}

fn main() -> Int {
    return total([1, 20, 13].map(x => x + 1));
}
"""


def test_single_fixes_are_not_tried_where_a_translation_changes_most_words(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    original = broken_text.candidates

    def counted(text, *rest):  # type: ignore[no-untyped-def]
        tried.append(text)
        return original(text, *rest)

    monkeypatch.setattr(broken_text, "candidates", counted)
    host = Host()
    outcome = repair_file(host.db, host.inline(OTHER_LANGUAGE))
    assert outcome.applied[0].fix.id == "E002-translate"
    assert outcome.after == 0, outcome.text
    assert tried == []


def test_loops_over_one_variable_are_read_once() -> None:
    """The uses of a variable are found once, not for each loop over it."""

    def taken(loops: int) -> int:
        text = "def main():\n    a = [1]\n    s = 0\n" + "    for i in a:\n        s += i\n" * loops + "    return s\n"
        items = Parser(text).program()
        with Lines() as lines:
            settle_loop_variables(items, "python", text)
        return lines.count

    assert taken(200) < 3 * taken(100)


def test_failures_that_a_fix_hides_are_all_told() -> None:
    calls = "".join(f"    let y{number} = list_get(xs, {number + 5})\n" for number in range(20))
    text = f"fn main() -> Int {{\n    let xs = [1]\n{calls}    1\n}}\n"
    db, file = Database(), FileId("", "inline", "a.ax")
    source.set(db, file, Source.from_text(text))
    before = check_file(db, file)
    after = text.replace("[1]\n", "[1]\n    xs = list_push(xs, 2)\n")
    branch = db.branch()
    source.set(branch, file, Source.from_text(after))
    rows = hidden_failures(source(db, file), before, source(branch, file), check_file(branch, file))
    assert [row.line for row in rows] == list(range(4, 24))
