"""Inheritance of a branch from its parents: the inputs of that moment, and answers on request.

A branch has its own tables.  Constants are shared in both directions.  Any other memo is copied from the nearest parent
that has one, the first time it is asked for, unless that parent has touched it since the branch began or it follows from
an input that came into being since.  Its dependencies are translated to the branch's own memos when it has to be verified.
A memo that cannot be inherited is computed again: that costs time, never correctness.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analysis.database.memo import ALWAYS_CHANGED, MISSING, Memo

if TYPE_CHECKING:
    from analysis.database.declaration import Declaration
    from analysis.database.engine import Database


def inherit(db: Database, declaration: Declaration, key: Any) -> Memo | None:
    """The branch's own memo made from the parent's, or None.  The caller found no own memo."""
    table = db._tables[declaration.index]
    if declaration.is_input:
        base = db._base.get(declaration.index, {}).get(key)
        if base is None:
            return None
        memo = _copy(base, key)
        # Set by the parent in the meantime: its old value changed no later than the branch began.
        memo.changed_at = min(base.changed_at, db._branched_at)
        memo.explicit = base.explicit
    else:
        branch, theirs = _ancestor(db, declaration, key)
        if theirs is None or theirs.value is MISSING:
            return None
        if not theirs.tracked:
            memo = theirs
        elif theirs.busy or theirs.verified_at > branch._branched_at or theirs.since >= branch._born:
            return None
        else:
            memo = _copy(theirs, key)
            memo.dependencies = theirs.dependencies
            memo.foreign = True
    table[key] = memo
    return memo


def _ancestor(db: Database, declaration: Declaration, key: Any) -> tuple[Database, Memo | None]:
    """The memo of the nearest ancestor that has one, and the branch of that ancestor that `db` is, or comes from."""
    branch, parent = db, db._parent
    while parent is not None:
        memo = parent._table(declaration).get(key)
        if memo is not None:
            return branch, memo
        branch, parent = parent, parent._parent
    return branch, None


def _copy(memo: Memo, key: Any) -> Memo:
    own = Memo(memo.declaration, key)  # the parent may have evicted its memo, and with it the key
    own.value = memo.value
    own.durability = memo.durability
    own.since = memo.since
    own.changed_at = memo.changed_at
    own.verified_at = memo.verified_at
    return own


def translate(db: Database, memo: Memo) -> None:
    """Make the dependencies of a memo that was taken over the branch's own, as far as there is anything to compare."""
    dependencies = []
    for theirs in memo.dependencies:
        ours = _own(db, theirs)
        if ours is None:
            dependencies.append(ALWAYS_CHANGED)
            break
        dependencies.append(ours)
    memo.dependencies = tuple(dependencies)
    memo.foreign = False


def _own(db: Database, dependency: Memo) -> Memo | None:
    declaration = dependency.declaration
    key = dependency.key
    if declaration is None or key is MISSING:
        return None
    memo = db._table(declaration).get(key)
    return memo if memo is not None else inherit(db, declaration, key)


def share(db: Database, declaration: Declaration, key: Any, memo: Memo) -> None:
    """Give a constant computed in a branch to its parents: it holds everywhere."""
    parent = db._parent
    while parent is not None:
        parent._table(declaration).setdefault(key, memo)
        parent._note_growth(declaration)
        parent = parent._parent
