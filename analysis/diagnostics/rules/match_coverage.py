"""Which values a list of patterns leaves out: the usefulness algorithm over constructors, with an example of what is missed.

A pattern is first turned into a `Shape`: a wildcard, or a constructor of a family (Bool, Option, Result, an enum, Int, String)
with at most one argument. What cannot be told (a mixture of families, an unknown enum) makes the whole question unanswerable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from analysis.semantics.declarations import TypeFact
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
    """The patterns mix families or name variants that are not known."""


@dataclass(frozen=True, slots=True)
class Constructor:
    """`family` is Bool, Option, Result, Int, String or the name of an enum; `argument` is None for one without payload."""

    family: str
    name: str
    argument: Shape | None


Shape: TypeAlias = Constructor | None
"""None is the pattern that matches everything."""

EnumOf: TypeAlias = Callable[[frozenset[str], str | None], TypeFact | None]
"""Finds the enum that a set of variant names belongs to, given its name where it is known."""


def missing_example(patterns: list[Shape], enums: dict[str, TypeFact]) -> str | None:
    """A pattern for values that no pattern of the list matches; None if there are none."""
    constructors = [pattern for pattern in patterns if pattern is not None]
    if len(constructors) < len(patterns):
        return None
    if not constructors:
        return "_"
    family = constructors[0].family
    arguments: dict[str, list[Shape]] = {}
    for made in constructors:
        arguments.setdefault(made.name, []).append(made.argument)
    signature = signature_of(family, enums)
    if signature is None:
        return _fresh_literal(family, set(arguments))
    for name, has_payload in signature:
        if name not in arguments:
            return f"{name}(_)" if has_payload else name
        if has_payload:
            deeper = missing_example(arguments[name], enums)
            if deeper is not None:
                return f"{name}({deeper})"
    return None


def is_useful(patterns: list[Shape], candidate: Shape, enums: dict[str, TypeFact]) -> bool:
    """Whether `candidate` matches a value that none of the patterns before it matches."""
    if candidate is None:
        return missing_example(patterns, enums) is not None
    same = [
        pattern.argument if pattern is not None else None
        for pattern in patterns
        if pattern is None or pattern.name == candidate.name
    ]
    if not _takes_argument(candidate, enums):
        return not same
    return is_useful(same, candidate.argument, enums)


def signature_of(family: str, enums: dict[str, TypeFact]) -> list[tuple[str, bool]] | None:
    """All constructors of a family and whether they have a payload; None for a family without end."""
    if family == "Bool":
        return [("true", False), ("false", False)]
    if family == "Option":
        return [("Some", True), ("None", False)]
    if family == "Result":
        return [("Ok", True), ("Err", True)]
    if family in ("Int", "String"):
        return None
    return [(name, payload is not None) for name, payload in dict(enums[family].members).items()]


def _takes_argument(made: Constructor, enums: dict[str, TypeFact]) -> bool:
    if made.family in enums:
        return enums[made.family].member(made.name) is not None
    return made.family in ("Option", "Result") and made.name != "None"


def _fresh_literal(family: str, names: set[str]) -> str:
    if family == "String":
        return '""' if "" not in names else "_"
    number = 0
    while str(number) in names:
        number += 1
    return str(number)


def shapes(patterns: list[Pattern], known: str | None, enum_of: EnumOf, enums: dict[str, TypeFact]) -> list[Shape]:
    """The shapes of patterns that stand in one column; fills `enums` with the enums that they belong to.

    `known` is the type's name where it is known. Raises `Unanswerable`.
    """
    families = {_family(pattern) for pattern in patterns} - {None}
    if len(families) > 1:
        raise Unanswerable
    family = next(iter(families), None)
    if family == "enum":
        names = frozenset(pattern.name for pattern in patterns if isinstance(pattern, VariantPattern))
        fact = enum_of(names, known)
        if fact is None or fact.broken:
            raise Unanswerable
        enums[fact.name] = fact
        family = fact.name
    groups: dict[str, list[tuple[int, Pattern | None]]] = {}
    for place, pattern in enumerate(patterns):
        name, argument = _head(pattern)
        if name is not None:
            groups.setdefault(name, []).append((place, argument))
    made: list[Shape] = [None] * len(patterns)
    for name, members in groups.items():
        assert family is not None
        payload = dict(enums[family].members).get(name) if family in enums else None
        with_payload = [(place, argument) for place, argument in members if argument is not None]
        inner = shapes([argument for _, argument in with_payload], payload, enum_of, enums)
        for place, _ in members:
            made[place] = Constructor(family, name, None)
        for (place, _), shape in zip(with_payload, inner, strict=True):
            made[place] = Constructor(family, name, shape)
    return made


def _family(pattern: Pattern) -> str | None:
    match pattern:
        case WildcardPattern() | NamePattern():
            return None
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
    return "enum"


def _head(pattern: Pattern) -> tuple[str | None, Pattern | None]:
    match pattern:
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
