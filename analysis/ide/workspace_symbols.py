"""Finds declarations by a part of their names, as a person types it: `linetot` finds `line_total`.

Names are compared with the facts that are kept of each chunk; only chunks that hold one are looked at closer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from analysis.database import Database
from analysis.database.caches import cached
from analysis.ide.symbols import Symbol, chunk_symbols, moved
from analysis.inputs import FileId, source
from analysis.semantics.declarations import Declarations, file_declarations

_EXACT: Final = 0
BEGINNING: Final = 1
_WORD: Final = 2
_INSIDE: Final = 3
_SCATTERED: Final = 4
_LONGEST_PATTERN: Final = 64
"""Letters of a name that are worth a compiled pattern: compiling takes 10 microseconds a letter."""


class Match(NamedTuple):
    """A declaration that fits; `container` is the type of a field or variant. Lower ranks fit better."""

    rank: int
    file: FileId
    symbol: Symbol
    container: str


def matches(db: Database, file: FileId, query: str) -> Iterator[Match]:
    """The declarations of a file whose names fit; all of them, without members, for an empty query."""
    wanted = query.replace("::", ".").rpartition(".")[2]
    text = source(db, file)
    for index, facts in enumerate(file_declarations(db, file)):
        if not any(rank(wanted, name) is not None for name in _names(facts)):
            continue
        for symbol in chunk_symbols(db, text.chunks[index].text):
            yield from _matching(file, moved(symbol, text.offsets[index]), wanted)


def best(matches: Iterable[Match], most: int) -> list[Match]:
    """The best of all matches, the best first."""
    return sorted(matches, key=lambda match: (match.rank, len(match.symbol.name), match.symbol.name, match.file.path))[:most]


def rank(wanted: str, name: str) -> int | None:
    """Rank of a name as a match of the typed text; None if it does not match."""
    return ranking(wanted)(name)


@cached(64)
def ranking(wanted: str) -> Callable[[str], int | None]:
    """`rank` of many names."""
    typed = wanted.lower()
    has_letters = _has_letters(typed)

    def rank(name: str) -> int | None:
        lowered = name.lower()
        if not has_letters(lowered):
            return None
        if lowered.startswith(typed):
            return _EXACT if typed == lowered else BEGINNING
        at = lowered.find(typed)
        if at > 0:
            return _WORD if not lowered[at - 1].isalnum() or name[at].isupper() else _INSIDE
        return _SCATTERED

    return rank


def _has_letters(typed: str) -> Callable[[str], object]:
    """A test whether a name contains the typed letters in this order, with anything between them."""
    if len(typed) <= _LONGEST_PATTERN:
        return re.compile("".join([f"[^{re.escape(letter)}]*+{re.escape(letter)}" for letter in typed]), re.DOTALL).match

    def has_letters(name: str) -> bool:
        left = iter(name)
        return all(letter in left for letter in typed)

    return has_letters


def _names(facts: Declarations) -> Iterator[str]:
    for function in facts.functions:
        yield function.name
    for declared in facts.types:
        yield declared.name
        for name, _ in declared.members:
            yield name


def _matching(file: FileId, symbol: Symbol, wanted: str) -> Iterator[Match]:
    if (own := rank(wanted, symbol.name)) is not None and symbol.name:
        yield Match(own, file, symbol, "")
    for child in symbol.children if wanted else ():
        if (inner := rank(wanted, child.name)) is not None:
            # A type comes before its members, which are many.
            yield Match(inner + 1, file, child, symbol.name)
