"""A session: an application and a list of messages, with the outcome of each as JSON text, bounded in size.

Runs where programs run, in a worker process. The outcome is plain data whose values are JSON texts already.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.bytecode.module import Module
from analysis.data_classes import dataclass, field
from boruna_ls.framework.app import App, AppError
from boruna_ls.framework.difference import ABSENT, differences
from boruna_ls.framework.machine import Cycle, Machine
from boruna_ls.framework.messages import Message
from boruna_ls.framework.rendering import Renderer, Shown
from boruna_ls.runtime.forms import from_tagged
from boruna_ls.runtime.inputs import tagged_json
from boruna_ls.runtime.values import Value

CYCLES_LIMIT: Final = 700_000
"""Bytes of all cycles in one answer."""
DIFFERENCES: Final = 50
"""Differences of one cycle that are shown."""
MOST_EFFECTS: Final = 1000
DROPPED: Final = 20
MOST_RESPONSES: Final = 100
"""Follow-up messages that one message may cause."""
_PART_LIMIT: Final = 10_000
"""Bytes of a value inside a list of differences or effects."""
_LIST_LIMIT: Final = 100_000
"""Bytes of such a list."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Messages to send. `responses`: by callback tag, the payload of a message that follows each effect with that tag.

    The first `offset` cycles are left out of the answer.
    """

    messages: Sequence[Message]
    message_type: int | None
    responses: Mapping[str, Any] = field(default_factory=dict)
    offset: int = 0
    until: float | None = None
    """Deadline, in seconds since the epoch: the start of a worker process counts, too."""


class Session:
    """Runs a plan and keeps what is to be shown."""

    def __init__(self, module: Module, plan: Plan) -> None:
        self._module = module
        self._plan = plan
        self._cycles: list[str] = []
        self._size = 0
        self._depth = 0
        self._is_full = False
        self._steps = 0
        self._sent = 0
        self._drawn: Value = None

    def run(self) -> dict[str, Any]:
        """The outcome. Failures of the application are part of it."""
        ends = None if self._plan.until is None else time.monotonic() + (self._plan.until - time.time())
        try:
            app = App(self._module, self._plan.message_type, ends)
            self._renderer = Renderer(app.program)
            machine = Machine(app)
        except AppError as error:
            return _failed(error) | {"steps": 0}
        self._steps = machine.start_steps
        initial = self._value(machine.initial)
        outcome: dict[str, Any] = {"init_state": initial.text, "init_text": self._renderer.text(machine.initial)}
        failure = self._send_all(machine)
        outcome |= {"cycles": self._cycles, "sent": self._sent, "total_cycles": machine.cycle, "steps": self._steps}
        if failure is not None:
            return outcome | _failed(failure) | {"cycle": self._sent, "depth": self._depth}
        final = self._value(machine.current)
        outcome |= {"final_state": final.text, "final_text": self._renderer.text(machine.current)}
        outcome["view"] = self._renderer.text(self._drawn) if self._sent else self._first_view(machine)
        return outcome | {"depth": self._depth}

    def _first_view(self, machine: Machine) -> str | None:
        """Text of the view before any message; None if `view` fails, since no message has asked for it."""
        try:
            return self._renderer.text(machine.view().value)
        except AppError:
            return None

    def _send_all(self, machine: Machine) -> AppError | None:
        for message in self._plan.messages:
            waiting = deque([(message.tag, _value_of(message.payload), message.written)])
            left = MOST_RESPONSES
            while waiting:
                tag, payload, written = waiting.popleft()
                self._sent += 1
                try:
                    cycle = machine.send(tag, payload)
                except AppError as error:
                    self._add_failed(written, error)
                    return error
                self._steps += cycle.steps
                self._add(cycle, tag, written)
                self._drawn = cycle.view
                for effect in cycle.effects if self._plan.responses else ():
                    if effect.callback_tag in self._plan.responses and left:
                        left -= 1
                        answer = self._plan.responses[effect.callback_tag]
                        follow_up = {"tag": effect.callback_tag, "payload": answer}
                        waiting.append((effect.callback_tag, _value_of(answer), follow_up))
        return None

    # ---- cycles as JSON ---------------------------------------------------------------------------------------------

    def _value(self, value: Value) -> Shown:
        shown = self._renderer.shown(value)
        self._depth = max(self._depth, shown.depth)
        return shown

    def _add(self, cycle: Cycle, tag: str, written: Any) -> None:
        if self._is_full or self._sent <= self._plan.offset:
            return
        parts = {
            "cycle": str(cycle.number),
            "diff": self._difference(cycle),
            "effects": self._effects(cycle),
            "message": _json(written),
            "state": self._value(cycle.after).text,
            "state_after": _json(self._renderer.text(cycle.after)),
            "steps": str(cycle.steps),
            "tag": _json(tag),
            "ui_tree": self._value(cycle.view).text,
            "view": _json(self._renderer.text(cycle.view)),
        }
        if cycle.update.dropped:
            parts["dropped_effects"] = self._dropped(cycle)
        self._append(_object(parts))

    def _add_failed(self, written: Any, error: AppError) -> None:
        if not self._is_full and self._sent > self._plan.offset:
            self._append(_json({"error": str(error), "message": written}))

    def _append(self, text: str) -> None:
        self._size += len(text.encode("utf-8", "surrogatepass"))
        if self._size > CYCLES_LIMIT and self._cycles:
            self._is_full = True
        else:
            self._cycles.append(text)

    def _difference(self, cycle: Cycle) -> str:
        listed, count = differences(cycle.before, cycle.after, self._renderer, DIFFERENCES)
        rows = []
        for difference in listed:
            sides = {"old": difference.old, "new": difference.new}
            shown = {name: self._part(value) for name, value in sides.items() if value is not ABSENT}
            rows.append(_object(shown | {"path": _json(difference.path)}))
        return _listed(rows, count)

    def _effects(self, cycle: Cycle) -> str:
        rows = [
            f'{{"callback_tag":{_json(effect.callback_tag)},"kind":"{effect.kind.kind}","payload":{self._part(effect.payload)}}}'
            for effect in cycle.effects[:MOST_EFFECTS]
        ]
        return _listed(rows, len(cycle.effects))

    def _dropped(self, cycle: Cycle) -> str:
        dropped = cycle.update.dropped
        rows = [_json({"reason": item.reason, "value": self._renderer.text(item.value, 200)}) for item in dropped[:DROPPED]]
        return _listed(rows, len(dropped))

    def _part(self, value: Value) -> str:
        shown = self._renderer.shown(value, _PART_LIMIT)
        # Inside a cycle, which is inside a list, inside the answer: the same depth as a state, and two more.
        self._depth = max(self._depth, shown.depth + 2)
        return shown.text


def _object(parts: Mapping[str, str]) -> str:
    """An object whose values are JSON texts."""
    return "{" + ",".join([f'"{name}":{parts[name]}' for name in sorted(parts)]) + "}"


def _listed(rows: list[str], count: int) -> str:
    """A list of JSON texts; what is left out is said by its last item."""
    kept, size = [], 0
    for row in rows:
        size += len(row)
        if size > _LIST_LIMIT:
            break
        kept.append(row)
    if len(kept) < count:
        kept.append(_json({"left_out": count - len(kept)}))
    return f"[{','.join(kept)}]"


def _failed(error: AppError) -> dict[str, Any]:
    failed: dict[str, Any] = {"kind": error.kind, "message": str(error), "stack": error.stack, "signature": error.signature}
    if error.limit is not None:
        failed |= {"limit_kind": error.limit.limit_kind, "limit": error.limit.limit}
    return {"error": failed}


def _value_of(data: Any) -> Value:
    return from_tagged(tagged_json(data))


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
