"""`suggest_fix`: the fixes of a program's diagnostics, each tried, with what is left after it."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.ide.refactor.change import changed
from analysis.inputs import FileId, source
from analysis.text.edits import Fix
from boruna_ls.answers.analysis import diagnostic_entry
from boruna_ls.answers.check import placeholder_fields
from boruna_ls.answers.code_edits import edit_entry
from boruna_ls.answers.envelope import success, with_freshness
from boruna_ls.answers.positions import offset_of
from boruna_ls.mcp.arguments import Name, refusal
from boruna_ls.mcp.schemas import INTEGER, OMITTED
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.detail import DetailArguments, budget_of, size_of
from boruna_ls.mcp.tools.located import CodeArguments, Position, program

_MOST: Final = 20
"""Diagnostics whose fixes are tried in one call."""


class SuggestFixParams(DetailArguments, CodeArguments):
    diagnostic_id: Name | None = Field(None, description="Only those with this code")
    position: Position | None = Field(None, description="Only those here")


def run(call: Call[SuggestFixParams]) -> dict[str, Any]:
    file = program(call)
    db = call.host.db
    db.before_import("analysis.fixes.repair")
    from analysis.fixes.repair import fixes_for

    text = source(db, file)
    chosen = _diagnostics_asked_for(call, file)
    rows: list[tuple[tuple[int, ...], int, dict[str, Any]]] = []
    advice: list[dict[str, Any]] = []
    for chunk, diagnostic in chosen[:_MOST]:
        db.checkpoint()
        about = diagnostic_entry(text, text.offsets[chunk], diagnostic)
        fixes = fixes_for(db, file, chunk, diagnostic)
        if not fixes:
            advice.append({key: about[key] for key in ("id", "message", "help", "range") if about.get(key)})
        for fix in fixes:
            remaining = _remaining(db, file, fix)
            entry = {
                "title": fix.title,
                "patch_id": fix.id,
                "diagnostic": {key: about[key] for key in ("id", "message", "range")},
                "edits": [edit_entry(text, edit) for edit in fix.edits],
                "confidence": fix.confidence.value,
                **placeholder_fields(text, fix),
                "remaining_diagnostics": sum(remaining),
                "remaining_errors": remaining[0],
            }
            rows.append((remaining, len(rows), entry))
    rows.sort(key=lambda row: row[:2])
    left, shown = budget_of(call.arguments.detail) - 1_000, []
    for *_, entry in rows:
        left -= size_of(entry) + 1
        if left < 0:
            break
        shown.append(entry)
    answer = success(fixes=shown, diagnostics_found=len(chosen))
    if advice and size_of(advice) < left:
        answer["without_fix"] = advice
    if len(shown) < len(rows) or len(chosen) > _MOST:
        missing = max(len(rows) - len(shown), 0)
        rest = "give `position` or `diagnostic_id`; only the first 20 diagnostics are tried"
        answer["omitted"] = {"field": "fixes", "shown": len(shown), "left_out": missing, "rest": rest}
    return with_freshness(answer, call.host, file)


def _diagnostics_asked_for(call: Call[SuggestFixParams], file: FileId) -> list[tuple[int, Diagnostic]]:
    arguments, db = call.arguments, call.host.db
    text = source(db, file)
    offset = None
    if arguments.position is not None:
        try:
            offset = offset_of(text, arguments.position.as_dict())
        except ValueError as error:
            raise refusal("position", f"argument `position`: {error}") from None

    def is_meant(chunk: int, diagnostic: Diagnostic) -> bool:
        start = text.offsets[chunk]
        is_there = offset is None or start + diagnostic.span[0] <= offset <= start + diagnostic.span[1]
        return is_there and arguments.diagnostic_id in (None, diagnostic.code)

    entries = [entry for entry in check_file(db, file).entries if is_meant(*entry)]
    order = list(Severity)
    return sorted(entries, key=lambda entry: order.index(entry[1].severity))


def _remaining(db: Database, file: FileId, fix: Fix) -> tuple[int, ...]:
    """Diagnostics after a fix, by severity, the errors first."""
    branch = db.branch()
    text = source(db, file)
    source.set(branch, file, changed(text, fix.edits))
    severities = [diagnostic.severity for _, diagnostic in check_file(branch, file).entries]
    return tuple(severities.count(severity) for severity in Severity)


TOOL: Final = Tool(
    name="suggest_fix",
    title="Fixes of diagnostics",
    description=(
        "Fixes of a program's diagnostics (all, of one code, or at a position), each tried on the whole file, sorted "
        "by what is left: edits, confidence, remaining diagnostics; `placeholder` if a value must be filled in. Writes nothing."
    ),
    arguments=SuggestFixParams,
    answer_fields={
        "fixes": {"type": "array", "items": {"type": "object"}},
        "diagnostics_found": INTEGER,
        "without_fix": {"type": "array", "items": {"type": "object"}, "description": "With advice"},
        "omitted": OMITTED,
    },
    run=run,
    example={"path": "app.ax", "diagnostic_id": "E003"},
)
