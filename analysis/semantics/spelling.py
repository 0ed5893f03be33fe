"""Guessing what a misspelt name was meant to be: edit distances, and the names that can be used at a place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from analysis.database import paced
from analysis.database.caches import cached
from analysis.syntax.parser import is_within_one

_LONGEST: Final = 200
"""Characters of a name that can be taken for a misspelt one."""
_FEW: Final = 1_000
"""So many names are all compared with a misspelt one."""
_KEY: Final = 3
_MOST_OF_A_KEY: Final = 200
"""Of more names, those are compared that begin or end with the same characters, so many of each kind at most."""


def distance(left: str, right: str, swaps: bool = True) -> int:
    """Edits (insert, delete, replace and, with `swaps`, exchange of neighbours) from one text to the other."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(right, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if swaps and i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]


class Distances:
    """`distance`, swaps included, from one name to many others: a column of the table of edits in the bits of a number.

    Bit-parallel, after Hyyrö, A bit-vector algorithm for computing Levenshtein and Damerau edit distances (2003).
    """

    __slots__ = ("_all", "_last", "_length", "_places")

    def __init__(self, name: str) -> None:
        self._length = len(name)
        self._all = (1 << len(name)) - 1
        self._last = (1 << len(name)) >> 1
        self._places: dict[str, int] = {}
        for place, letter in enumerate(name):
            self._places[letter] = self._places.get(letter, 0) | 1 << place

    def to(self, other: str, limit: int) -> int:
        """The distance to another name; any number beyond `limit` where it is greater than that."""
        if not self._length:
            return len(other)
        whole, last, places = self._all, self._last, self._places
        down, up, equal, before = whole, 0, 0, 0
        distance, left = self._length, len(other)
        for letter in other:
            here = places.get(letter, 0)
            swapped = ((~equal & here) << 1) & before
            equal = ((((here & down) + down) ^ down) | here | up | swapped) & whole
            right = up | (~(equal | down) & whole)
            back = equal & down
            left -= 1
            distance += (right & last != 0) - (back & last != 0)
            if distance - left > limit:
                return distance
            right = (right << 1) | 1
            down = ((back << 1) | ~(equal | right)) & whole
            up = right & equal & whole
            before = here
        return distance


class NearNames:
    """Selects the names worth comparing with a misspelt one: all of a few names, a bounded number of many."""

    __slots__ = ("_index", "_names")

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._index: dict[tuple[bool, str], list[int]] | None = None

    def of(self, name: str) -> Sequence[str]:
        """The names to compare with `name`, in their own order."""
        names = self._names
        if len(names) <= _FEW:
            return names
        index = self._index
        if index is None:
            index = {}
            for place, other in enumerate(paced(names, 1_000)):
                for key in _keys(other):
                    places = index.setdefault(key, [])
                    if len(places) < _MOST_OF_A_KEY:
                        places.append(place)
            self._index = index
        candidates = {place for key in _keys(name) for place in index.get(key, ())}
        return [names[place] for place in sorted(candidates)]


def _keys(name: str) -> tuple[tuple[bool, str], tuple[bool, str]]:
    return (True, name[:_KEY].lower()), (False, name[-_KEY:].lower())


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """The first candidate of the smallest distance that is at most a third of the name's length (at least 1)."""
    if len(name) > _LONGEST:
        return None
    length = len(name)
    best, nearest = max(1, length // 3) + 1, None
    letters = _letters(name)
    distances: Distances | None = None
    for candidate in candidates:
        # One edit changes the set of letters by two at most: that sorts out nearly all of a thousand names.
        if not -best < len(candidate) - length < best or (letters ^ _letters(candidate)).bit_count() > 2 * best:
            continue
        if candidate != name:
            distances = distances or Distances(name)
            near = distances.to(candidate, best - 1)
            if near < best:
                best, nearest = near, candidate
    if nearest is None:
        # Another spelling of the same letters: `Int` for `int`, `is_ok` for `isOk`.
        folded = _folded(name)
        nearest = next((candidate for candidate in candidates if candidate != name and _folded(candidate) == folded), None)
    return nearest


def nearest(name: str, candidates: Sequence[str], most: int) -> list[str]:
    """The candidates that a misspelt name can mean, by distance: at most a third of its length (at least 1)."""
    if len(name) > _LONGEST:
        return []
    limit = max(1, len(name) // 3)
    distances, letters = Distances(name), _letters(name)
    ranked = []
    for place, candidate in enumerate(paced(NearNames(candidates).of(name), 100)):
        if abs(len(candidate) - len(name)) <= limit and (letters ^ _letters(candidate)).bit_count() <= 2 * limit:
            near = distances.to(candidate, limit)
            if near <= limit:
                ranked.append((near, place, candidate))
    return [candidate for _, _, candidate in sorted(ranked)[:most]]


def is_short(name: str, near: str) -> bool:
    """True if a name has too few letters to say which one was meant: one or two, unless only their spelling differs."""
    return len(name) == 1 or (len(name) == 2 and _folded(name) != _folded(near))


_LONG_ENOUGH: Final = 4
"""Letters of a name of which one that is wrong leaves most."""


def is_tied(name: str, near: str, candidates: Iterable[str]) -> bool:
    """True if a misspelt name can as well mean another one than `near`: their numbers differ, or a candidate is equally near.

    In a name of four letters or more the first of equals counts as meant, as the native toolchain has it.
    """
    if _digits(name) != _digits(near):
        return True
    if len(name) >= _LONG_ENOUGH:
        return False
    others = (other for other in candidates if other not in (name, near))
    folded = _folded(name)
    if _folded(near) == folded:
        return any(_folded(other) == folded for other in others)
    distances = Distances(name)
    most = distances.to(near, len(name))
    letters = _letters(name)
    return any(
        abs(len(other) - len(name)) <= most
        and (letters ^ _letters(other)).bit_count() <= 2 * most
        and distances.to(other, most) <= most
        for other in paced(others, 100)
    )


def closest_unless_letter(name: str, candidates: Iterable[str]) -> str | None:
    """The closest name; none for a single letter, which is one edit from every other: an unknown type `E` is no misspelt `P`."""
    return closest(name, candidates) if len(name) > 1 else None


@cached(65_536)
def _letters(name: str) -> int:
    """The set of a name's characters as bits."""
    bits = 0
    for character in name:
        bits |= 1 << (ord(character) & 127)
    return bits


def _digits(name: str) -> str:
    return "".join(letter for letter in name if letter.isdigit())


@cached(65_536)
def _folded(name: str) -> str:
    return name.replace("_", "").lower()


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """Suffix that the reference adds to a message: the only candidate at distance one (chapter 04 section 3.3), or ""."""
    if len(name) > _LONGEST:
        return ""
    letters = _letters(name)
    near = [
        other
        for other in candidates
        if (letters ^ _letters(other)).bit_count() <= 2 and other != name and is_within_one(name, other)
    ]
    return f"\n  did you mean: '{near[0]}'?" if len(near) == 1 else ""
