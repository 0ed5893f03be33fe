"""Turns of jobs by a clock of the test: who goes first, and what a share of the time is taken from."""

from __future__ import annotations

from concurrent.futures import Future
from itertools import count

import pytest

from boruna_ls.workspace.turns import MOST_TYPING, MOST_URGENT, SHARE, Priority, Task, Turns

_EDITOR, _AGENT = 1, 2
_numbers = count()


def task(priority: Priority, client: int = 0, used: float = 0.0) -> Task:
    return Task(priority, client, next(_numbers), lambda: None, Future(), 0.0, can_resume=True, used=used)


@pytest.fixture
def turns() -> Turns:
    """An agent's request has computed for so long that what waits behind it is due."""
    turns = Turns()
    turns.add(task(Priority.BACKGROUND, used=0.001))
    turns.charge(task(Priority.REQUEST, _AGENT), MOST_URGENT, 1.0)
    return turns


def test_a_share_is_taken_from_requests(turns: Turns) -> None:
    turns.add(task(Priority.REQUEST, _AGENT))
    taken = turns.take(1.0)
    assert taken is not None
    assert taken.priority is Priority.BACKGROUND
    assert turns.share_ends == 1.0 + SHARE
    assert not turns.outranks(taken, 1.0)


def test_typing_does_not_wait_for_a_share(turns: Turns) -> None:
    turns.add(key := task(Priority.TYPING, _EDITOR))
    assert turns.take(1.0) is key


def test_typing_interrupts_a_share(turns: Turns) -> None:
    turns.add(task(Priority.REQUEST, _AGENT))
    behind = turns.take(1.0)
    assert behind is not None
    turns.add(task(Priority.TYPING, _EDITOR))
    assert turns.outranks(behind, 1.0 + SHARE / 10)


def test_typing_waits_for_what_has_waited_long(turns: Turns) -> None:
    turns.charge(task(Priority.TYPING), MOST_TYPING, 1.0)
    turns.add(task(Priority.TYPING, _EDITOR))
    behind = turns.take(1.0)
    assert behind is not None
    assert behind.priority is Priority.BACKGROUND
    turns.add(task(Priority.TYPING, _EDITOR))
    assert not turns.outranks(behind, 1.0 + SHARE / 10)
    assert turns.outranks(behind, 1.0 + SHARE)
