"""The capabilities that have a live handler, by canonical name. A new one is a row here, or `Broker.register` at start-up.

`time.now`, `random`, `step.input`, `ui.render` and the actors' capabilities reach nothing outside: the policy alone bounds them.
"""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable
from typing import Final

from analysis.bytecode.module import Constant
from analysis.data_classes import dataclass
from boruna_ls.effects import database, files, net
from boruna_ls.effects.effect import Effect, Target
from boruna_ls.runtime.mock import UNIT

Perform = Callable[[Effect], Constant | Awaitable[Constant]]


@dataclass(frozen=True, slots=True)
class Handler:
    """`perform` answers a tagged constant or raises HandlerFailure. A plain function runs on a thread of the broker's, a
    coroutine function on its loop. `target` says what the ceiling must allow; None, or without it, the policy alone decides."""

    perform: Perform
    target: Callable[[Effect], Target | Awaitable[Target | None] | None] | None = None


def _nothing(_: Effect) -> Constant:
    return UNIT


HANDLERS: Final[dict[str, Handler]] = {
    "net.fetch": Handler(net.perform, net.target),
    "fs.read": Handler(files.read, files.target_of_read),
    "fs.write": Handler(files.write, files.target_of_write),
    "db.query": Handler(database.perform, database.target),
    "time.now": Handler(lambda _: ("Int", int(time.time()))),
    "random": Handler(lambda _: ("Float", random.SystemRandom().random())),
    "ui.render": Handler(_nothing),
    "actor.spawn": Handler(_nothing),
    "actor.send": Handler(_nothing),
}
