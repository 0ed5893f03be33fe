"""Tasks of worker processes for previews: start an application, send it messages, draw its states again after an edit.

A task carries the state that it begins with, and its outcome carries the resulting states: no process is needed twice.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from analysis.data_classes import dataclass
from boruna_ls.framework.app import App, AppError
from boruna_ls.framework.difference import ABSENT, differences
from boruna_ls.framework.executors import MockExecutor
from boruna_ls.framework.records import Effect, PolicySet, Update
from boruna_ls.framework.rendering import Renderer
from boruna_ls.preview.drawing import Drawing
from boruna_ls.preview.portable import Misfit, TooLargeToKeep, read, written
from boruna_ls.runtime.forms import from_tagged
from boruna_ls.runtime.inputs import tagged_json
from boruna_ls.runtime.job import Task, unpacked
from boruna_ls.runtime.values import Value

MOST_EFFECTS: Final = 100
"""Effects of one message that are shown."""
MOST_DIFFERENCES: Final = 50
_SHOWN: Final = 1_000
"""Characters of a value in a list."""
_MOCK: Final = 10_000
"""Characters of a mocked answer as JSON; a longer one can be given by hand only."""
_KEPT: Final = 12_000_000
"""Characters of everything that one task keeps."""
_NOTHING: Final[dict[str, Any]] = {"String": "", "Int": 0, "Bool": False, "Float": 0.0}
"""By declared type, the payload of a message that has none."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message; without `payload` it has an empty one of the declared type. `payload` is plain JSON."""

    tag: str
    payload: Any = None
    has_payload: bool = False


@dataclass(frozen=True, slots=True)
class PlayTask(Task):
    """Sends messages to a state; to the first one, which is then a step of its own, if `state` is None.

    The outcome has `steps` (each with `state`, `diff`, `effects`, `dropped`, `steps`; the last with `shown`: JSON text),
    `payload_type`, and `failure` where it ends early; a step whose view fails is there, with its own `failure`.
    """

    module: bytes
    message_type: int | None
    state: str | None
    messages: Sequence[Said] = ()
    deadline: float = 15.0

    def perform(self, progress: Callable[[bytes], None]) -> dict[str, Any]:
        """Called in the worker process."""
        playing = _Playing(self)
        try:
            playing.play()
        except AppError as error:
            return playing.outcome | _failed(error)
        except (TooLargeToKeep, Misfit) as error:
            return playing.outcome | {"failure": {"kind": "preview", "message": str(error), "stack": ()}}
        return playing.outcome


@dataclass(frozen=True, slots=True)
class DrawTask(Task):
    """Draws states that an older program left. The outcome has `drawn`: a list of `shown`, `state` and `note`, or `misfit`."""

    module: bytes
    message_type: int | None
    states: Sequence[str]
    deadline: float = 15.0

    def perform(self, progress: Callable[[bytes], None]) -> dict[str, Any]:
        """Called in the worker process."""
        drawn: list[dict[str, Any]] = []
        try:
            app = App(unpacked(self.module), self.message_type, time.monotonic() + self.deadline)
            drawing, first = Drawing(app.program), app.init().value
            for text in self.states:
                try:
                    state, note = read(text, app.program, first)
                    drawn.append({"state": written(state, app.program), "note": note} | _shown(app, drawing, state))
                except (Misfit, TooLargeToKeep) as error:
                    drawn.append({"misfit": str(error)})
        except AppError as error:
            return {"drawn": drawn, "payload_type": None} | _failed(error)
        return {"drawn": drawn, "payload_type": app.payload_type}


