"""Follows one run of a store for pages: polls for changes by any process, and carries out the user's decisions.

The user of the page is the owner: they started it at a terminal or in an editor. A decision goes the way of `workflow approve`,
and what is resumed is resumed by `workflow resume` in a process of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Final

from analysis.data_classes import dataclass
from boruna_ls.run_page.snapshot import graph_of_run, state_of_run
from boruna_ls.state.sql import StoreError
from boruna_ls.workflow.decisions import OWNER, Principal, decide
from boruna_ls.workflow.folders import WorkflowError
from boruna_ls.workflow.records import PAUSED
from boruna_ls.workflow.store import Store

MOST_BYTES: Final = 64_000
"""Size of an action."""
_LOOK: Final = 0.25
_LONGEST_REASON: Final = 4000
_NOTE: Final = 500
_RESUME: Final = "import sys; from boruna_ls.entry import main; sys.exit(main())"


class BadAction(Exception):
    """An action cannot be carried out; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class Action:
    """Action of a person: `approve`, `reject` (a step), `resume`, `cancel`."""

    do: str
    step: str = ""
    reason: str | None = None


def action_of(data: bytes | str) -> Action:
    """An action from JSON. Raises BadAction."""
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError):
        raise BadAction("an action is JSON") from None
    do, step, reason = (fields.get(name) for name in ("do", "step", "reason")) if isinstance(fields, dict) else (None,) * 3
    if do in ("resume", "cancel"):
        return Action(do)
    if do not in ("approve", "reject") or not isinstance(step, str):
        raise BadAction("an action is approve or reject with a step, resume, or cancel")
    if reason is not None and (not isinstance(reason, str) or len(reason) > _LONGEST_REASON):
        raise BadAction(f"a reason is a text of at most {_LONGEST_REASON} characters")
    return Action(do, step, reason or None)


class Watched:
    """One run. `place`: options of `workflow resume` that say where it is kept. Raises WorkflowError for an unknown run."""

    def __init__(self, store: Store, run: str, place: Sequence[str], approver: str = "") -> None:
        record = store.run(run)
        if record is None:
            raise WorkflowError(f"run not found: '{run}'")
        self.title = record.summary.workflow_name
        self.listeners: list[Callable[[], None]] = []
        self._store = store
        self._run = run
        self._place = [*place]
        self._approver = approver
        self._graph = graph_of_run(record)
        self._state = state_of_run(store, record)
        self._mark: Any = None
        self._version = 0
        self._note = ""
        self._wants_resume = False
        self._resuming: subprocess.Popen[bytes] | None = None
        self._soon = asyncio.Event()

    def viewer(self) -> Callable[[], str]:
        """Function that gives the updates of one page: JSON of the state, with the graph the first time."""
        graph_sent = False

        def update() -> str:
            nonlocal graph_sent
            graph = {} if graph_sent else {"graph": self._graph}
            graph_sent = True
            return json.dumps({**self._state, **graph, "note": self._note, "version": self._version}, ensure_ascii=False)

        return update

    async def act(self, action: Action) -> None:
        """Carries an action out. Raises BadAction."""
        try:
            await asyncio.to_thread(self._act, action)
        except (WorkflowError, StoreError) as error:
            raise BadAction(str(error)) from None
        self._soon.set()

    def _act(self, action: Action) -> None:
        self._note = ""
        if action.do == "cancel":
            if not self._store.cancel(self._run):
                raise WorkflowError(f"run '{self._run}' has already ended")
            return
        if action.do != "resume":
            approves = action.do == "approve"
            decide(self._store, self._run, action.step, approves, action.reason, Principal(OWNER, True), self._approver)
        self._wants_resume = True

    @contextlib.asynccontextmanager
    async def followed(self) -> AsyncIterator[None]:
        """Notify the listeners of every change while the block runs."""
        task = asyncio.create_task(self._follow())
        try:
            yield
        finally:
            task.cancel()

    async def _follow(self) -> None:
        seen: Any = None
        while True:
            with contextlib.suppress(StoreError):
                # A lost database returns: the run waits for it, too.
                mark = await asyncio.to_thread(self._look)
                if mark != seen:
                    seen = mark
                    self._version += 1
                    for listener in list(self.listeners):
                        listener()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._soon.wait(), _LOOK)
            self._soon.clear()

    def _look(self) -> Any:
        """Mark that differs after every change; the state is read anew then."""
        self._resume()
        mark = self._store.marks([self._run]).get(self._run), self._note
        record = self._store.run(self._run)
        if record is not None and (mark != self._mark):
            self._mark = mark
            self._state = state_of_run(self._store, record)
        return mark

    def _resume(self) -> None:
        if self._resuming is not None and self._resuming.poll() is not None:
            output = self._resuming.stderr.read() if self._resuming.stderr is not None else b""
            if self._resuming.returncode:
                self._note = output.decode("utf-8", "replace").strip()[-_NOTE:]
            self._resuming = None
        if not self._wants_resume or self._resuming is not None:
            return
        record = self._store.run(self._run)
        if record is not None and record.status == PAUSED:
            self._wants_resume = False
            self._resuming = _resumed(self._run, self._place)


def _resumed(run: str, place: Sequence[str]) -> subprocess.Popen[bytes]:
    # The place says it all already.
    environment = {name: value for name, value in os.environ.items() if name not in ("BORUNA_ENV", "BORUNA_DATA_DIR")}
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _RESUME, "workflow", "resume", run, *place],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
