"""Code for a description does what all of the description says, or there is none."""

from __future__ import annotations

import pytest

from analysis.ide.code_patterns import Asked, proposals
from analysis.semantics.declarations import declarations
from tests.support.marked import opened

ITEM = "type Item { name: String, cents: Int, weight: Float, paid: Bool }"


def proposed_codes(text: str) -> list[str]:
    (fact,) = declarations(opened(ITEM), ITEM).types
    return [one.code for one in proposals(Asked(text, {}, {"Item": fact}), "function")]


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("keep the items with cents above 10", "if item.cents > 10 {"),
        ("count the items whose cents is at least 3", "if item.cents >= 3 {"),
        ("count items where weight < 2", "if item.weight < 2.0 {"),
        ('only the items where name is not "x"', 'if item.name != "x" {'),
        ("select the items with paid true", "if item.paid == true {"),
        ("validate that an item has cents greater than 0", "if !(item.cents > 0) {"),
    ],
)
def test_a_condition_is_part_of_the_code(text: str, expression: str) -> None:
    found = proposed_codes(text)
    assert found
    assert all(expression in code for code in found)


@pytest.mark.parametrize(
    "text",
    [
        "sum the cents of the items with cents above 10",
        "count the items with cents above 10 and weight below 2",
        "count the items with cents between 3 and 5",
        "count the items that are not paid",
        "count the items with cents above the average",
        'count the items with cents above "x"',
        "find the item by name unless it is paid",
        "names of all items with cents over 3",
        "sum the even cents of the items",
        "sum the cents of the unpaid items",
        "count the words in a text",
        "count the distinct items",
        "sum of the squares of the cents of items",
        "find the item by name, ignoring case",
    ],
)
def test_a_condition_that_is_not_understood_is_not_left_out(text: str) -> None:
    assert proposed_codes(text) == []


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("a function that sums the cents of all items", "fn total_cents(items: List<Item>) -> Int {"),
        ("function sum_up that adds the cents of items", "fn sum_up(items: List<Item>) -> Int {"),
        ("count the items", "fn count(items: List<Item>) -> Int {"),
        ("map items to their names", "fn name_of_all(items: List<Item>) -> List<String> {"),
    ],
)
def test_what_is_asked_for_in_other_words(text: str, start: str) -> None:
    assert proposed_codes(text)[0].startswith(start)