class _Playing:
    def __init__(self, task: PlayTask) -> None:
        self._task = task
        self._steps: list[dict[str, Any]] = []
        self.outcome: dict[str, Any] = {"steps": self._steps, "payload_type": None}

    def play(self) -> None:
        task = self._task
        app = App(unpacked(task.module), task.message_type, time.monotonic() + task.deadline)
        self._app, self._renderer, self._drawing = app, Renderer(app.program), Drawing(app.program)
        self.outcome["payload_type"] = app.payload_type
        started, policy = app.init(), app.policies()
        state, kept = started.value, 0
        if task.state is None:
            nothing: dict[str, Any] = {"diff": [], "effects": [], "dropped": [], "size": 0}
            self._steps.append({"state": written(state, app.program), "steps": started.steps} | nothing)
        else:
            state = read(task.state, app.program, state)[0]
        for message in task.messages:
            state = self._send(policy, state, message)
            kept += len(self._steps[-1]["state"]) + self._steps[-1]["size"]
            if kept > _KEPT:
                raise TooLargeToKeep(f"the states after {len(self._steps)} messages take more than {_KEPT // 1_000_000} MB")
        if self._steps:
            self._steps[-1] |= _shown(app, self._drawing, state)

    def _send(self, policy: PolicySet, state: Value, message: Said) -> Value:
        app = self._app
        payload = message.payload if message.has_payload else _NOTHING.get(app.payload_type or "", 0)
        update, steps = app.update(state, app.message(message.tag, from_tagged(tagged_json(payload))))
        if violation := policy.violation(update.effects):
            raise AppError("policy_violation", f"policy violation: {violation}")
        facts: dict[str, Any] = {
            "diff": self._differences(state, update.state),
            "effects": self._effects(update.effects),
            "dropped": self._dropped(update),
        }
        kept = {"state": written(update.state, app.program), "steps": steps, "size": len(json.dumps(facts))}
        self._steps.append(facts | kept)
        return update.state

    def _differences(self, old: Value, new: Value) -> list[dict[str, str]]:
        shown, count = differences(old, new, self._renderer, MOST_DIFFERENCES)
        rows = []
        for difference in shown:
            sides = {"old": difference.old, "new": difference.new}
            rows.append(
                {"path": difference.path} | {name: self._text(value) for name, value in sides.items() if value is not ABSENT}
            )
        if count > len(rows):
            rows.append({"path": f"… {count - len(rows):,} more"})
        return rows

    def _effects(self, effects: list[Effect]) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for effect in effects[:MOST_EFFECTS]:
            row: dict[str, Any] = {
                "kind": effect.kind.kind,
                "payload": self._text(effect.payload),
                "callback_tag": effect.callback_tag[:_SHOWN],
            }
            if effect.kind.callback and len(effect.callback_tag) <= _SHOWN:
                answer = MockExecutor().run([effect])[0][1]
                shown = self._renderer.shown(answer, _MOCK)
                row |= {"can_answer": True, "mock_text": self._text(answer)}
                if not shown.cut:
                    row["mock"] = json.loads(shown.text)
            rows.append(row)
        if len(effects) > len(rows):
            rows.append({"kind": f"… {len(effects) - len(rows):,} more", "payload": "", "callback_tag": ""})
        return rows

    def _dropped(self, update: Update) -> list[dict[str, str]]:
        return [{"value": self._text(item.value), "reason": item.reason} for item in update.dropped[:MOST_EFFECTS]]

    def _text(self, value: Value) -> str:
        return self._renderer.text(value, _SHOWN)


def _shown(app: App, drawing: Drawing, state: Value) -> dict[str, Any]:
    """Display of a state, as JSON text: its outline, and the nodes of `view` or the reason why it fails."""
    shown: dict[str, Any] = {"outline": drawing.outline(state, "state")}
    failed: dict[str, Any] = {}
    try:
        shown["view"] = drawing.nodes(app.view(state).value)
    except AppError as error:
        failed = _failed(error)
    return {"shown": json.dumps(shown, ensure_ascii=False)} | failed


def _failed(error: AppError) -> dict[str, Any]:
    failed: dict[str, Any] = {"failure": {"kind": error.kind, "message": str(error), "stack": error.stack}}
    if error.limit is not None and error.limit.limit_kind == "memory":
        failed["error"] = {"limit_kind": "memory"}
    return failed
