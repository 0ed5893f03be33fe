"""Values that the arms of a match leave out: a decision tree of constructors, with an example of a missing value.

A constructor has at most one payload, so a pattern is a path, and patterns make a tree whose branches are buckets by constructor:
adding an arm costs the depth of its pattern. An undecidable part (a mixture of families, an unknown enum) makes the whole
question unanswerable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from analysis.database import checkpoint, paced
from analysis.semantics.declarations import TypeFact
from analysis.semantics.type_text import split_type
from analysis.syntax.lexer import decoded
from analysis.syntax.tree import (
    BoolPattern,
    IntPattern,
    NamePattern,
    NonePattern,
    Pattern,
    StringPattern,
    VariantPattern,
    WildcardPattern,
    WrapPattern,
)


class Unanswerable(Exception):
    """The patterns mix families or name unknown variants."""


EnumOf: TypeAlias = Callable[[frozenset[str], str | None], TypeFact | None]
"""Finds the enum that a set of variant names belongs to, given its type's text where that is known."""

SIGNATURES: Final[dict[str, dict[str, bool]]] = {
    "Bool": {"true": False, "false": False},
    "Option": {"Some": True, "None": False},
    "Result": {"Ok": True, "Err": True},
}
"""Constructors of the builtin families, and whether they have a payload."""
_ENUM: Final = "enum"
_OFTEN: Final = 1_000
"""Constructors between two looks at whether to stop."""


class _Place:
    """One place of the patterns: the value itself, or a payload inside it."""

    __slots__ = ("branches", "done", "families", "family", "is_full", "signature")

    def __init__(self) -> None:
        self.branches: dict[str, _Place] = {}
        """The payloads' places by constructor; of a constructor without payload, whether it was matched."""
        self.families: set[str] = set()
        self.family = ""
        self.signature: dict[str, bool] | None = None
        """All constructors and whether they have a payload; None for an infinite family, or an unknown one."""
        self.done: set[str] = set()
        self.is_full = False


class Coverage:
    """The decision tree of a match. All patterns are given first, then each is added in order. Raises `Unanswerable`."""

    def __init__(self, patterns: Iterable[Pattern], value_type: str | None, enum_of: EnumOf) -> None:
        self._root = _Place()
        for pattern in patterns:
            self._grow(pattern)
        waiting, count = [(self._root, value_type)], 0
        while waiting:
            place, held = waiting.pop()
            waiting += _settled(place, held, enum_of)
            count += 1
            if count % _OFTEN == 0:
                checkpoint()

    @property
    def signature(self) -> dict[str, bool] | None:
        """The constructors of the matched type, in order of declaration, and whether they have a payload."""
        return self._root.signature

    @property
    def named(self) -> frozenset[str]:
        """The constructors that some arm names."""
        return frozenset(self._root.branches)

    def _grow(self, pattern: Pattern) -> None:
        place, inner = self._root, pattern
        while True:
            name, argument = _head(inner)
            if name is None:
                return
            place.families.add(_family(inner))
            place = place.branches.setdefault(name, _Place())
            if argument is None:
                return
            inner = argument

    def add(self, pattern: Pattern) -> bool:
        """Adds the next arm; whether it matches a value that none before it matches."""
        path: list[tuple[_Place, str]] = []
        place, inner = self._root, pattern
        while not place.is_full:
            name, argument = _head(inner)
            if name is None:
                place.is_full = True
                _fill(path)
                return True
            path.append((place, name))
            takes = place.signature is not None and place.signature.get(name, False)
            place = place.branches[name]
            if argument is None or not takes:
                if place.is_full:
                    return False
                place.is_full = True
                _fill(path)
                return True
            inner = argument
        return False

    def cover(self, name: str) -> None:
        """Takes all values of one constructor as matched."""
        place = self._root.branches.setdefault(name, _Place())
        if not self._root.is_full and not place.is_full:
            place.is_full = True
            _fill([(self._root, name)])

    def missing(self) -> str | None:
        """A pattern for values that no arm matches; None if there are none."""
        if self._root.is_full:
            return None
        place, depth, text = self._root, 0, ""
        while True:
            if not place.families:
                return f"{text}_{')' * depth}"
            if place.signature is None:
                return f"{text}{_fresh_literal(place.family, set(place.branches))}{')' * depth}"
            name = next(name for name in place.signature if name not in place.done)
            if not place.signature[name]:
                return f"{text}{name}{')' * depth}"
            text, depth = f"{text}{name}(", depth + 1
            if name not in place.branches:
                return f"{text}_{')' * depth}"
            place = place.branches[name]


def _fill(path: list[tuple[_Place, str]]) -> None:
    """A place was filled: those above it are as well if all their constructors are."""
    for place, name in reversed(path):
        place.done.add(name)
        if place.signature is None or len(place.done) < len(place.signature):
            return
        place.is_full = True


def _settled(place: _Place, held: str | None, enum_of: EnumOf) -> list[tuple[_Place, str | None]]:
    """Determines the family of a place; returns the places below it with their types, if known."""
    if not place.families:
        return []
    if len(place.families) > 1:
        raise Unanswerable
    (place.family,) = place.families
    if place.family == _ENUM:
        fact = enum_of(frozenset(place.branches), held)
        if fact is None or fact.broken:
            raise Unanswerable
        payloads = dict(fact.members)
        place.family = fact.name
        place.signature = {name: payload is not None for name, payload in paced(payloads.items(), _OFTEN)}
        return [(below, payloads[name]) for name, below in paced(place.branches.items(), _OFTEN)]
    place.signature = SIGNATURES.get(place.family)
    name, arguments = split_type(held) if held is not None else ("", ())
    if name != place.family or not arguments:
        return [(below, None) for below in paced(place.branches.values(), _OFTEN)]
    return [(below, arguments[-1 if constructor == "Err" else 0]) for constructor, below in place.branches.items()]


def _fresh_literal(family: str, names: set[str]) -> str:
    if family == "String":
        return '""' if "" not in names else "_"
    number = 0
    while str(number) in names:
        number += 1
    return str(number)


def _family(pattern: Pattern) -> str:
    match pattern:
        case BoolPattern():
            return "Bool"
        case NonePattern():
            return "Option"
        case WrapPattern(kind=kind):
            return "Option" if kind == "Some" else "Result"
        case IntPattern():
            return "Int"
        case StringPattern():
            return "String"
    return _ENUM


def _head(pattern: Pattern) -> tuple[str | None, Pattern | None]:
    match pattern:
        case WildcardPattern() | NamePattern():
            return None, None
        case BoolPattern(value=value):
            return ("true" if value else "false"), None
        case NonePattern():
            return "None", None
        case WrapPattern(kind=kind, inner=inner):
            return kind, inner
        case IntPattern(text=text):
            return str(int(text)), None
        case StringPattern(raw=raw):
            return decoded(raw), None
        case VariantPattern(name=name, payload=payload):
            return name, payload
    return None, None
