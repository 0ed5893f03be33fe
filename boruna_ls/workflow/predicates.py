"""Predicates about the result of a run, for `boruna-ls simulate` (spec chapter 16, section 13). Pure.

or = and { "||" and } ;  and = atom { "&&" atom } ;  atom = "(" or ")" | left operator right
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.data_classes import dataclass

_LEFT: Final = re.compile(r"[A-Za-z0-9_.\-]+")
_SIGNS: Final = re.compile(r"[=!<>]")
_NUMBER: Final = re.compile(r"-?[0-9]+")
_OPERATORS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_DEEPEST: Final = 50
_SHOWN: Final = 16


class PredicateError(Exception):
    """An expression is invalid; the message says why."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a run: states and durations in milliseconds of the run and of its steps."""

    status: str
    duration_ms: int
    steps: Mapping[str, tuple[str, int]]


Predicate = Callable[[Result], bool]


def predicate(text: str) -> Predicate:
    """The predicate that an expression means. Raises PredicateError."""
    if not text.strip():
        raise PredicateError("empty invariant expression")
    reader = _Reader(text)
    condition = reader.either(0)
    if reader.rest():
        raise reader.expected("end of expression")
    return condition


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def rest(self) -> str:
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1
        return self._text[self._at :]

    def expected(self, what: str) -> PredicateError:
        return PredicateError(f"at position {self._at}: expected {what}, found `{self.rest()[:_SHOWN]}`")

    def _takes(self, sign: str) -> bool:
        if not self.rest().startswith(sign):
            return False
        self._at += len(sign)
        return True

    def either(self, depth: int) -> Predicate:
        parts = [self._both(depth)]
        while self._takes("||"):
            parts.append(self._both(depth))
        return lambda result: any(part(result) for part in parts)

    def _both(self, depth: int) -> Predicate:
        parts = [self._atom(depth)]
        while self._takes("&&"):
            parts.append(self._atom(depth))
        return lambda result: all(part(result) for part in parts)

    def _atom(self, depth: int) -> Predicate:
        if self._takes("("):
            if depth >= _DEEPEST:
                raise PredicateError(f"at position {self._at}: nested deeper than {_DEEPEST} levels")
            inner = self.either(depth + 1)
            if not self._takes(")"):
                raise self.expected("`)`")
            return inner
        value, is_text = self._left()
        compare = self._operator()
        right = self._right()
        if isinstance(right, str) != is_text:
            names = ("string", "int") if is_text else ("int", "string")
            raise PredicateError(f"type mismatch: left side is {names[0]}, right side is {names[1]}")
        return lambda result: compare(value(result), right)

    def _left(self) -> tuple[Callable[[Result], Any], bool]:
        match = _LEFT.match(self.rest())
        if match is None:
            raise self.expected("a left-hand side")
        name = match[0]
        self._at += len(name)
        if name == "status":
            return (lambda result: result.status), True
        if name == "total_duration_ms":
            return (lambda result: result.duration_ms), False
        if name.startswith("step."):
            return _of_step(name)
        raise PredicateError(f"unknown invariant left-hand side `{name}`")

    def _operator(self) -> Callable[[Any, Any], bool]:
        rest = self.rest()
        for sign, compare in _OPERATORS.items():
            if rest.startswith(sign):
                self._at += len(sign)
                return compare
        if _SIGNS.match(rest):
            raise PredicateError(f"unknown operator `{rest[:_SHOWN]}`")
        raise self.expected("an operator")

    def _right(self) -> str | int:
        rest = self.rest()
        if rest.startswith('"'):
            end = rest.find('"', 1)
            if end < 0:
                raise PredicateError("unterminated string literal")
            self._at += end + 1
            return rest[1:end]
        if (number := _NUMBER.match(rest)) is None or len(number[0]) > 20:
            raise self.expected("a string or an integer")
        self._at += len(number[0])
        return int(number[0])


def _of_step(name: str) -> tuple[Callable[[Result], Any], bool]:
    step, _, field = name.removeprefix("step.").rpartition(".")
    if not step or field not in ("status", "duration_ms"):
        raise PredicateError(f"step reference `{name}` must be `step.<id>.status` or `step.<id>.duration_ms`")
    number = 0 if field == "status" else 1
    return (lambda result: result.steps.get(step, ("missing", -1))[number]), number == 0


def witnesses(text: str) -> dict[str, tuple[str, Predicate]]:
    """Named predicates: `name=expression`, separated by commas. Raises PredicateError."""
    named = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, sign, expression = part.partition("=")
        if not sign:
            raise PredicateError(f"witness `{part}` is missing `=` (expected name=expression)")
        named[name.strip()] = expression.strip(), predicate(expression)
    if not named:
        raise PredicateError("no witnesses parsed from empty list")
    return named
