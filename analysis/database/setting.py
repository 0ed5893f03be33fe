"""Changing inputs: the only thing that makes a new revision.

A value that is equal to the old one changes nothing, and neither does the first value of an unread input; any
other waits until the running computation has noticed that it is outdated (`gate.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analysis.database.gate import get_ident
from analysis.database.memo import FOREVER, MISSING, Durability, Memo, same

if TYPE_CHECKING:
    from analysis.database.declaration import Declaration
    from analysis.database.engine import Database

_CONSTANT = int(Durability.CONSTANT)


def set_input(db: Database, declaration: Declaration, key: Any, value: Any, durability: int) -> None:
    if durability == _CONSTANT:
        raise ValueError(f"{declaration.name}: an input can change: it cannot be constant")
    table = db._table(declaration)
    memo = Memo(declaration, key)
    memo.value = value
    memo.durability = durability
    memo.changed_at = db._revision
    memo.verified_at = FOREVER
    memo.explicit = True
    with db._gate.lock:  # no branch begins between the test and the insertion
        memo.since = db._gate.branches_made
        if key not in db._base.get(declaration.index, ()) and table.setdefault(key, memo) is memo:
            return  # unread: nothing is outdated
    if not is_set(db, declaration, key, value, durability):
        write(db, declaration, key, memo)


def remove_input(db: Database, declaration: Declaration, key: Any) -> None:
    memo = current(db, declaration, key)
    if memo is not None and memo.explicit:
        write(db, declaration, key, None)


def current(db: Database, declaration: Declaration, key: Any) -> Memo | None:
    memo = db._table(declaration).get(key)
    return memo if memo is not None else db._base.get(declaration.index, {}).get(key)


def is_set(db: Database, declaration: Declaration, key: Any, value: Any, durability: int) -> bool:
    old = current(db, declaration, key)
    return old is not None and old.explicit and old.durability == durability and same(value, old.value)


def write(db: Database, declaration: Declaration, key: Any, memo: Memo | None) -> None:
    """Replace (or remove) an input in a new revision, once no computation runs."""
    mine = db._gate.owner == get_ident()
    if mine and db._stack:
        raise RuntimeError(f"{declaration.name}: a query must not set an input of its own database")
    if not mine:
        db._gate.enter_to_write(db)
    try:
        old = current(db, declaration, key)
        advance(db, declaration.durability if old is None else old.durability)
        table = db._tables[declaration.index]
        own = table.pop(key, None)
        db._base.get(declaration.index, {}).pop(key, None)
        if memo is not None:
            memo.changed_at = db._revision
            table[key] = memo
        if own is not None:
            db._counts[declaration.index].reused += own.hits
            own.changed_at = db._revision
            if not db._has_branches():
                own.value = MISSING
        if db._events is not None:
            db._events.append(("remove" if memo is None else "set", declaration.name, key))
        db._gate.reopen(db)
    finally:
        if not mine:
            db._gate.leave()


def advance(db: Database, durability: int) -> None:
    """Begin a revision in which answers of this durability or less have to be verified."""
    db._revision += 1
    for level in range(durability + 1):
        db._last_changed[level] = db._revision
