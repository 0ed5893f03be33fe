"""How much two texts differ: what has to be scanned if one takes the place of the other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analysis.text.affixes import common_prefix, common_suffix, differing

TEXTS = st.text("ab", max_size=30)


@given(TEXTS, TEXTS)
def test_what_differs_is_what_a_replacement_scans(left: str, right: str) -> None:
    prefix = common_prefix(left, right)
    suffix = min(common_suffix(left, right), min(len(left), len(right)) - prefix)
    assert left[:prefix] == right[:prefix]
    assert left[len(left) - suffix :] == right[len(right) - suffix :]
    assert differing(left, right) == max(len(left), len(right)) - prefix - suffix


def test_repeated_texts_differ_by_their_lengths() -> None:
    assert differing("ab" * 100, "ab" * 150) == 100
    assert differing("", "abc") == 3
    assert differing("abc", "abc") == 0
