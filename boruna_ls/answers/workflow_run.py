"""The answers about runs of workflows (spec chapter 16, section 12; chapter 26, section 3), made of the store's record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from analysis.workflow.graph import graph_of
from analysis.workflow.reader import SOURCE, Definition, read_definition
from analysis.workflow.validation import unsafe_path
from boruna_ls.answers.envelope import failure, success
from boruna_ls.answers.run import NESTING_LIMIT
from boruna_ls.runtime.json_text import depth_of
from boruna_ls.workflow.audit import log_hash
from boruna_ls.workflow.records import AWAITING, COMPLETED, FAILED, PAUSED, RunRecord, StepRecord
from boruna_ls.workflow.run_inputs import WITHHELD
from boruna_ls.workflow.sources import LARGEST_SOURCE, LARGEST_SOURCES
from boruna_ls.workflow.store import Store

_SHOWN: Final = 60_000
"""Characters of one output in an answer."""


def sources_problem(definition: Definition, files: Mapping[str, str]) -> dict[str, Any] | None:
    """Failure envelope if these programs are not the ones that the steps name; None if they are."""
    needed: dict[str, str] = {}
    for name in sorted(definition.steps):
        if definition.steps[name].kind == SOURCE:
            path = definition.steps[name].source
            if reason := unsafe_path(path):
                message = f"step '{name}' source '{path}' {reason}: give a path below the workflow, like steps/a.ax"
                return failure(error_kind="invalid_path", message=message, path=path, step=name)
            needed.setdefault(path, name)
    for path in sorted(files):
        if reason := unsafe_path(path) or ("is empty" if not path else None):
            return failure(error_kind="invalid_path", message=f"source_files '{path}' {reason}", path=path, step=None)
    for path, name in needed.items():
        if path not in files:
            message = f"source_files has no '{path}', which step '{name}' runs"
            return failure(error_kind="missing_source", message=message, step=name, path=path)
    unused = sorted(set(files) - set(needed))
    if unused:
        message = f"no step names {', '.join(repr(path) for path in unused)}: leave them out, or name them in `source`"
        return failure(error_kind="unused_source", message=message, paths=unused)
    return _too_large(files)


def _too_large(files: Mapping[str, str]) -> dict[str, Any] | None:
    sizes = {path: len(text.encode("utf-8", "surrogatepass")) for path, text in files.items()}
    for path, size in sizes.items():
        if size > LARGEST_SOURCE:
            message = f"'{path}' has {size} bytes; a step may have {LARGEST_SOURCE}"
            return failure(error_kind="source_too_large", message=message, path=path)
    if sum(sizes.values()) > LARGEST_SOURCES:
        message = f"the programs have {sum(sizes.values())} bytes; together they may have {LARGEST_SOURCES}"
        return failure(error_kind="source_too_large", message=message, path=None)
    return None


def run_state(store: Store, record: RunRecord) -> dict[str, Any]:
    """A run as it is now."""
    definition = read_definition(record.definition).definition
    reached = store.steps(record.run_id)
    waiting = [name for name, step in reached.items() if step.status in AWAITING and record.status == PAUSED]
    tokens = {name: trigger.token for name, trigger in store.triggers(record.run_id).items() if not trigger.triggered_at}
    fields: dict[str, Any] = {
        "run_id": record.run_id,
        "workflow_name": record.summary.workflow_name,
        "workflow_hash": record.summary.workflow_hash,
        "status": record.status,
        "execution_order": list(graph_of(definition, inputs_too=True).order),
        "step_results": {name: _result(step, definition, tokens) for name, step in reached.items()},
        "steps": [_entry(step) for step in reached.values()],
        "total_duration_ms": record.duration_ms,
        "duration_ms": record.duration_ms,
        "started_at_ms": record.summary.started_at,
        "evidence": _evidence(store, record.run_id),
        "handle": f"workflow-{record.run_id}",
    }
    if given := store.inputs(record.run_id):
        fields["inputs"] = [run_input.shown() for run_input in given]
    if waiting:
        fields |= {"paused_at_step": waiting[0], "paused_at_steps": waiting}
    if record.status != FAILED:
        return success(**fields)
    failed = next((step for step in reached.values() if step.status == FAILED), None)
    return failure(error_kind="step_failed", message=(failed.error if failed else "") or "the run failed", **fields)


def _result(step: StepRecord, definition: Definition, tokens: Mapping[str, str]) -> dict[str, Any]:
    declared = definition.steps.get(step.step_id)
    result: dict[str, Any] = {
        "step_id": step.step_id,
        "status": step.status,
        "output_hash": step.output_hash,
        "duration_ms": step.duration_ms,
        "capabilities_used": list(declared.capabilities) if declared and step.status == COMPLETED else [],
        "error": step.error,
        "attempt_count": step.attempts,
        "output": _output(step),
    }
    if step.status in AWAITING and declared is not None:
        result["required_role"] = declared.required_role or None
        if step.step_id in tokens:
            result["token"] = tokens[step.step_id]
    return result


def _entry(step: StepRecord) -> dict[str, Any]:
    error = None if step.error is None else {"class": step.error_class, "message": _plain(step)}
    outputs = {"result": _output(step)} if step.withheld or step.output is not None else {}
    return {
        "id": step.step_id,
        "status": step.status,
        "outputs": outputs,
        "error": error,
        "steps_used": step.steps_used,
        "duration_ms": step.duration_ms,
    }


def _plain(step: StepRecord) -> str:
    """An error without the prefixes that say of which step it is."""
    text = step.error or ""
    while text.startswith(prefix := f"step '{step.step_id}' failed: "):
        text = text.removeprefix(prefix)
    return text


def _output(step: StepRecord) -> Any:
    if step.withheld:
        return {"withheld": WITHHELD}
    if step.output is None:
        return None
    if len(step.output) > _SHOWN:
        return {"cut": step.output[:_SHOWN], "characters": len(step.output)}
    # A reader of deep structured content may give up where this one does not.
    return json.loads(step.output) if depth_of(step.output) <= NESTING_LIMIT else step.output


def _evidence(store: Store, run: str) -> dict[str, Any]:
    entries = store.audit_log(run)
    return {"audit_entries": len(entries), "audit_log_hash": log_hash(entries)}
