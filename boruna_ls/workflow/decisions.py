"""Decisions and events from outside: every check before one is recorded (spec chapter 17, sections 3.1 and 3.2; chapter 28).

Who decides is the principal of the connection, which the caller knows and no argument says. An agent may not decide about what it
started, unless the definition of the gate says `self_approval`.
"""

from __future__ import annotations

import hmac
import json
import shlex
from typing import Any, Final

from analysis.data_classes import dataclass
from analysis.workflow.json_scanner import JsonError
from analysis.workflow.json_shapes import Reading
from analysis.workflow.reader import GATE, TRIGGER, Definition, read_definition
from boruna_ls.workflow.folders import DOCUMENT, WorkflowError, read_document
from boruna_ls.workflow.records import AWAITING_APPROVAL, AWAITING_EVENT, ENDED, Decision, RunRecord
from boruna_ls.workflow.store import Store, now_ms

OWNER: Final = "owner"


class NotAllowed(WorkflowError):
    """The principal may not make this decision."""


@dataclass(frozen=True, slots=True)
class Principal:
    """The acting party. The owner is a person at a terminal or an editor; an agent has the name of its connection."""

    name: str
    is_owner: bool


def changeable_run(store: Store, run: str) -> RunRecord:
    """A run that can still change. Raises WorkflowError."""
    record = store.run(run)
    if record is None:
        raise WorkflowError(f"run not found: '{run}'")
    if record.status in ENDED:
        raise WorkflowError(f"run '{run}' is {record.status}; cannot mutate")
    return record


def definition_in(record: RunRecord) -> Definition:
    """The definition in the folder that the run was started from. Raises WorkflowError."""
    path = f"{record.workflow_dir}/{DOCUMENT}"
    try:
        text = read_document(record.folder)
    except WorkflowError as error:
        raise WorkflowError(f"IO error: cannot read {path} (workflow_dir from run '{record.run_id}' metadata): {error}") from None
    try:
        return read_definition(text).definition
    except JsonError as error:
        raise WorkflowError(f"internal error: invalid workflow.json: {error}") from None


def decide(store: Store, run: str, step: str, approve: bool, reason: str | None, who: Principal, shown_as: str = "") -> None:
    """Records a decision. Raises WorkflowError if it cannot be."""
    record = changeable_run(store, run)
    definition = definition_in(record) if record.workflow_dir else read_definition(record.definition).definition
    gate = definition.steps.get(step)
    if gate is None:
        raise WorkflowError(f"step '{step}' not found in run '{run}'")
    if gate.kind != GATE:
        raise WorkflowError(f"step '{step}' in run '{run}' is not an approval gate")
    before = store.decisions(run).get(step)
    if before is not None:
        raise WorkflowError(f"step '{step}' in run '{run}' was already {before.decision}")
    reached = store.steps(run).get(step)
    if reached is None:
        raise WorkflowError(f"step '{step}' not found in run '{run}'")
    if reached.status != AWAITING_APPROVAL:
        raise WorkflowError(f"step '{step}' in run '{run}' is in state '{reached.status}', not awaiting_approval")
    # The definition that the run was started with counts, not an edited one.
    begun_with = read_definition(record.definition).definition.steps[step]
    if not who.is_owner and record.starter == who.name and not begun_with.self_approval:
        raise NotAllowed(
            f"step '{step}' in run '{run}' needs another approver: the one who started a run may not decide about it. "
            f"A person can: {shlex.join(('boruna-ls', 'workflow', 'approve', run, step, '--shared'))}"
        )
    decision = Decision(step, "approved" if approve else "rejected", now_ms(), reason, shown_as, gate.required_role)
    if not store.decide(run, decision):
        decided = store.decisions(run)[step].decision
        raise WorkflowError(f"step '{step}' in run '{run}' was already {decided}")


def payload_of(text: str) -> str:
    """The payload of an event, unchanged. Raises WorkflowError if it is not JSON."""
    try:
        check_json(text)
    except JsonError as error:
        raise WorkflowError(f"--payload is not valid JSON: {error}") from None
    return text


def check_json(text: str) -> None:
    """Raises JsonError if a text is not JSON."""
    reading = Reading(text)
    reading.any_value()
    reading.end()


def trigger(store: Store, run: str, step: str, token: str, payload: str) -> None:
    """Deliver an external event to a waiting step. Raises WorkflowError."""
    record = changeable_run(store, run)
    definition = definition_in(record) if record.workflow_dir else read_definition(record.definition).definition
    waiting = definition.steps.get(step)
    if waiting is None:
        raise WorkflowError(f"step '{step}' not found in run '{run}'")
    if waiting.kind != TRIGGER:
        raise WorkflowError(f"step '{step}' in run '{run}' is not an external_trigger step")
    issued, reached = store.triggers(run).get(step), store.steps(run).get(step)
    if issued is None and reached is None:
        raise WorkflowError(f"step '{step}' not found in run '{run}'")
    if issued is not None and issued.triggered_at:
        raise WorkflowError(f"step '{step}' in run '{run}' was already triggered at unix_ms={issued.triggered_at}")
    if issued is not None and not hmac.compare_digest(issued.token.encode(), token.encode("utf-8", "surrogatepass")):
        raise WorkflowError(f"trigger token mismatch for step '{step}' in run '{run}'")
    if reached is None or reached.status != AWAITING_EVENT:
        state = "pending" if reached is None else reached.status
        raise WorkflowError(f"step '{step}' in run '{run}' is in state '{state}', not awaiting_external_event")
    if not store.triggered(run, step, payload):
        raise WorkflowError(f"step '{step}' in run '{run}' was already triggered")


def compact_json(value: Any) -> str:
    """JSON of a payload that came as a value."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
