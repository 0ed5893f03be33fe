"""Some 330 places at which people ask what can be written: the wanted entry is the first or among the first three."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from analysis.ide.completion import completions
from tests.support.marked import MAIN, opened

PAGE = Path(__file__).with_name("completion_situations.txt")
HEAD = """type Item { name: String, price: Int }
type Order { id: Int, customer: String, items: List<Item>, total: Int, paid: Bool, state: State }
enum State { Open, Paid(Int), Closed(Int) }
fn add(left: Int, right: Int) -> Int { left + right }
fn cost(items: List<Item>) -> Int { list_len(items) }
fn is_open(order: Order) -> Bool { order.paid }
fn describe(state: State) -> String { "" }
fn next(state: State) -> State { state }
fn order_number() -> Int { 1 }
"""
ENOUGH = 0.95


class Situation(NamedTuple):
    text: str
    wanted: str


def situations() -> list[Situation]:
    rows = [line for line in PAGE.read_text("utf-8").split("\n") if line and not line.startswith("#")]
    parts = [row.partition(" =>>") for row in rows]
    return [Situation(text.replace("⏎", "\n"), wanted.strip()) for text, _, wanted in parts]


def offered(text: str) -> list[str]:
    before, mark, behind = (HEAD + text).partition("|") if text.count("|") == 1 else (HEAD + text).rpartition("|")
    assert mark, text
    return [one.label for one in completions(opened(before + behind), MAIN, len(before)).candidates]


def test_what_is_wanted_comes_first() -> None:
    rows = situations()
    assert len(rows) >= 100
    missed = []
    for text, wanted in rows:
        found = offered(text)
        if (wanted not in found[:3]) if wanted else bool(found):
            missed.append(f"{text!r} wants {wanted!r}, gets {found[:5]}")
    assert 1 - len(missed) / len(rows) == 1.0, "\n".join(missed)


def test_no_entry_is_offered_twice() -> None:
    for text, _ in situations():
        found = offered(text)
        assert len(found) == len(set(found)), text
