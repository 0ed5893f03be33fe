"""Runs as tables and as JSON (spec chapter 17, section 3.4)."""

from __future__ import annotations

import json
from typing import Any, Final

from boruna_ls.cli.output import visible_json, write_exact
from boruna_ls.workflow.records import RunRecord, Summary
from boruna_ls.workflow.run_inputs import WITHHELD
from boruna_ls.workflow.store import Store

_PREVIEW: Final = 200
_INLINE: Final = 65_536
"""Bytes of an output that is shown at all."""


def write_sorted(value: Any) -> None:
    """JSON with indentation and sorted keys."""
    write_exact(visible_json(json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)) + "\n")


def show_json(store: Store, record: RunRecord) -> dict[str, Any]:
    """A run as JSON."""
    summary = record.summary
    return {
        "approvals": [
            {
                "step_id": decision.step_id,
                "decision": decision.decision,
                "decided_at_ms": decision.decided_at,
                "reason": decision.reason,
            }
            for decision in store.decisions(record.run_id).values()
        ],
        "metadata_parse_error": None,
        "run": {
            "run_id": summary.run_id,
            "workflow_name": summary.workflow_name,
            "workflow_hash": summary.workflow_hash,
            "status": summary.status,
            "started_at_ms": summary.started_at,
            "updated_at_ms": summary.updated_at,
        },
        "steps": [
            {
                "step_id": step.step_id,
                "status": step.status,
                "attempt_count": step.attempts,
                "started_at_ms": step.started_at,
                "ended_at_ms": step.ended_at,
                "error_msg": step.error,
                "output_hash": step.output_hash,
                "output_json_preview": WITHHELD if step.withheld else preview(step.output),
            }
            for step in store.steps(record.run_id).values()
        ],
    }


def preview(output: str | None) -> str | None:
    """The beginning of an output; nothing of a very long one."""
    if output is None:
        return None
    data = output.encode("utf-8", "surrogatepass")
    if len(data) > _INLINE:
        return None
    return output if len(data) <= _PREVIEW else data[:_PREVIEW].decode("utf-8", "ignore") + "…"


def show_lines(store: Store, record: RunRecord) -> list[str]:
    """A run as tables."""
    summary = record.summary
    lines = ["=== Run ===", f"  run_id:        {summary.run_id}", f"  workflow:      {summary.workflow_name}"]
    lines += [f"  workflow_hash: {summary.workflow_hash}", f"  status:        {summary.status}"]
    lines += [f"  started_at_ms: {summary.started_at}", f"  updated_at_ms: {summary.updated_at}", "", "=== Steps ==="]
    widths: tuple[int, ...] = (24, 20, 8, 14, 14)
    steps = store.steps(record.run_id).values()
    if steps:
        lines.append(_row(widths, "STEP_ID", "STATUS", "ATTEMPTS", "STARTED_AT", "ENDED_AT", "OUTPUT_HASH"))
    for step in steps:
        digest = step.output_hash[:16] if step.output_hash else "(none)"
        lines.append(_row(widths, step.step_id, step.status, step.attempts, step.started_at or "-", step.ended_at or "-", digest))
        if step.error is not None:
            lines.append(f"    error: {step.error}")
    lines += [] if steps else ["  (none)"]
    lines += ["", "=== Approvals ==="]
    decisions = store.decisions(record.run_id).values()
    widths = (24, 10, 14)
    if decisions:
        lines.append(_row(widths, "STEP_ID", "DECISION", "DECIDED_AT", "REASON"))
    lines += [
        _row(widths, decision.step_id, decision.decision, decision.decided_at, decision.reason or "") for decision in decisions
    ]
    return lines if decisions else [*lines, "  (none)"]


def runs_json(runs: list[Summary]) -> list[dict[str, Any]]:
    """A list of runs as JSON."""
    return [
        {
            "run_id": run.run_id,
            "workflow_name": run.workflow_name,
            "status": run.status,
            "started_at_ms": run.started_at,
            "updated_at_ms": run.updated_at,
        }
        for run in runs
    ]


def list_lines(runs: list[Summary]) -> list[str]:
    """A list of runs as a table."""
    if not runs:
        return ["(no runs)"]
    widths = (12, 20, 32, 14)
    lines = [_row(widths, "STATUS", "RUN_ID", "WORKFLOW", "STARTED_AT", "UPDATED_AT", margin="")]
    for run in runs:
        cells = (run.status, run.run_id, run.workflow_name, run.started_at, run.updated_at)
        lines += [_row(widths, *cells, margin="")]
    return lines


def _row(widths: tuple[int, ...], *cells: Any, margin: str = "  ") -> str:
    padded = [f"{cell:<{width}}" for cell, width in zip(map(str, cells[: len(widths)]), widths, strict=True)]
    return margin + " ".join([*padded, *map(str, cells[len(widths) :])])
