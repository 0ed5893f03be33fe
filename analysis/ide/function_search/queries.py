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


def search(query: str, known: Sequence[Known]) -> Search:
    """Looks among `known` for what a query asks."""
    tried = trials(query, known)
    if tried:
        return Search((), tuple(tried))
    return Search(tuple(by_types(query, known) or by_words(query, known)))
