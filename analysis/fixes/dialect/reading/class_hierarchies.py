"""Which classes, interfaces and traits of a program belong together, from its tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from analysis.fixes.dialect.reading.scanner import NAME, STRING, Token

_WORDS: Final = ("class", "struct", "interface", "protocol", "trait", "record")
_ABSTRACT: Final = ("interface", "protocol", "trait")
_THROWN: Final = ("Error", "Exception", "Throwable")
_LONGEST: Final = 40
"""Tokens of the head of a class."""


class Hierarchies(NamedTuple):
    """The names of all classes that have a base or are one; `concrete` those that belong to one with a base that has values."""

    all: frozenset[str]
    concrete: frozenset[str]
    edges: tuple[tuple[str, str], ...] = ()
    """Each class with a base of it."""


def hierarchies(tokens: Sequence[Token], behind: Mapping[int, int]) -> Hierarchies:
    """The classes of a program that inherit; `behind` leads from opening brackets behind their closing ones."""
    declared = _declared(tokens)
    unions = _unions(tokens, declared)
    declared.update((name, (0, False)) for name, _ in unions)
    edges = [(part, name) for name, parts in unions for part in parts]
    edges += [(name, base) for name, base in _edges(tokens, behind, declared) if name != base]
    if not edges:
        return Hierarchies(frozenset(), frozenset())
    root = {name: name for name in declared}

    def top(name: str) -> str:
        while root[name] != name:
            name = root[name]
        return name

    for name, base in edges:
        if top(name) != top(base):
            root[top(name)] = top(base)
    concrete = {top(base) for _, base in edges if declared[base][1]}
    thrown = {top(name) for name, (place, _) in declared.items() if _is_thrown(name, _names_of_bases(tokens, behind, place))}
    edges = [edge for edge in edges if top(edge[0]) not in thrown]
    related = frozenset(name for edge in edges for name in edge)
    return Hierarchies(related, frozenset(name for name in related if top(name) in concrete), tuple(edges))


def _is_thrown(name: str, bases: list[str]) -> bool:
    """True for a class of exceptions, which are read otherwise."""
    return any(each.endswith(_THROWN) for each in (name, *bases))


def _declared(tokens: Sequence[Token]) -> dict[str, tuple[int, bool]]:
    """The place behind the name of each class, and whether there are values of it."""
    classes: dict[str, tuple[int, bool]] = {}
    for place in range(len(tokens) - 2):
        word, name, follows = tokens[place : place + 3]
        if word.kind != NAME or name.kind != NAME:
            continue
        if word.text == "type" and follows.text in ("interface", "struct"):
            classes[name.text] = (place + 3, follows.text == "struct")
        elif word.text in _WORDS and name.text not in ("class", "struct", "case") and name.text[:1].isupper():
            before = _words_before(tokens, place)
            is_open = word.text not in _ABSTRACT and not before & {"abstract", "sealed", "enum"}
            classes[name.text] = (place + 2, is_open)
    return classes


def _unions(tokens: Sequence[Token], declared: Mapping[str, tuple[int, bool]]) -> list[tuple[str, list[str]]]:
    """`Shape = Union[Circle, Rect]`, `Shape = Circle | Rect` of Python: the name and the classes."""
    unions: list[tuple[str, list[str]]] = []
    for place in range(len(tokens) - 4):
        name, sign = tokens[place], tokens[place + 1]
        if not (name.is_first and name.column == 0 and name.kind == NAME and sign.text == "=") or name.text in declared:
            continue
        parts: list[str] = []
        for token in tokens[place + 2 : place + _LONGEST]:
            if token.is_first or token.kind == STRING:
                break
            if token.kind == NAME and token.text != "Union":
                parts.append(token.text)
            elif token.text not in ("|", ",", "[", "]", "Union"):
                parts.append("")
        if len(parts) > 1 and all(part in declared for part in parts):
            unions.append((name.text, parts))
    return unions


def _words_before(tokens: Sequence[Token], place: int) -> set[str]:
    words: set[str] = set()
    while place >= 0 and tokens[place].kind == NAME and len(words) < 6:
        words.add(tokens[place].text)
        if tokens[place].is_first:
            break
        place -= 1
    return words


def _edges(tokens: Sequence[Token], behind: Mapping[int, int], declared: Mapping[str, tuple[int, bool]]) -> list[tuple[str, str]]:
    edges: list[tuple[str, str]] = []
    for name, (place, _) in declared.items():
        edges += [(name, base) for base in _names_of_bases(tokens, behind, place) if base in declared]
    for place in range(len(tokens) - 3):
        word = tokens[place]
        if word.kind == NAME and word.text == "impl" and tokens[place + 2].text == "for":
            edges.append((tokens[place + 3].text, tokens[place + 1].text))
        if word.kind == NAME and word.text == "extension" and tokens[place + 2].text == ":":
            edges.append((tokens[place + 1].text, tokens[place + 3].text))
    edges += _structural(tokens, behind, declared)
    return [(name, base) for name, base in edges if name in declared and base in declared]


def _names_of_bases(tokens: Sequence[Token], behind: Mapping[int, int], place: int) -> list[str]:
    """The names between a class's name and its body."""
    names: list[str] = []
    if tokens[place].text == "(" and place in behind:
        after = behind[place]
        if tokens[after].text == ":" and (tokens[after].is_first or tokens[min(after + 1, len(tokens) - 1)].is_first):
            return [each.text for each in tokens[place:after] if each.kind == NAME]
    stop = min(place + _LONGEST, len(tokens) - 1)
    while place < stop:
        token = tokens[place]
        if token.text == "(" and place in behind:
            place = behind[place]
            continue
        if (
            token.text in ("{", ";", "permits")
            or token.kind == STRING
            or (token.is_first and token.text not in (":", "extends", "implements"))
        ):
            break
        if token.kind == NAME:
            names.append(token.text)
        place += 1
    return names


def _structural(
    tokens: Sequence[Token], behind: Mapping[int, int], declared: Mapping[str, tuple[int, bool]]
) -> list[tuple[str, str]]:
    """Structs of Go with all methods of an interface."""
    received: dict[str, set[str]] = {}
    for place in range(len(tokens) - 6):
        if tokens[place].text == "func" and tokens[place + 1].text == "(" and place + 1 in behind:
            after = behind[place + 1]
            owner, name = tokens[after - 2], tokens[after]
            if owner.kind == name.kind == NAME:
                received.setdefault(owner.text, set()).add(name.text)
    edges: list[tuple[str, str]] = []
    for base, (place, is_open) in declared.items():
        if is_open or not received or tokens[place].text != "{" or tokens[place - 1].text != "interface":
            continue
        inside = range(place + 1, behind.get(place, place + 1) - 1)
        names = {tokens[at].text for at in inside if tokens[at].is_first and tokens[at + 1].text == "("}
        edges += [(owner, base) for owner, methods in received.items() if names and names <= methods]
    return edges
