"""Computes answers: verifies an older one or runs the body, then records the dependencies.

`refresh` asks whether the old answer is still good, `execute` runs the body, `settle` remembers the answer, `check`
is the purity check.  Called by `engine.py` for the thread that owns the gate; cycles are found in `cycles.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from analysis.database import branches, cycles, eviction
from analysis.database.errors import Cancelled, ImpureQuery, Unwind
from analysis.database.memo import (
    ALWAYS_CHANGED,
    CANCELLED,
    FOREVER,
    MISSING,
    Durability,
    Memo,
    same,
)

if TYPE_CHECKING:
    from analysis.database.engine import Database

_CONSTANT = int(Durability.CONSTANT)
_SIGHT: Final = 2
_LITTLE: Final = 8
"""Depth of a first look at dependencies, and the largest number of dependencies of a memo that it enters."""


def refresh(db: Database, root: Memo) -> None:
    """Bring an older answer up to date: walk its dependencies without recursion, run only what must run."""
    if db._last_changed[root.durability] <= root.verified_at:
        verified(db, root)
        return
    if root.foreign:
        branches.translate(db, root)
    if _is_good_at_first_sight(db, root):
        unchanged(db, root)
        return
    path = [root]
    root.busy = True
    db._stack.append(path)
    try:
        walk(db, path, [0])
        return
    except Unwind as unwind:
        doubt(db, path)
        if unwind.target is not path:
            raise
        db._unwinding = None
    except Exception:
        # A dependency failed.  What the bodies above it make of that, only running them can tell.
        if len(path) == 1:
            raise
        doubt(db, path)
    finally:
        db._stack.pop()
        for memo in path:
            memo.busy = False
    execute(db, root)


def _is_good_at_first_sight(db: Database, memo: Memo, depth: int = _SIGHT) -> bool:
    """The usual case after a keystroke, at a third of the cost: nothing to run, nothing to walk.

    What a memo depends on is looked at in the same way, `depth` steps deep and where it is little: a second look costs little.
    """
    revision = db._revision
    last_changed = db._last_changed
    tick = db._tick
    verified_at = memo.verified_at
    for dependency in memo.dependencies:
        if dependency.verified_at < revision:
            if dependency.doubtful_at == revision:
                return False
            if last_changed[dependency.durability] > dependency.verified_at:
                if not depth or dependency.busy or dependency.foreign or len(dependency.dependencies) > _LITTLE:
                    return False
                if not _is_good_at_first_sight(db, dependency, depth - 1):
                    return False
                unchanged(db, dependency)
            else:
                verified(db, dependency)
        if dependency.changed_at > verified_at:
            return False
        dependency.used = tick
    return True


def walk(db: Database, path: list[Memo], places: list[int]) -> None:
    """Verify `path[-1]` until the path is empty; `places` are the positions in their dependencies."""
    revision = db._revision
    last_changed = db._last_changed
    tick = db._tick
    while path:
        memo = path[-1]
        if memo.foreign:
            branches.translate(db, memo)
        changed = False
        deeper = False
        for place in range(places[-1], len(memo.dependencies)):
            dependency = memo.dependencies[place]
            dependency.used = tick
            if dependency.verified_at < revision:
                if dependency.busy or dependency.doubtful_at == revision:
                    db._unwinding = Unwind(path)
                    raise db._unwinding
                if last_changed[dependency.durability] > dependency.verified_at:
                    places[-1] = place
                    path.append(dependency)
                    places.append(0)
                    dependency.busy = True
                    deeper = True
                    break
                verified(db, dependency)
            if dependency.changed_at > memo.verified_at:
                changed = True
                break
        if deeper:
            continue
        if not changed:
            unchanged(db, memo)
        elif memo.value is MISSING:  # evicted or failed: there is nothing to compare a new answer with
            memo.changed_at = memo.verified_at = revision
        else:
            execute(db, memo)
        memo.busy = False
        path.pop()
        places.pop()


def unchanged(db: Database, memo: Memo) -> None:
    """All dependencies are as they were; only what they follow from may have become other inputs."""
    if memo.dependencies:
        memo.follow(memo.dependencies)
    verified(db, memo)


def verified(db: Database, memo: Memo) -> None:
    memo.verified_at = db._revision
    declaration = memo.declaration
    assert declaration is not None
    db._counts[declaration.index].verified += 1
    if db._events is not None and memo.key is not MISSING:
        db._event("verify", memo)


def doubt(db: Database, path: list[Memo]) -> None:
    for memo in path:
        memo.doubtful_at = db._revision


def execute(db: Database, memo: Memo) -> None:
    """Run the body and remember the answer; leaves no trace of a run that did not end, but for `_failure`."""
    declaration = memo.declaration
    assert declaration is not None
    reads: cycles.Reads = {}
    outer = db._reads
    db._reads = reads
    db._stack.append((memo, reads))
    memo.busy = True
    try:
        key = memo.key
        value = declaration.function(db, key) if declaration.single else declaration.function(db, *key)
        if db._unwinding is not None:  # the body swallowed it
            raise db._unwinding
        if db._now == CANCELLED and db._give_way is None:
            raise Cancelled
        settle(db, memo, value, tuple(reads))
    except Unwind as unwind:
        if unwind.target is not memo or unwind.error is None:
            raise
        db._unwinding = None
        fail(db, memo, unwind.dependencies)
        raise unwind.error from None
    except (RecursionError, MemoryError):
        fail(db, memo, (ALWAYS_CHANGED,))  # depends on the stack and the machine, which are no inputs
        raise
    except Exception:
        if db._unwinding is not None:
            raise db._unwinding from None
        fail(db, memo, tuple(reads))
        raise
    finally:
        db._stack.pop()
        db._reads = outer
        memo.busy = False
        if memo.value is MISSING:
            table = db._tables[declaration.index]
            if table.get(memo.key) is memo:
                del table[memo.key]


def settle(db: Database, memo: Memo, value: Any, dependencies: tuple[Memo, ...]) -> None:
    """Remember an answer; one that equals the old one leaves `changed_at` and the old object where they are."""
    declaration = memo.declaration
    assert declaration is not None
    counts = db._counts[declaration.index]
    counts.executed += 1
    cut_off = memo.value is not MISSING and same(value, memo.value)
    if not cut_off:
        memo.value = value
        memo.changed_at = db._revision
    memo.dependencies = dependencies
    memo.foreign = False
    if dependencies:
        memo.follow(dependencies)
        memo.verified_at = db._revision
    else:
        memo.durability = _CONSTANT
        memo.tracked = False
        memo.verified_at = FOREVER
        if db._parent is not None:
            branches.share(db, declaration, memo.key, memo)
    if cut_off:
        counts.cut_off += 1
    if db._events is not None:
        db._event("execute", memo)
        if cut_off:
            db._event("cut_off", memo)


def fail(db: Database, memo: Memo, dependencies: tuple[Memo, ...]) -> None:
    db._failure = eviction.remains(memo, dependencies, db._revision)


def check(db: Database, memo: Memo) -> None:
    """Run the body of a verified memo again: its answer must be the same."""
    declaration = memo.declaration
    if declaration is None or declaration.is_input or memo.checked_at == db._tick:
        return
    memo.checked_at = db._tick
    outer = db._reads
    db._reads = {}
    db._stack.append((memo, db._reads))
    memo.busy = True
    try:
        value = declaration.call(declaration.function, db, memo.key)
    except Exception as error:
        raise ImpureQuery(declaration.name, memo.key, memo.value, error) from error
    finally:
        memo.busy = False
        db._stack.pop()
        db._reads = outer
    if not same(value, memo.value):
        raise ImpureQuery(declaration.name, memo.key, memo.value, value)
