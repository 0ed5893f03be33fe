"""Exceptions of queries besides their own, and the engine's private ways to unwind the stack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.database.memo import Memo


class Cancelled(BaseException):
    """The revision being computed is outdated (or `Database.cancel` was called): ask again or give up.

    Not an `Exception`, so that a query's own `except Exception` does not turn it into an answer.
    """


class CycleError(RuntimeError):
    """A query needed its own answer.

    `participants` are (query name, key) pairs in calling order, starting at the alphabetically first, so that the
    error is the same wherever the cycle was entered.
    """

    def __init__(self, participants: tuple[tuple[str, Any], ...]) -> None:
        self.participants = participants
        names = [f"{name}({key!r})" for name, key in participants]
        super().__init__("query cycle: " + " -> ".join([*names, names[0]]))


class ImpureQuery(RuntimeError):
    """A query answered differently although nothing that it read through the database had changed."""

    def __init__(self, name: str, key: Any, remembered: Any, recomputed: Any) -> None:
        self.name = name
        self.key = key
        super().__init__(
            f"query {name}({key!r}) is impure: it answered {_short(remembered)} and now answers {_short(recomputed)},"
            " though nothing it read through the database changed"
            " (an untracked read, an answer modified after the fact, or answers that do not compare by value)"
        )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + "…"


class Unwind(BaseException):
    """Leaves the running queries up to `target`; never seen by callers of the database.

    A running query as the target raises `error`, having read `dependencies`.  A path of memos that are being verified as
    the target (a list, outermost first) is given up: its first memo is run instead.
    """

    def __init__(self, target: Memo | list[Memo], error: CycleError | None = None, dependencies: tuple[Memo, ...] = ()) -> None:
        super().__init__()
        self.target = target
        self.error = error
        self.dependencies = dependencies
