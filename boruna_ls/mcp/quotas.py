"""Use of shared resources by one principal: one object for all sessions of a principal, one for each client on a stream."""

from __future__ import annotations

from typing import Final

from analysis.data_classes import dataclass
from boruna_ls.runtime.fair_queue import Share
from boruna_ls.workspace import Client

LOCAL: Final = "local agent"


@dataclass(slots=True, eq=False, weakref_slot=True)
class Quota:
    """`calls`: how many wait or run. The pool of programs counts runs by this object, too, and gives its owners turns."""

    calls: int = 0
    principal: str = LOCAL
    """The principal: all agents on streams are one, network clients are distinguished by their tokens."""


def share_of(client: Client) -> Share:
    """Owner of what runs for a client beside its calls."""
    return Share(client.principal or LOCAL, client.id)


async def unlimited() -> None:
    """Gate that never waits, for clients whose unread answers are bounded elsewhere."""
