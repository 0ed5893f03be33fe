"""Rehearsals: a workflow run in memory with its decisions and events given beforehand. Nothing is stored, nothing is proven."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

from boruna_ls.runtime.workers import shared_pool
from boruna_ls.state.sql import Sqlite
from boruna_ls.workflow.driver import Driver, Hooks, Notify
from boruna_ls.workflow.records import AWAITING_APPROVAL, AWAITING_EVENT, PAUSED, Decision, NewRun
from boruna_ls.workflow.store import Outdated, Store, now_ms

APPROVER: Final = "rehearsal"


class Rehearsal:
    """One run in memory; `carry_out` blocks, `stop` may be called from any thread."""

    def __init__(self, new: NewRun, approvals: Mapping[str, Any], triggers: Mapping[str, str], notify: Notify) -> None:
        self.store = Store(Sqlite(None))
        self.run = self.store.begin(new)
        self._approvals = approvals
        self._triggers = triggers
        self._driver = Driver(self.store, shared_pool(), Hooks(notify=notify))

    def carry_out(self) -> None:
        """Drives the run until it ends, or waits for what was not given."""
        number = 1
        try:
            while asyncio.run(self._driver.drive(self.run, number)) == PAUSED and self._decide():
                number = self.store.take(self.run)
        except Outdated:
            return

    def stop(self) -> None:
        """Ends it soon."""
        self.store.cancel(self.run)

    def _decide(self) -> bool:
        """Answers what waits, as far as answers were given; whether there was one."""
        answered = False
        for name, step in self.store.steps(self.run).items():
            if step.status == AWAITING_APPROVAL and name in self._approvals:
                given = self._approvals[name]
                approved = given == "approved"
                reason = None if approved else str(given.get("rejected") or "") or None
                word = "approved" if approved else "rejected"
                answered |= self.store.decide(self.run, Decision(name, word, now_ms(), reason, APPROVER, ""))
            elif step.status == AWAITING_EVENT and name in self._triggers:
                answered |= self.store.triggered(self.run, name, self._triggers[name])
        return answered


def any_run(tell: Callable[[dict[str, Any]], None]) -> Notify:
    """A listener that does not care which run it is."""
    return lambda run, event: tell(event)
