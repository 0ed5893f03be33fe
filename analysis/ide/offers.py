"""Completions that are computed once and searched at every keystroke: a long file has thousands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from analysis.ide.name_meanings import Kind


class Group:
    """Groups of completions; lower ones come before higher ones."""

    NEAR: Final = 0
    """The best matches: locals of the expected type, fields, variants."""
    FITTING: Final = 1
    LOCAL: Final = 2
    OWN: Final = 3
    TYPES: Final = 4
    BUILT_IN: Final = 5
    KEYWORD: Final = 6
    ELSEWHERE: Final = 7


class Completion(NamedTuple):
    """Something to write. Lower groups come first; `library` is one that has to be imported for it."""

    label: str
    kind: Kind
    insert: str
    detail: str = ""
    group: int = Group.OWN
    library: str = ""


class Offer(NamedTuple):
    """A completion and the type of its value. `is_ranked`: it moves up where that type is expected."""

    completion: Completion
    result: str | None
    is_ranked: bool = True


class Offers:
    """Completions of one kind, indexed so that those that may match a word are found fast. Equality compares the offers."""

    __slots__ = ("_names", "offers")

    def __init__(self, offers: Iterable[Offer]) -> None:
        self.offers = tuple(offers)
        self._names = [offer.completion.label.lower() for offer in self.offers]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Offers) and self.offers == other.offers

    def __hash__(self) -> int:
        return hash(self.offers)

    def like(self, word: str) -> Iterator[Offer]:
        """The offers that contain the word's first letter, in order: far fewer to rank than all."""
        if not word:
            return iter(self.offers)
        first = word.lower()[0]
        return iter([offer for offer, name in zip(self.offers, self._names, strict=True) if first in name])
