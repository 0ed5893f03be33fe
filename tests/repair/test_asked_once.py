"""What a repair asks again after each change is not computed again."""

from __future__ import annotations

from collections import Counter

import pytest

from analysis.fixes.repair import repair_file
from analysis.suggestions import broken_text
from boruna_ls.workspace import Host

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
