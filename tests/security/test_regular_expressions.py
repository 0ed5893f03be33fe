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
SHORTER = 4
"""What takes less than MOST / SHORTER**3 for a text so many times shorter stays below MOST even if its time grows cubically."""
TRIES = 3


class TooSlow(Exception):
    """A match was given up."""


def use(pattern: re.Pattern[Any], method: str, text: Any) -> None:
    if method == "finditer":
        for _ in pattern.finditer(text):
            continue
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


def is_slow(pattern: re.Pattern[Any], method: str, text: Any, shorter: Any) -> bool:
    """True if all of some tries take long: one may be slow because the machine is busy."""
    if takes(pattern, method, shorter) < MOST / SHORTER**3:
        return False
    return all(takes(pattern, method, text) >= MOST for _ in range(TRIES))


def takes(pattern: re.Pattern[Any], method: str, text: Any) -> float:
    """Seconds of the processor; those of a match that was given up are many."""
    begun = time.thread_time()
    try:
        with at_most(10 * MOST):
            use(pattern, method, text)
    except TooSlow:
        return 10 * MOST
    return time.thread_time() - begun


def longest_of(methods: tuple[str, ...]) -> list[str]:
    """Those of some methods whose work holds the work of all others.

    `match` is the first attempt of a search, `search` the beginning of `finditer`, and `findall`, `sub` and `split` find what
    `finditer` finds. `fullmatch` alone has to try all ways to the end.
    """
    others = [method for method in methods if method != "fullmatch"]
    is_through = not {"finditer", "findall", "sub", "split"}.isdisjoint(others)
    longest = "finditer" if is_through else "search" if "search" in others else "match"
    return [*([longest] if others else []), *(["fullmatch"] if "fullmatch" in methods else [])]


MODULES = modules()


def test_all_are_found() -> None:
    places = " ".join(one.place for module in MODULES for one in expressions(module))
    assert places.count(" ") > 250
    for known in (
        "analysis.text.splitting._AT_TOP",
        "analysis.syntax.lexer._TOKEN",
        "boruna_ls.cli.jsonc._BLANK",
        "suggestions/broken/statements.py",
    ):
        assert known in places, places


@pytest.mark.parametrize(
    ("expression", "method"),
    [(r"\s+$", "search"), (r"(?:a|aa)+\Z", "fullmatch")],
)
def test_slow_ones_are_noticed(expression: str, method: str) -> None:
    pattern = re.compile(expression)
    texts = zip(attacks(pattern, LENGTH), attacks(pattern, LENGTH // SHORTER), strict=True)
    assert any(is_slow(pattern, method, text, shorter) for text, shorter in texts)


@pytest.mark.parametrize("module", MODULES)
def test_they_are_linear(module: str) -> None:
    slow = (
        (one.place, one.pattern.pattern, method, text[:60], text[-10:])
        for one in expressions(module)
        for text, shorter in zip(attacks(one.pattern, LENGTH), attacks(one.pattern, LENGTH // SHORTER), strict=True)
        for method in longest_of(one.methods)
        if is_slow(one.pattern, method, text, shorter)
    )
    assert next(slow, None) is None
