"""One preview: an application, the steps that it has taken, and the step that is shown. Runs on an event loop.

Programs run in worker processes (`task.py`), texts are compiled on the analysis thread; what is here only waits for them. An edit
stops what the older program was doing. States are kept over edits as far as they fit (`portable.py`).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from analysis.data_classes import dataclass, field
from analysis.ide.app_messages import AppMessage, app_messages
from analysis.inputs import FileId, defect
from boruna_ls.answers.app import CompiledApp, compiled_app, where_failed
from boruna_ls.answers.ast import items_of
from boruna_ls.preview.actions import Action, Answer, Go, Plain, Send, Wait
from boruna_ls.preview.task import DrawTask, PlayTask, Said
from boruna_ls.runtime.job import Task
from boruna_ls.runtime.pool_run import CannotStart, DeadlineExceeded, Died, QueueFull, Run, Stopped
from boruna_ls.runtime.workers import shared_pool
from boruna_ls.workspace import FileUnavailable, Host, Priority, ask

LONGEST_WAIT: Final = 8.0
"""Seconds that a page waits for the next update: less than clients wait for an answer, and people for a first click."""
MOST_STEPS: Final = 10_000
MOST_KEPT: Final = 16_000_000
"""Characters of the states of all steps, of what led to them and of what they declared."""
_SHOWN: Final = 8_000_000
"""Bytes of what is kept of drawn steps; others are drawn when they are shown."""
_NEIGHBOURS: Final = 10
"""Steps on each side that are drawn together with one."""
_LABEL: Final = 80
_SLOW: Final = 0.15
"""Seconds after which a page shows that the program is running."""
_PROBLEMS: Final = 20
Find = Callable[[Host], FileId]


@dataclass(slots=True)
class Step:
    """A state and what led to it; `shown` is JSON text of what is drawn of it by the program of `generation`."""

    said: Said | None
    label: str
    state: str
    facts: dict[str, Any]
    size: int
    """Characters that are kept of it, what is drawn aside."""
    shown: str | None = None
    failure: dict[str, Any] | None = None
    note: str = ""
    generation: int = 0


@dataclass(slots=True)
class _Seen:
    """The outcome of compiling the program."""

    app: CompiledApp | None = None
    messages: tuple[AppMessage, ...] = ()
    problems: list[dict[str, Any]] = field(default_factory=list)
    workspace: str = ""


class Preview:
    """`find` gives the program's file on the analysis thread; `title` is its name for people, `client` whose turns it takes."""

    def __init__(self, host: Host, find: Find, title: str, client: int = 0) -> None:
        self.host: Final = host
        self.title: Final = title
        self.listeners: list[Callable[[], None]] = []
        """Called on the event loop whenever something else is to be shown."""
        self.version = 0
        self.steps: list[Step] = []
        self.position = 0
        self.is_busy = False
        self.workspace = ""
        self._find = find
        self._client = client
        self._app: CompiledApp | None = None
        self._messages: tuple[AppMessage, ...] = ()
        self._problems: list[dict[str, Any]] = []
        self._payload_type: str | None = None
        self._generation = 0
        self._note = ""
        self._failure: dict[str, Any] | None = None
        self._again: list[Said] = []
        self._lock = asyncio.Lock()
        self._refreshing = asyncio.Lock()
        self._run: Run | None = None

    # ---- edits --------------------------------------------------------------------------------------------------

    async def refresh(self) -> None:
        """Looks at the text of the program again; a program that is another one now takes over."""
        async with self._refreshing:
            await self._refresh()

    async def _refresh(self) -> None:
        seen = await asyncio.wrap_future(ask(self.host, self._look, Priority.REQUEST, self._client))
        self.workspace = seen.workspace
        if seen.app is None:
            if seen.problems != self._problems:
                self._problems = seen.problems
                self._tell()
            return
        if self._app is not None and self._app.module == seen.app.module and not self._problems:
            self._app = seen.app
            return
        self.stop()
        async with self._lock:
            self._app, self._messages, self._problems = seen.app, seen.messages, []
            self._generation += 1
            self._failure = None
            self._note = ""
            await (self._carry() if self.steps else self._start())
        self._tell()

    def _look(self, host: Host) -> _Seen:
        try:
            file = self._find(host)
        except FileUnavailable as error:
            return _Seen(problems=[{"message": str(error)}])
        if reason := defect(host.db, file):
            return _Seen(problems=[{"message": f"{self.title} {reason}"}], workspace=file.workspace)
        app = compiled_app(host.db, file)
        if isinstance(app, CompiledApp):
            return _Seen(app, app_messages(items_of(host.db, file)), workspace=file.workspace)
        errors = app.get("errors") or [{"message": app.get("message", "the program does not compile")}]
        problems = [{name: error[name] for name in ("line", "col", "message") if name in error} for error in errors[:_PROBLEMS]]
        return _Seen(problems=problems, workspace=file.workspace)

    async def _carry(self) -> None:
        """Goes on with the state that is shown, or from the first one if it does not fit any more."""
        await self._draw()
        step = self.steps[self.position]
        if step.failure is not None and step.failure.get("kind") == "misfit":
            reason = step.failure["message"]
            self._remember()
            await self._start()
            self._note = f"started again from init(): {reason}"
        elif step.note:
            self._note = step.note

    def _remember(self) -> None:
        sent = [step.said for step in self.steps if step.said is not None]
        self._again = sent or self._again

    # ---- what a page asks for -----------------------------------------------------------------------------------

    async def act(self, action: Action) -> None:
        """Does it; what comes of it is what is shown from then on."""
        if isinstance(action, Wait):
            await self._changed(action.since)
            return
        if isinstance(action, Plain) and action.do == "stop":
            self.stop()
            return
        if isinstance(action, Plain) and action.do == "look":
            await self.refresh()
            return
        async with self._lock:
            timer = asyncio.get_running_loop().call_later(_SLOW, self._say_busy)
            try:
                await self._do(action)
            finally:
                timer.cancel()
                self.is_busy = False
        self._tell()

    async def _changed(self, since: int) -> None:
        """Returns when another version than `since` is to be shown, or after a while."""
        changed = asyncio.Event()
        self.listeners.append(changed.set)
        try:
            if self.version == since:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), LONGEST_WAIT)
        finally:
            self.listeners.remove(changed.set)

    async def _do(self, action: Send | Answer | Go | Plain) -> None:
        if self._app is None:
            return
        if isinstance(action, Go):
            self.position = min(action.to, max(len(self.steps) - 1, 0))
            self._failure = None
            await self._draw()
            return
        self._note = ""
        if isinstance(action, Plain):
            self._remember()
            await self._start()
            if action.do == "replay" and self.steps:
                await self._play(self._again)
        elif isinstance(action, Send):
            await self._play([Said(action.tag, action.payload, action.has("payload"))])
        else:
            await self._answer(action)

    async def _answer(self, action: Answer) -> None:
        effects = self.steps[self.position].facts["effects"] if self.steps else []
        can_answer = action.effect < len(effects) and "can_answer" in effects[action.effect]
        if not can_answer or not (action.has("payload") or "mock" in effects[action.effect]):
            self._failure = {"message": f"effect {action.effect} of this step cannot be answered"}
            return
        effect = effects[action.effect]
        payload = action.payload if action.has("payload") else effect["mock"]
        await self._play([Said(effect["callback_tag"], payload, True)])

    def stop(self) -> None:
        """Ends what the program is doing."""
        if self._run is not None:
            self._run.stop()

    # ---- runs ---------------------------------------------------------------------------------------------------

    async def _start(self) -> None:
        assert self._app is not None
        self.steps, self.position, self._failure = [], 0, None
        outcome = await self._task_outcome(PlayTask(self._app.module, self._app.message_type, None))
        self._take(outcome, [None])

    async def _play(self, messages: list[Said]) -> None:
        """Sends messages to the state that is shown; steps behind it are dropped."""
        assert self._app is not None
        if not self.steps:
            await self._start()
        if not self.steps:
            return
        if len(self.steps) + len(messages) > MOST_STEPS or sum(step.size for step in self.steps) > MOST_KEPT:
            self._failure = {"message": f"the time line is full ({len(self.steps):,} steps): start again"}
            return
        dropped = len(self.steps) - 1 - self.position
        state = self.steps[self.position].state
        outcome = await self._task_outcome(PlayTask(self._app.module, self._app.message_type, state, messages))
        if outcome["steps"]:
            del self.steps[self.position + 1 :]
            if dropped:
                self._note = (
                    f"{dropped} later step{'s were' if dropped > 1 else ' was'} dropped: the time line continues from here"
                )
        self._take(outcome, messages)
        if self.steps and self.steps[self.position].shown is None:
            failure = self._failure
            await self._draw()
            self._failure = failure

    def _take(self, outcome: dict[str, Any], sent: Sequence[Said | None]) -> None:
        """Adds the steps of an outcome to the time line."""
        self._payload_type = outcome.get("payload_type") or self._payload_type
        failure = self._placed(outcome.get("failure"))
        for number, (entry, message) in enumerate(zip(outcome["steps"], sent, strict=False)):
            facts = {name: entry[name] for name in ("steps", "diff", "effects", "dropped")}
            state = entry["state"]
            if self.steps and self.steps[-1].state == state:
                state = self.steps[-1].state
            size = len(state) + entry["size"] + (len(json.dumps(message.payload)) if message is not None else 0)
            step = Step(message, _label(message), state, facts, size, entry.get("shown"), self._placed(entry.get("failure")))
            step.generation = self._generation
            self.steps.append(step)
            if number + 1 == len(outcome["steps"]):
                self.position = len(self.steps) - 1
        if failure is not None and len(outcome["steps"]) < len(sent):
            failed = sent[len(outcome["steps"])]
            failure |= {"said": _label(failed) if failed is not None else "init"}
        self._failure = failure
        self._forget_drawn()

    async def _draw(self) -> None:
        """Has the step that is shown drawn by the present program, together with its neighbours."""
        if self._app is None or not self.steps:
            return
        here = self.steps[self.position]
        if not self._is_undrawn(here):
            return
        around = self.steps[max(self.position - _NEIGHBOURS, 0) : self.position + _NEIGHBOURS + 1]
        wanted = [step for step in around if self._is_undrawn(step)]
        wanted = [here, *(step for step in wanted if step is not here)]
        if sum(len(step.state) for step in wanted) > MOST_KEPT // 4:
            wanted = [here]
        outcome = await self._task_outcome(DrawTask(self._app.module, self._app.message_type, [step.state for step in wanted]))
        self._payload_type = outcome.get("payload_type") or self._payload_type
        for step, drawn in zip(wanted, outcome.get("drawn", ()), strict=False):
            step.generation, step.shown, step.note = self._generation, drawn.get("shown"), drawn.get("note", "")
            step.failure = self._placed(drawn.get("failure"))
            if "misfit" in drawn:
                step.failure = {"kind": "misfit", "message": drawn["misfit"]}
            else:
                step.state = drawn["state"]
        if "failure" in outcome:
            self._failure = self._placed(outcome["failure"])
        self._forget_drawn()

    def _is_undrawn(self, step: Step) -> bool:
        return step.generation != self._generation or (step.shown is None and step.failure is None)

    def _forget_drawn(self) -> None:
        left = sum(len(step.shown) for step in self.steps if step.shown is not None) - _SHOWN
        for step in self.steps if left > 0 else ():
            if left > 0 and step.shown is not None and step is not self.steps[self.position]:
                left -= len(step.shown)
                step.shown, step.generation = None, -1

    async def _task_outcome(self, task: Task) -> dict[str, Any]:
        """The outcome of a task; one without steps, with the failure, where no process gives it."""
        try:
            run = self._run = shared_pool().submit(task, task.deadline + 1, owner=("preview", self._client or id(self)))
            data: bytes = await asyncio.wrap_future(run.future)
            outcome: dict[str, Any] = json.loads(data)
            if isinstance(outcome.get("steps"), list) or "drawn" in outcome:
                return outcome
            message = outcome.get("error", {}).get("message", "the program used more memory than it may")
        except QueueFull:
            message = "too many programs are already queued"
        except DeadlineExceeded:
            message = f"the program took longer than {task.deadline:g} s and was stopped"
        except Stopped:
            message = "the program was stopped"
        except CannotStart as error:
            message = str(error)
        except Died as death:
            message = str(death)
        finally:
            self._run = None
        return {"steps": [], "drawn": [], "failure": {"kind": "host", "message": message, "stack": ()}}

    def _placed(self, failure: dict[str, Any] | None) -> dict[str, Any] | None:
        """A failure with its place in the text."""
        if failure is None or self._app is None:
            return failure
        return {"kind": failure["kind"], "message": failure["message"]} | where_failed(failure, self._app.places)

    # ---- what is shown ------------------------------------------------------------------------------------------

    def _say_busy(self) -> None:
        self.is_busy = True
        self._tell()

    def _tell(self) -> None:
        self.version += 1
        for listener in list(self.listeners):
            listener()

    def facts(self) -> dict[str, Any]:
        """Everything that is shown but the labels of steps and `shown`."""
        step = self.steps[self.position] if self.steps else None
        return {
            "title": self.title,
            "version": self.version,
            "busy": self.is_busy,
            "problems": self._problems,
            "note": self._note,
            "failure": self._failure or (step.failure if step is not None else None),
            "messages": [{"tag": message.tag, "payload": message.has_payload} for message in self._messages],
            "payload_type": self._payload_type,
            "can_replay": bool(self._again) or len(self.steps) > 1,
            "position": self.position,
            "length": len(self.steps),
            "step": step.facts if step is not None else None,
        }

    @property
    def shown(self) -> str:
        """JSON text of what is drawn of the step that is shown: `outline`, `view`."""
        return (self.steps[self.position].shown if self.steps else None) or "null"


class Viewer:
    """State of one page of a preview: the labels that it already has, so that they are not sent again with each step."""

    def __init__(self, preview: Preview) -> None:
        self._preview = preview
        self._sent_steps: list[Step] = []

    def update(self) -> str:
        """JSON text of what is to be shown now; `labels` are those of the steps from `labels_from` on."""
        steps, before = self._preview.steps, self._sent_steps
        same = 0
        while same < len(before) and same < len(steps) and before[same] is steps[same]:
            same += 1
        self._sent_steps = list(steps)
        facts = self._preview.facts() | {"labels_from": same, "labels": [step.label for step in steps[same:]]}
        return f'{json.dumps(facts, ensure_ascii=False)[:-1]}, "shown": {self._preview.shown}}}'


def _label(message: Said | None) -> str:
    if message is None:
        return "init"
    text = f"{message.tag}: {json.dumps(message.payload, ensure_ascii=False)}" if message.has_payload else message.tag
    return text if len(text) <= _LABEL else f"{text[:_LABEL]}…"
