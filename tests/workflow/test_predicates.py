"""Predicates of `simulate`: what they mean, and what is wrong with an expression."""

from __future__ import annotations

import pytest

from boruna_ls.workflow.predicates import PredicateError, Result, predicate, witnesses

RESULT = Result("failed", 12, {"a": ("completed", 7)})


@pytest.mark.parametrize(
    "text, holds",
    [
        ('status == "failed"', True),
        ('status != "failed"', False),
        ('step.a.status == "completed" && total_duration_ms < 20', True),
        ('(status == "x" || step.a.duration_ms >= 7) && total_duration_ms > 0', True),
        ('step.b.status == "missing" && step.b.duration_ms == -1', True),
        ('status == "x" || status == "y"', False),
    ],
)
def test_expressions_mean_what_they_say(text: str, holds: bool) -> None:
    assert predicate(text)(RESULT) is holds


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "empty invariant expression"),
        ("speed == 3", "unknown invariant left-hand side `speed`"),
        ("status = 3", "unknown operator `= 3`"),
        ("status == 3", "type mismatch: left side is string, right side is int"),
        ('status == "x', "unterminated string literal"),
        ("step.a == 1", "step reference `step.a` must be"),
        ('(status == "x"', "expected `)`"),
        ('status == "x" y', "expected end of expression, found `y`"),
        ("(" * 10_000, "nested deeper than 50 levels"),
    ],
)
def test_wrong_expressions_are_refused(text: str, message: str) -> None:
    with pytest.raises(PredicateError) as refused:
        predicate(text)
    assert message in str(refused.value)


def test_witnesses_are_named() -> None:
    found = witnesses('half=step.a.status == "completed", none=step.b.status == "completed"')
    assert {name: witness(RESULT) for name, (_, witness) in found.items()} == {"half": True, "none": False}
