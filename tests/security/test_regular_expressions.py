"""No regular expression of ours takes more than linear time, whatever text it is given."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.regular_expressions import attacks, expressions, modules

LENGTH = 10_000
"""Characters: what is linear takes about a millisecond, what is quadratic more than a hundred."""
MOST = 0.03
"""Seconds."""
TRIES = 3


class TooSlow(Exception):
    """A match was given up."""


def use(pattern: re.Pattern[Any], method: str, text: Any) -> None:
    if method == "finditer":
        for _ in pattern.finditer(text):
            continue
    elif method == "sub":
        pattern.sub(text[:0], text)
    else:
        getattr(pattern, method)(text)


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    def give_up(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def is_slow(pattern: re.Pattern[Any], method: str, text: Any) -> bool:
    """True if all of some tries take long: one may be slow because the machine is busy."""
    for _ in range(TRIES):
        begun = time.thread_time()
        try:
            with at_most(10 * MOST):
                use(pattern, method, text)
        except TooSlow:
            continue
        if time.thread_time() - begun < MOST:
            return False
    return True


MODULES = modules()


def test_all_are_found() -> None:
    places = " ".join(one.place for module in MODULES for one in expressions(module))
    assert places.count(" ") > 250
    for known in (
        "analysis.splitting._AT_TOP",
        "analysis.syntax.lexer._TOKEN",
        "boruna_ls.cli.jsonc._BLANK",
        "suggestions/broken/statements.py",
    ):
        assert known in places, places


@pytest.mark.parametrize("module", MODULES)
def test_they_are_linear(module: str) -> None:
    slow = (
        (one.place, one.pattern.pattern, method, text[:60], text[-10:])
        for one in expressions(module)
        for text in attacks(one.pattern, LENGTH)
        for method in one.methods
        if is_slow(one.pattern, method, text)
    )
    assert next(slow, None) is None
