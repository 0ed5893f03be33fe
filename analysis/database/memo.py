"""The values the query database is made of: durabilities, memos, and the revisions that mean something special.

A memo is one remembered answer together with what it was computed from.  Nothing here runs a query; the engine
that reads and writes memos is `engine.py`.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from analysis.database.declaration import Declaration


class Durability(IntEnum):
    """Durability of an input; an answer is as durable as the least durable input that it read."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2
    CONSTANT = 3
    """Of answers that read no input: never verified again, never a dependency.  No input can have it."""


_CONSTANT: Final = int(Durability.CONSTANT)


class Missing(Enum):
    """The type of `MISSING`, the mark of a memo that holds no answer (None is an answer like any other)."""

    MISSING = 0


MISSING: Final = Missing.MISSING

# Special revisions, in ascending order.  All stay below 2**30, where CPython compares integers fastest.
NEVER: Final = -1
FOREVER: Final = (1 << 30) - 3
"""`verified_at` of constants and inputs: good in every revision."""
OBSERVED: Final = FOREVER + 1
"""The database's current revision as the fast path sees it while every call must be observed (events, purity)."""
CANCELLED: Final = FOREVER + 2
"""The same while a computation has to stop: no memo is good enough, so every call takes the slow path and finds out."""


class Memo:
    """One answer of one query (or the value of one input), and how it came about.

    A memo is a node of the dependency graph: dependents point to the memos that they read.  Evicting a memo removes
    its key and its value but not the node, which lives as long as a dependent points to it and can still be
    verified through its own dependencies.
    """

    __slots__ = (
        "busy",
        "changed_at",
        "checked_at",
        "declaration",
        "dependencies",
        "doubtful_at",
        "durability",
        "explicit",
        "foreign",
        "hits",
        "key",
        "since",
        "tracked",
        "used",
        "value",
        "verified_at",
    )

    def __init__(self, declaration: Declaration | None, key: Any) -> None:
        self.declaration = declaration
        self.key = key
        self.value: Any = MISSING
        self.dependencies: tuple[Memo, ...] = ()
        """Reads of the last run, in the order of first reading.  Constants are left out."""
        self.changed_at = 0
        """Revision at which the answer last became a different one."""
        self.verified_at = NEVER
        """Latest revision at which the answer is known to be right."""
        self.durability: int = 0
        self.tracked = True
        """False for constants: readers need not record them."""
        self.explicit = False
        """Of an input: set from outside (not a default that was read)."""
        self.busy = False
        """Being run or verified right now: must not be evicted, and asking for it is a cycle."""
        self.foreign = False
        """In a branch: the dependencies are still the memos of the parent database."""
        self.since = 0
        """Number of branches that existed when the youngest of its inputs came into being."""
        self.doubtful_at = NEVER
        """Revision in which verifying it led to an exception or a cycle: run it, do not verify it."""
        self.checked_at = NEVER
        """Tick at which the purity check last ran it again."""
        self.used = 0
        """Tick of the last use, for eviction."""
        self.hits = 0

    def follow(self, dependencies: tuple[Memo, ...]) -> None:
        """Take over what an answer has from what it was computed from."""
        durability, since = _CONSTANT, 0
        for dependency in dependencies:
            if dependency.durability < durability:
                durability = dependency.durability
            if dependency.since > since:
                since = dependency.since
        self.durability, self.since = durability, since

    def dismantle(self) -> None:
        """Drop the answer and the dependencies of a memo whose branch is unused; constants, which others may hold, stay.

        Otherwise each memo would live as long as its last dependent, and all would be freed at once with the first question.
        """
        if self.tracked and self.declaration is not None and not self.declaration.is_input:
            self.value = MISSING
            self.dependencies = ()

    def name(self) -> str:
        return "?" if self.declaration is None else self.declaration.name


def same(new: Any, old: Any) -> bool:
    """Are two answers interchangeable?  1, 1.0 and True are equal in Python, but they are different answers."""
    return new is old or (type(new) is type(old) and bool(new == old))


ALWAYS_CHANGED: Final = Memo(None, MISSING)
"""A dependency that never verifies, for answers that depend on more than what can be recorded."""
ALWAYS_CHANGED.changed_at = ALWAYS_CHANGED.verified_at = FOREVER
