"""Decides which sort of query a text is, and asks for what it finds."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.data_classes import dataclass
from analysis.ide.function_search.examples import Trial, trials
from analysis.ide.function_search.known import Known
from analysis.ide.function_search.type_queries import by_types
from analysis.ide.function_search.words import by_words


@dataclass(frozen=True, slots=True)
class Search:
    """What is found, or for a query by example what has to be run to be found."""

    found: tuple[Known, ...]
    tried: tuple[Trial, ...] = ()


def search(query: str, functions: Sequence[Known]) -> Search:
    """Looks among `functions` for what a query asks."""
    tried = trials(query, functions)
    if tried:
        return Search((), tuple(tried))
    return Search(_distinct(by_types(query, functions) or by_words(query, functions)))


def _distinct(functions: Sequence[Known]) -> tuple[Known, ...]:
    """Without forms that say nothing beside the others: those without code whose name, or one like it, another row has."""
    names = {called for one in functions if one.signature or one.write for called in (one.name, *one.words)}
    kept = []
    for one in functions:
        if one.signature or one.write or names.isdisjoint((one.name, *one.words)):
            kept.append(one)
            names.update((one.name, *one.words))
    return tuple(kept)
