"""Retention of answers while texts change: each keystroke leaves answers about a text that no longer exists.

A query declares what its answers are about, `@query(subject=…)`: its first arguments, one for each `Subject`. The inputs
determine which subjects are live. No query is known here by name, and evicting costs time, never an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from analysis.database.debris import characters as length
from analysis.database.eviction import evict, taken
from analysis.database.memo import MISSING, Memo

if TYPE_CHECKING:
    from analysis.database.declaration import Declaration, Input
    from analysis.database.engine import Database

RECENT: Final = 100
"""Answers of each query that stay although their subject is not live: for undoing the last keystrokes, and for branches."""
RECENT_CHARACTERS: Final = 200_000
"""Characters of those subjects: what follows from a text takes a hundred times its size."""
VARIANTS: Final = 8
"""Answers of a query about one live subject that stay, of those that differ in the other arguments. Each state of the rest of a
file leaves one behind; several are in use where files of several worktrees hold the same text.
"""
_STEP: Final = 2000
"""Keys that one step looks at: about a millisecond."""
_VALUES: Final = 100
"""Values of an input that one step looks at, with fewer members than _STEP."""
_GROUPS: Final = 200
"""Subjects whose answers one step looks at."""


class Subject:
    """Kind of subject of answers: `members` lists the subjects that the value of an input, with its key, keeps live."""

    __slots__ = ("input", "members", "name")

    def __init__(self, name: str, input: Input[*tuple[Any, ...], Any], members: Callable[[Any, Any], Iterable[Hashable]]) -> None:
        self.name = name
        self.input = input
        self.members = members

    def __repr__(self) -> str:
        return f"Subject({self.name!r})"


def retain(db: Database, recent: int = RECENT, variants: int = VARIANTS) -> Iterator[None]:
    """Evicts answers about dead subjects, and all but some variants of those about live ones.

    Iterate off the computing thread: each step takes a millisecond or two; other threads may run between steps.
    """
    declarations = [counts.declaration for counts in list(db._counts.values()) if counts.declaration.subjects]
    live: dict[Subject, set[Hashable]] = {subject: set() for declared in declarations for subject in declared.subjects}
    for input in dict.fromkeys(subject.input for subject in live):
        own = [subject for subject in live if subject.input is input]
        looked = 0
        for key, value in db.values(input):
            before = sum(len(live[subject]) for subject in own)
            for subject in own:
                live[subject].update(subject.members(key, value))
            looked += _STEP // _VALUES + sum(len(live[subject]) for subject in own) - before
            if looked >= _STEP:
                looked = 0
                yield
    for declaration in declarations:
        if db._tables[declaration.index]:
            yield from _retain(db, declaration, [live[subject] for subject in declaration.subjects], recent, variants)
    for members in live.values():
        db.debris.add(members)


def _retain(db: Database, declaration: Declaration, live: list[set[Hashable]], recent: int, variants: int) -> Iterator[None]:
    table = db._tables[declaration.index]
    keys = list(table)
    has_variants = declaration.arguments > len(live)
    gone: list[Any] = []
    by_subject: dict[Hashable, list[Any]] = {}
    while keys:
        for key in keys[-_STEP:]:
            about = (key,) if declaration.single else key[: len(live)]
            if not all(member in members for member, members in zip(about, live, strict=True)):
                gone.append(key)
            elif has_variants:
                by_subject.setdefault(about, []).append(key)
        del keys[-_STEP:]
        yield
    victims: list[Memo] = []
    yield from _least_used(table, gone, victims, recent, RECENT_CHARACTERS)
    for number, group in enumerate(by_subject.values(), 1):
        if len(group) > variants:
            yield from _least_used(table, group, victims, variants)
        if number % _GROUPS == 0:
            yield
    while victims:
        some = taken(victims)
        db._gate.enter()
        try:
            for memo in some:
                if not (memo.busy or memo.value is MISSING):
                    evict(db, memo)
        finally:
            db._gate.leave()
        del some, memo
        yield
    # The last references to the evicted keys, which hold texts and all that is known of blocks.
    db.debris.add(gone)


def _least_used(table: dict[Any, Memo], keys: list[Any], into: list[Memo], most: int, characters: float = inf) -> Iterator[None]:
    """Adds memos of some keys: not the `most` that were used last, whose keys have so many `characters` at most."""
    memos: list[Memo] = []
    for start in range(0, len(keys), _STEP):
        present = [table.get(key) for key in keys[start : start + _STEP]]
        memos += [memo for memo in present if memo is not None and not (memo.busy or memo.value is MISSING)]
        # In each step, since sorting all memos of a large file would take a long one.
        memos.sort(key=attrgetter("used"), reverse=True)
        into += memos[most:]
        del memos[most:]
        if len(keys) > _STEP:
            yield
    kept = most
    if characters != inf:
        kept = 0
        while kept < min(most, len(memos)) and (characters := characters - length(memos[kept].key)) >= 0:
            kept += 1
    into += memos[kept:]
