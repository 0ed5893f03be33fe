"""The database: its revisions, its memos, and what happens when it is asked.

Reads top-down: the public methods, then `_ask` (every call that the fast path of `declaration.py` could not answer),
then the upkeep.  How an answer is verified or computed is in `computing.py`, how an input is set in `setting.py`.
Names with one underscore are private to this package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from analysis.database import branches, checkpoints, computing, cycles, eviction
from analysis.database.debris import Debris
from analysis.database.errors import Cancelled, Unwind
from analysis.database.eviction import Counts, QueryStatistics
from analysis.database.gate import Gate, get_ident
from analysis.database.memo import (
    ALWAYS_CHANGED,
    CANCELLED,
    FOREVER,
    MISSING,
    OBSERVED,
    Durability,
    Memo,
)

if TYPE_CHECKING:
    from analysis.database.declaration import Declaration, Input, Query

Event = tuple[str, str, Any]
"""Kind of event, name of the query, key."""

_CONSTANT = int(Durability.CONSTANT)
_DEFERRED_GROWTH = 4
"""Times its limit that a query may hold memos of while the evictions of a root wait for their turn."""


class Database:
    """Inputs and everything computed from them.

    `check_purity`: run every asked query again and raise `ImpureQuery` if its answer differs (slow: for tests).
    `limits`: resident memos per query, by name, instead of what the declarations say.
    """

    __slots__ = (
        "__weakref__",
        "_base",
        "_born",
        "_branched_at",
        "_check_purity",
        "_counts",
        "_crowded",
        "_events",
        "_failure",
        "_gate",
        "_give_way",
        "_last_changed",
        "_limits",
        "_now",
        "_parent",
        "_reads",
        "_revision",
        "_stack",
        "_tables",
        "_tick",
        "_unwinding",
        "is_branch",
    )

    def __init__(self, *, check_purity: bool = False, limits: Mapping[str, int] | None = None) -> None:
        self._start(Gate(), check_purity, dict(limits or {}))

    def _start(self, gate: Gate, check_purity: bool, limits: dict[str, int]) -> None:
        self.is_branch = False
        self._revision = 1
        self._last_changed = [1, 1, 1, 0]
        """For each durability, the latest revision that may concern answers of that durability."""
        self._tables: list[dict[Any, Memo]] = []
        self._counts: dict[int, Counts] = {}
        self._tick = 0
        """Counts the computations asked for from outside: the clock of eviction."""
        self._reads: cycles.Reads | None = None
        """Reads of the running query; None when none runs."""
        self._stack: list[cycles.Entry] = []
        self._unwinding: Unwind | None = None
        self._failure: Memo | None = None
        self._limits = limits
        self._crowded: dict[int, Declaration] = {}
        self._events: list[Event] | None = None
        self._check_purity = check_purity
        self._parent: Database | None = None
        self._base: dict[int, dict[Any, Memo]] = {}
        self._branched_at = 0
        self._born = 0
        """Of a branch: how many had been made then, with it."""
        self._give_way: Callable[[], None] | None = None
        """Called by a computation that has to stop, instead of raising `Cancelled`; the computation resumes afterwards."""
        self._gate = gate
        gate.members.add(self)
        self._now = self._visible_revision()

    # -- public -----------------------------------------------------------------------------------------------------

    @property
    def revision(self) -> int:
        """Grows whenever an input changes that a query may have read."""
        return self._revision

    def branch(self, give_way: Callable[[], None] | None = None) -> Database:
        """A database with the same inputs; later changes of either are invisible to the other.

        Cheap: inputs are copied by reference, answers are taken over when asked for.  Drop it when done.

        `give_way` is called at a query call of a computation that would have to stop; then the computation goes on, since
        nothing that it reads can have changed.  Meanwhile other databases may be queried and their inputs set.  What
        `give_way` raises ends the computation.  Branches of the branch do the same.
        """
        mine = self._gate.owner == get_ident()
        if not mine:
            self._gate.enter()
        try:
            if self._reads is not None:
                self._reads[ALWAYS_CHANGED] = None  # the running query may learn anything from the branch
            child = Database.__new__(Database)
            with self._gate.lock:
                child._start(self._gate, self._check_purity, dict(self._limits))
                child.is_branch = True
                child._give_way = give_way or self._give_way
                child._parent = self
                child._revision = child._branched_at = self._revision
                child._last_changed = list(self._last_changed)
                child._base = {index: dict(inputs) for index, inputs in self._base.items()}
                for index, counts in self._counts.items():
                    if counts.declaration.is_input:
                        child._base.setdefault(index, {}).update(self._tables[index])
                self._gate.branches_made += 1
                child._born = self._gate.branches_made
                child._now = CANCELLED if self._now == CANCELLED else child._visible_revision()
            return child
        finally:
            if not mine:
                self._gate.leave()

    @property
    def debris(self) -> Debris:
        """Evicted values of this database and its branches that are large and not yet freed."""
        return self._gate.debris

    def tables(self) -> list[dict[Any, Any]]:
        """The containers of the answers, to free a large branch in small steps.

        They may be emptied only once the database itself is unused.
        """
        return list(self._tables)

    def cancel(self) -> None:
        """Make the computation that another thread runs now, if any, raise `Cancelled` at its next query call."""
        self._gate.cancel()

    def make_way(self) -> None:
        """Make a branch with `give_way` yield at its next query call; nothing else that runs is stopped."""
        self._gate.make_way()

    def checkpoint(self) -> None:
        """For long query bodies that call no other query: raises `Cancelled` if the computation has to stop."""
        if self._now == CANCELLED and self._gate.owner == get_ident():
            self._make_way()

    def defer_sweeps(self, queue: Callable[[], None] | None) -> None:
        """Leave the evictions of this root to `sweep`, called later: `queue` is called, perhaps often, when there are some to do.

        For a root that many wait for: a short computation, such as that of a keystroke, must not pay for what others computed.
        """
        self._gate.queue_sweep = queue

    def import_with(self, load: Callable[[str], None] | None) -> None:
        """Have modules that are needed late imported by `load`, for this root and its branches: it may let others go first."""
        self._gate.load = load

    def before_import(self, name: str) -> None:
        """To be called before a function imports a module that takes long, with its name: nobody waits for the import then."""
        if self._gate.load is not None:
            self._gate.load(name)

    def sweep(self) -> bool:
        """Evict now what is beyond the limits; False if it had to stop before the end, because others want to go first."""
        self._gate.enter()
        try:
            self._sweep()
        finally:
            self._gate.leave()
        return not self._crowded

    def set_limit(self, query: Query[*tuple[Any, ...], Any] | Input[*tuple[Any, ...], Any], limit: int) -> None:
        """Set the number of memos of a query (defaults of an input) that may stay, in this database and later branches of it."""
        self._limits[query.name] = limit
        self._table(query.declaration)
        self._note_growth(query.declaration)

    def values(self, input: Input[*tuple[Any, ...], Any]) -> list[tuple[Any, Any]]:
        """Keys and values of all that was set of an input and not removed."""
        return [(memo.key, memo.value) for memo in list(self._table(input.declaration).values()) if memo.explicit]

    def is_constant(self, query: Query[*tuple[Any, ...], Any], key: Any) -> bool:
        """True if a query has an answer that follows from its arguments alone; `key` is the argument, or the tuple of several."""
        memo = self._tables[query.declaration.index].get(key)
        return memo is not None and memo.value is not MISSING and not memo.tracked

    def statistics(self) -> dict[str, QueryStatistics]:
        return eviction.statistics(list(self._counts.values()), self._tables)

    @contextmanager
    def record_events(self) -> Iterator[list[Event]]:
        """A list that fills with (event, query name, key) while the block runs.

        Events: `execute`, `cut_off` (executed, equal answer), `verify` (an older answer found good), `reuse`,
        `evict`, `set`, `remove`.
        """
        outer = self._events
        events: list[Event] = []
        self._events = events
        self._gate.reopen(self)
        try:
            yield events
        finally:
            self._events = outer
            self._gate.reopen(self)

    # -- asking -----------------------------------------------------------------------------------------------------

    def _ask(self, declaration: Declaration, key: Any, seen: Memo | None = None) -> Any:
        """The answer, and a dependency of the running query on it. `seen` is what the fast path found in the table."""
        gate = self._gate
        if gate.owner != get_ident():
            at = checkpoints.computing
            outer = at.database
            gate.enter()
            at.database = outer or self
            try:
                return self._ask(declaration, key)
            finally:
                at.database = outer
                self._tick += 1  # a use after this is a later use than any in this computation
                gate.leave()
        if not self._stack:
            self._unwinding = None
        if self._now == CANCELLED and (self._stack or self._give_way is not None):
            self._make_way()
            seen = None
        if self._unwinding is not None:  # the running body swallowed it
            raise self._unwinding
        memo = seen if seen is not None and seen.declaration is declaration else self._table(declaration).get(key)
        if memo is None:
            memo = self._find(declaration, key)
        if memo.verified_at >= self._revision:
            memo.hits += 1
            if self._events is not None:
                self._event("reuse", memo)
        else:
            if memo.busy:
                cycles.reentered(self, memo)
            try:
                if memo.value is MISSING or memo.doubtful_at == self._revision:
                    computing.execute(self, memo)
                else:
                    computing.refresh(self, memo)
            except Exception:
                if self._reads is not None and self._failure is not None and self._failure.tracked:
                    self._reads[self._failure] = None
                raise
        memo.used = self._tick
        if self._check_purity:
            computing.check(self, memo)
        if self._reads is not None and memo.tracked:
            self._reads[memo] = None
        value = memo.value
        if self._crowded and not self._stack and not (self._parent is None and self._has_branches()):
            # What branches fill they evict themselves (`_note_growth`): a short computation in between has no time for it.
            if self._parent is None and self._gate.queue_sweep is not None:
                self._gate.queue_sweep()
            else:
                self._sweep()
        return value

    def _make_way(self) -> None:
        """Stops the computation of this thread, or lets others go first."""
        if self._give_way is None:
            raise Cancelled
        gate = self._gate
        gate.leave()
        try:
            self._give_way()
        finally:
            gate.enter()

    def _table(self, declaration: Declaration) -> dict[Any, Memo]:
        tables = self._tables
        index = declaration.index
        if index not in self._counts:
            with self._gate.lock:  # creating a branch iterates over all tables
                while len(tables) <= index:
                    tables.append({})
                self._counts.setdefault(index, Counts(declaration))
        return tables[index]

    def _find(self, declaration: Declaration, key: Any) -> Memo:
        """A memo for a key that has none here: the parent's, the default of an input, or an empty one to run."""
        if self._parent is not None:
            inherited = branches.inherit(self, declaration, key)
            if inherited is not None:
                inherited.used = self._tick  # it is about to be used: others go first
                self._note_growth(declaration)
                return inherited
        memo = Memo(declaration, key)
        if declaration.is_input:
            memo.value = declaration.call(declaration.function, self, key)
            memo.durability = declaration.durability
            memo.since = self._gate.branches_made
            memo.changed_at = self._revision
            memo.verified_at = FOREVER
            memo = self._tables[declaration.index].setdefault(key, memo)
        else:
            self._tables[declaration.index][key] = memo
        self._note_growth(declaration)
        return memo

    # -- upkeep -----------------------------------------------------------------------------------------------------

    def _visible_revision(self) -> int:
        return OBSERVED if self._events is not None or self._check_purity else self._revision

    def _has_branches(self) -> bool:
        return len(self._gate.members) > 1

    def _event(self, event: str, memo: Memo) -> None:
        if self._events is not None:
            self._events.append((event, memo.name(), memo.key))

    def _limit(self, declaration: Declaration) -> int:
        return self._limits.get(declaration.name, declaration.limit)

    def _note_growth(self, declaration: Declaration) -> None:
        size = len(self._tables[declaration.index])
        limit = self._limit(declaration)
        if size > limit:
            self._crowded[declaration.index] = declaration
            if not declaration.is_input and size > self._most(limit):
                eviction.sweep(self, declaration, limit)  # one computation alone must not grow without bounds

    def _most(self, limit: int) -> int:
        """Memos of a query at which the computation that runs evicts some in between."""
        is_deferred = self._queue_sweep() is not None and checkpoints.computing.database is self
        return (_DEFERRED_GROWTH * limit if is_deferred else limit + limit // 2) + 8

    def _queue_sweep(self) -> Callable[[], None] | None:
        """What queues an eviction, where those are left to `sweep`; None in branches, which evict at the end of a computation."""
        return self._gate.queue_sweep if self._parent is None else None

    def _sweep(self) -> None:
        crowded, self._crowded = self._crowded, {}
        for declaration in crowded.values():
            eviction.sweep(self, declaration, self._limit(declaration))
