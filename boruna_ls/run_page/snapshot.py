"""A run as the page shows it: the graph, which never changes, and everything that does, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from analysis.workflow.graph import dependencies
from analysis.workflow.graph_layout import HEIGHT, WIDTH, layout_of
from analysis.workflow.reader import GATE, TRIGGER, Definition, Step, read_definition
from boruna_ls.run_page.picture import path_of
from boruna_ls.workflow.audit import Entry
from boruna_ls.workflow.records import AWAITING_APPROVAL, RUNNING, Decision, RunRecord, StepRecord
from boruna_ls.workflow.run_inputs import WITHHELD
from boruna_ls.workflow.store import Store, now_ms

_OUTPUT: Final = 20_000
"""Characters of an output that the page shows."""
_LOG: Final = 500
"""Entries of the audit log that the page shows, the latest."""
_HASH: Final = 12


def graph_of_run(record: RunRecord) -> dict[str, Any]:
    """The steps with their places, and the lines as paths."""
    definition = read_definition(record.definition).definition
    layout, after = layout_of(definition), dependencies(definition)
    steps = [
        {"id": name, "kind": step.kind, "about": about(step), "after": after[name], "x": place[0], "y": place[1]}
        for name, place in sorted(layout.places.items())
        if (step := definition.steps[name])
    ]
    lines = [path_of(line.points) for line in layout.lines]
    return {"width": layout.width, "height": layout.height, "box": [WIDTH, HEIGHT], "steps": steps, "lines": lines}


def about(step: Step) -> str:
    """Short description of a step."""
    if step.kind == GATE:
        return f"gate for {step.required_role}" if step.required_role else "gate"
    return "event from outside" if step.kind == TRIGGER else step.source


def state_of_run(store: Store, record: RunRecord) -> dict[str, Any]:
    """Variable state of a run. Times are milliseconds since 1970."""
    definition = read_definition(record.definition).definition
    reached, decided = store.steps(record.run_id), store.decisions(record.run_id)
    summary, now = record.summary, now_ms()
    took = record.duration_ms + (max(now - summary.updated_at, 0) if record.status == RUNNING else 0)
    return {
        "now": now,
        "run": {
            "id": record.run_id,
            "name": summary.workflow_name,
            "version": definition.version,
            "status": record.status,
            "started": summary.started_at,
            "duration_ms": took,
        },
        "steps": {name: _step(step, decided.get(name)) for name, step in reached.items()},
        "waiting": _waiting(definition, reached, decided, record.status),
        "log": [_logged(entry) for entry in store.audit_log(record.run_id)[-_LOG:]],
    }


def _step(step: StepRecord, decision: Decision | None) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "status": step.status,
        "started": step.started_at,
        "ended": step.ended_at,
        "attempts": step.attempts,
        "error": step.error,
        "output": WITHHELD if step.withheld else _cut(step.output),
        "hash": step.output_hash,
    }
    if decision is not None:
        by = f" by {decision.approver}" if decision.approver else ""
        why = f": {decision.reason}" if decision.reason else ""
        shown["decision"] = f"{decision.decision}{by}{why}"
    return shown


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= _OUTPUT else f"{text[:_OUTPUT]}… ({len(text)} characters)"


def _waiting(
    definition: Definition, reached: Mapping[str, StepRecord], decided: Mapping[str, Decision], status: str
) -> list[dict[str, str]]:
    """Gates that wait for a decision."""
    if status not in ("running", "paused"):
        return []
    waiting = [name for name, step in reached.items() if step.status == AWAITING_APPROVAL and name not in decided]
    return [{"id": name, "role": definition.steps[name].required_role} for name in waiting if name in definition.steps]


def _logged(entry: Entry) -> dict[str, Any]:
    [(name, fields)] = entry.event.items()
    words = " ".join(str(value)[:200] for field, value in fields.items() if value != "" and not field.endswith("_hash"))
    return {"number": entry.sequence, "text": f"{name} {words}".strip(), "hash": entry.entry_hash[:_HASH]}
