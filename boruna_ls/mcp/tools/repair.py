"""`boruna_repair`: a program with the patches of its diagnostics applied."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.answers.envelope import with_freshness
from boruna_ls.answers.repair import repair_answer
from boruna_ls.answers.shorten import shorten_repair
from boruna_ls.mcp.arguments import Argument
from boruna_ls.mcp.schemas import INTEGER, OMITTED
from boruna_ls.mcp.tool import FILE_NAME, PATH, SOURCE, Call, Tool

_STRATEGY: Final = Argument("strategy", str, "`best` (one patch for each diagnostic, the default) or `all`")
_PATCH_ID: Final = Argument("patch_id", str, "Apply only the patches with this id of `boruna_check`")
_ENTRIES: Final = {"type": "array", "items": {"type": "object"}}


def run(call: Call) -> dict[str, Any]:
    file = call.program()
    arguments = call.arguments
    answer = repair_answer(call.host.db, file, arguments["strategy"], arguments["patch_id"])
    return with_freshness(answer, call.host, file)


def _shorten(answer: dict[str, Any], limit: int, call: Call) -> dict[str, Any]:
    return shorten_repair(answer, limit)


TOOL: Final = Tool(
    name="boruna_repair",
    title="Repair a program",
    schema_title="RepairParams",
    description=(
        "Applies the patches of an .ax program's diagnostics, each only if it adds no error, and returns the new text "
        "and a unified diff. Nothing is written. `verify_passed`: something was repaired and no error is left."
    ),
    arguments=(SOURCE, PATH, FILE_NAME, _STRATEGY, _PATCH_ID),
    answer_fields={
        "repaired_source": {"type": ["string", "null"]},
        "diff": {"type": ["string", "null"]},
        "patches_applied": INTEGER,
        "patches_skipped": INTEGER,
        "applied": _ENTRIES,
        "skipped": _ENTRIES,
        "verify_passed": {"type": "boolean"},
        "diagnostics_before": INTEGER,
        "diagnostics_after": INTEGER,
        "omitted": OMITTED,
    },
    run=run,
    shorten=_shorten,
)
