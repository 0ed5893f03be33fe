"""The answer of `boruna_repair` (spec chapters 05 section 7, 26 section 3): the repaired text and what was done."""

from __future__ import annotations

from typing import Any

from analysis.database import Database
from analysis.fixes.outcome import Applied, RepairOutcome
from analysis.inputs import FileId
from boruna_ls.answers.envelope import success


def repair_answer(db: Database, file: FileId, strategy: str | None, patch_id: str | None) -> dict[str, Any]:
    """The result of a repair; nothing is written."""
    # Each agent is shown the tool at its start; its engine takes longer to import than all the other tools together.
    db.before_import("analysis.fixes.repair")
    from analysis.fixes.repair import repair_file

    answer = answer_of(repair_file(db, file, "best" if strategy is None else strategy, patch_id))
    if patch_id is not None and any(left["diagnostic_id"] == "all" for left in answer["skipped"]):
        message = f"no diagnostic of this text has a patch with the id '{patch_id}': boruna_check lists the ids"
        answer.setdefault("warnings", []).append(message)
    return answer


def answer_of(outcome: RepairOutcome) -> dict[str, Any]:
    """An outcome as the tool and the command line show it."""
    answer = success(
        repaired_source=outcome.text,
        patches_applied=len(outcome.applied),
        patches_skipped=len(outcome.skipped),
        applied=[_applied(done) for done in outcome.applied],
        skipped=[{"diagnostic_id": left.code, "reason": left.reason} for left in outcome.skipped],
        verify_passed=outcome.verified,
        diagnostics_before=outcome.before,
        diagnostics_after=outcome.after,
        diff=outcome.diff,
    )
    if outcome.remaining:
        answer["remaining"] = [
            {"diagnostic_id": left.code, "severity": left.severity.value, "message": left.message, "line": left.line}
            for left in outcome.remaining
        ]
    if outcome.warnings:
        answer["warnings"] = list(outcome.warnings)
    return answer


def _applied(done: Applied) -> dict[str, Any]:
    shown: dict[str, Any] = {"diagnostic_id": done.code, "patch_id": done.fix.id, "description": done.fix.description}
    shown["confidence"] = done.fix.confidence.value
    return shown if done.placed_at is None else shown | {"placeholder": True, "line": done.placed_at}
