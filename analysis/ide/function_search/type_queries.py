"""Functions by types: `List<Int> -> Int`, `String, String -> Bool`, also as other languages write types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import permutations
from typing import Final, NamedTuple

from analysis.ide.function_search.known import Known
from analysis.suggestions.foreign_words import CONTAINERS, PLAIN_TYPES

_TOKEN: Final = re.compile(r"->|=>|\w+|[<>\[\](),?:]")
_KINDS: Final = ("Int", "Float", "String", "Bool", "Unit", "List", "Option", "Result", "Map", "Fn")
_MOST: Final = 4
"""Parameters of which every order is tried."""


class Shape(NamedTuple):
    """A type: its name, "" for any, and its arguments; None where a type is written without them."""

    name: str
    arguments: tuple[Shape, ...] | None = None
    variable: str = ""


def by_types(query: str, functions: Sequence[Known]) -> list[Known]:
    """The functions with such parameters, in any order, and such a result; those of exactly these types first."""
    read = read_signature(query)
    if read is None:
        return []
    wanted, result = read
    if result is None:
        return [one for one in functions if one.kind == wanted[0].name and not one.is_form]
    ranked = []
    for number, one in enumerate(functions):
        fit = _fit(wanted, result, one)
        if fit is not None:
            ranked.append((-fit, number, one))
    return [one for _, _, one in sorted(ranked, key=lambda row: row[:2])]


def read_signature(query: str) -> tuple[tuple[Shape, ...], Shape | None] | None:
    """The parameters and the result that a query asks for, the result None for a single type. None if it is none of types."""
    plain = re.sub(r"^\s*(?:fn|def|func|function)\b\s*\w*", "", query).rstrip("; ")
    tokens = _TOKEN.findall(plain)
    if _TOKEN.sub("", plain).strip() or not tokens:
        return None
    reader = _Reader(tokens)
    groups = reader.groups()
    if groups is None or not all(groups):
        return None
    if len(groups) == 1:
        (only,) = groups
        return (only, None) if len(only) == 1 and only[0].name and query.strip()[0].isupper() else None
    *parameters, result = groups
    if len(result) != 1:
        return None
    return tuple(shape for group in parameters for shape in group if shape.name != "Unit"), result[0]


class _Reader:
    """Reads types; `at` is the next token."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens
        self._at = 0

    def groups(self) -> list[tuple[Shape, ...]] | None:
        """What stands between the arrows; None if something is no type."""
        groups = [self._list()]
        while self._next() in ("->", "=>"):
            self._at += 1
            groups.append(self._list())
        if self._at < len(self._tokens) or any(group is None for group in groups):
            return None
        return [group for group in groups if group is not None]

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, *wanted: str) -> bool:
        if self._next() in wanted:
            self._at += 1
            return True
        return False

    def _list(self) -> tuple[Shape, ...] | None:
        """Types with commas between them, in parentheses or not."""
        closing = ")" if self._take("(") else ""
        shapes: list[Shape] = []
        while self._next() not in (closing, "->", "=>", "") or (not closing and not shapes):
            shape = self._named()
            if shape is None:
                return None
            shapes.append(shape)
            if not self._take(","):
                break
        if closing and not self._take(")"):
            return None
        return tuple(shapes) or (Shape("Unit"),)

    def _named(self) -> Shape | None:
        """A type, perhaps with the name of a parameter before it."""
        if self._at + 1 < len(self._tokens) and self._tokens[self._at + 1] == ":":
            self._at += 2
        return self._type()

    def _type(self) -> Shape | None:
        if self._take("["):
            if self._take("]"):
                inner = self._type()
                return None if inner is None else Shape("List", (inner,))
            inner = self._type()
            return Shape("List", (inner,)) if inner is not None and self._take("]") else None
        word = self._next()
        if not word.isidentifier():
            return None
        self._at += 1
        shape = self._function() if word in ("Fn", "fn") else self._with_arguments(word)
        while shape is not None and self._next() in ("[", "?"):
            if self._take("?"):
                shape = Shape("Option", (shape,))
            elif self._take("[") and self._take("]"):
                shape = Shape("List", (shape,))
            else:
                return None
        return shape

    def _function(self) -> Shape | None:
        """`Fn(T) -> Bool`."""
        parameters = self._list()
        result = self._type() if parameters is not None and self._take("->") else Shape("Unit")
        if parameters is None or result is None:
            return None
        return Shape("Fn", (*parameters, result))

    def _with_arguments(self, word: str) -> Shape | None:
        kind = _kinds().get(word) or _kinds().get(word.casefold())
        if kind is None:
            return Shape("", None, word) if len(word) == 1 else None
        bracket = {"<": ">", "[": "]"}.get(self._next(), "")
        if not bracket or (bracket == "]" and self._tokens[self._at + 1 : self._at + 2] == ["]"]):
            return Shape(kind)
        self._at += 1
        arguments: list[Shape] = []
        while not self._take(bracket):
            argument = self._type()
            if argument is None:
                return None
            arguments.append(argument)
            self._take(",")
        return Shape(kind, tuple(arguments))


@cache
def _kinds() -> dict[str, str]:
    foreign = PLAIN_TYPES | CONTAINERS
    return foreign | {kind.casefold(): kind for kind in _KINDS} | {kind: kind for kind in _KINDS}


@cache
def shapes_of(one: Known) -> tuple[tuple[Shape, ...], Shape] | None:
    shapes = [_Reader(_TOKEN.findall(kind))._type() or Shape("other " + kind) for kind in (*one.parameters, one.result)]
    return tuple(shapes[:-1]), shapes[-1]


def _fit(wanted: Sequence[Shape], result: Shape, one: Known) -> float | None:
    """How well a function has the types; None if it has others."""
    shapes = shapes_of(one)
    if shapes is None or len(shapes[0]) != len(wanted):
        return None
    parameters, given = shapes
    orders = permutations(parameters) if len(wanted) <= _MOST else iter((parameters,))
    best: float | None = None
    for number, order in enumerate(orders):
        bound: dict[str, Shape] = {}
        fits = [_same(asked, held, bound) for asked, held in zip(wanted, order, strict=True)]
        if None in fits:
            continue
        last = _same(result, given, bound)
        if last is None and given.name in ("Option", "Result") and given.arguments:
            inner = _same(result, given.arguments[0], bound)
            last = None if inner is None else inner - 4.0
        if last is not None:
            fit = (
                sum(fit for fit in fits if fit is not None)
                + last
                - 0.5 * (number > 0)
                - 3.0 * one.is_form
                + 0.5 * bool(one.write)
                - one.is_special
            )
            best = fit if best is None else max(best, fit)
    return best


def _same(asked: Shape, held: Shape, bound: dict[str, Shape]) -> float | None:
    """2 for the same type, less where one stands for any; None for two types."""
    if held.variable:
        earlier = bound.setdefault(held.variable, asked)
        return (1.0 if asked.name else 2.0) if earlier == asked else None
    if not asked.name:
        return 0.0
    if asked.name != held.name:
        return None
    if asked.arguments is None or held.arguments is None:
        return 2.0
    if len(asked.arguments) != len(held.arguments):
        return None
    fits = [_same(one, other, bound) for one, other in zip(asked.arguments, held.arguments, strict=True)]
    return None if None in fits else min([2.0, *[fit for fit in fits if fit is not None]])
