"""Bounded memory and the numbers to watch it by: eviction of least recently used memos, counts per query.

Evicting a memo forgets its key and its value.  What is left of it, for as long as a dependent points to it, can
still be verified, so that a dependent whose inputs are unchanged stays good although its dependencies are evicted.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from analysis.data_classes import dataclass
from analysis.database import checkpoints, setting
from analysis.database.debris import characters
from analysis.database.memo import CANCELLED, FOREVER, MISSING, Memo

if TYPE_CHECKING:
    from analysis.database.declaration import Declaration
    from analysis.database.engine import Database

_AT_ONCE: Final = 200
"""Memos that are evicted before looking whether others are to go first."""
_LISTED_AT_ONCE: Final = 5_000
"""Memos that are looked through before that."""
_CHARACTERS: Final = 20_000
"""Characters of their keys: what follows from a text is freed with it, some ten objects for each word."""


@dataclass(frozen=True, slots=True)
class QueryStatistics:
    """Counters of one query (or input) in one database since it was created."""

    executed: int = 0
    """Runs of the body that ended with an answer."""
    reused: int = 0
    """Calls answered by a memo that was verified in the revision already."""
    verified: int = 0
    """Memos of older revisions found good without running."""
    cut_off: int = 0
    """Runs that gave the old answer again, so that nothing that depends on it needs to run."""
    evicted: int = 0
    live: int = 0
    """Memos held now."""


class Counts:
    """The mutable side of `QueryStatistics`."""

    __slots__ = ("cut_off", "declaration", "evicted", "executed", "reused", "verified")

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        self.executed = self.reused = self.verified = self.cut_off = self.evicted = 0


def statistics(counts: Iterable[Counts], tables: list[dict[Any, Memo]]) -> dict[str, QueryStatistics]:
    """Counts by name; declarations of the same name are added up."""
    totals: dict[str, list[int]] = {}
    for count in counts:
        table = tables[count.declaration.index]
        reused = count.reused + sum(memo.hits for memo in list(table.values()))
        row = (count.executed, reused, count.verified, count.cut_off, count.evicted, len(table))
        total = totals.setdefault(count.declaration.name, [0] * len(row))
        for place, number in enumerate(row):
            total[place] += number
    return {name: QueryStatistics(*total) for name, total in sorted(totals.items())}


def sweep(db: Database, declaration: Declaration, limit: int) -> None:
    """Evict the least recently used memos, an eighth more than necessary so that sweeps are rare."""
    table = db._tables[declaration.index]
    if declaration.is_input and db._stack:
        return
    victims = _candidates(db, declaration)
    if victims is None:
        db._crowded[declaration.index] = declaration
        return
    excess = len(victims if declaration.is_input else table) - limit
    if excess <= 0:
        return
    victims.sort(key=attrgetter("used"))
    del victims[excess + limit // 8 :]
    if declaration.is_input and victims:
        setting.advance(db, declaration.durability)  # defaults will look unread: their readers must verify again
    while victims:
        some = taken(victims)
        for memo in some:
            if not memo.busy and memo.value is not MISSING:
                evict(db, memo)
        del some, memo
        if victims and not _may_go_on(db):
            db._crowded[declaration.index] = declaration
            break
    db._gate.reopen(db)


def _candidates(db: Database, declaration: Declaration) -> list[Memo] | None:
    """The memos of a query that can be evicted; None if the computation has to stop first."""
    memos = list(db._tables[declaration.index].values())
    candidates: list[Memo] = []
    for start in range(0, len(memos), _LISTED_AT_ONCE):
        if start and not _may_go_on(db):
            return None
        some = memos[start : start + _LISTED_AT_ONCE]
        if declaration.is_input:
            candidates += [memo for memo in some if not memo.explicit]
        else:
            candidates += [memo for memo in some if not memo.busy and memo.value is not MISSING]
    return candidates


def taken(victims: list[Memo]) -> list[Memo]:
    """Takes so many from the end of a list as can be evicted at once.

    The last reference frees a memo: the caller drops them before it takes more.
    """
    some: list[Memo] = []
    length = 0
    while victims and len(some) < _AT_ONCE and length < _CHARACTERS:
        some.append(victims.pop())
        length += characters(some[-1].key)
    return some


def _may_go_on(db: Database) -> bool:
    """Lets others go first; False if the computation has to stop, which then evicts the rest another time."""
    computes = checkpoints.computing.database
    if computes is None or computes._give_way is None:
        return db._now != CANCELLED
    computes.checkpoint()
    return True


def evict(db: Database, memo: Memo) -> None:
    declaration = memo.declaration
    assert declaration is not None
    if db._events is not None:
        db._events.append(("evict", declaration.name, memo.key))
    table = db._tables[declaration.index]
    if table.get(memo.key) is memo:
        del table[memo.key]
    counts = db._counts[declaration.index]
    counts.reused += memo.hits
    counts.evicted += 1
    db._gate.debris.add_answer(memo.key, memo.value)
    if not memo.tracked:
        return  # a constant: no memo depends on it, and other databases may share it
    if declaration.is_input:
        memo.changed_at = db._revision
        memo.verified_at = FOREVER
    memo.key = MISSING
    if not declaration.is_input or not db._has_branches():
        memo.value = MISSING


def remains(memo: Memo, dependencies: tuple[Memo, ...], revision: int) -> Memo:
    """Substitute dependency for readers of a failed query: no key, no value, only the query's reads up to the failure."""
    rest = Memo(memo.declaration, MISSING)
    rest.dependencies = dependencies
    rest.follow(dependencies)
    rest.changed_at = rest.verified_at = revision
    rest.tracked = bool(dependencies)
    return rest
