"""Interfaces of libraries that a type names: they change nothing, since every value can be compared and shown by its methods."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.reading.scanner import NAME, OPERATOR, Token

_BASES: Final = frozenset(
    "Equatable Hashable Codable Comparable CustomStringConvertible Identifiable Sendable IComparable IEquatable Serializable "
    "Cloneable ICloneable Object object Encodable Decodable".split()
)
_WORDS: Final = ("implements", "extends", "with")
_LONGEST: Final = 40


def without_library_bases(tokens: list[Token], own_types: frozenset[str]) -> list[Token]:
    """The tokens without `: Equatable, Hashable` and `implements Comparable<Money>` where nothing else is named."""
    kept: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        begins = (token.kind == OPERATOR and token.text == ":") or (token.kind == NAME and token.text in _WORDS)
        end = _behind_bases(tokens, place + 1, own_types) if begins and not token.is_first else 0
        if end:
            place = end
            continue
        kept.append(token)
        place += 1
    return kept


def _behind_bases(tokens: list[Token], place: int, own_types: frozenset[str]) -> int:
    """The place of the brace behind names of libraries' interfaces; 0 where something else stands."""
    stop = min(place + _LONGEST, len(tokens))
    depth, first = 0, place
    while place < stop:
        token = tokens[place]
        if token.kind == OPERATOR and token.text in ("<", ">"):
            depth += 1 if token.text == "<" else -1
        elif token.kind == OPERATOR and token.text == "{" and depth == 0:
            return place if place > first else 0
        elif depth == 0 and not (token.text == "," or (token.kind == NAME and token.text in _BASES - own_types)):
            return 0
        place += 1
    return 0
