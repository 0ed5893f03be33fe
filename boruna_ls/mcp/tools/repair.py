"""`boruna_repair`: a program with the patches of its diagnostics applied."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.envelope import with_freshness
from boruna_ls.answers.repair import repair_answer
from boruna_ls.answers.shorten import shorten_repair
from boruna_ls.mcp.arguments import Name, Path
from boruna_ls.mcp.schemas import INTEGER, OMITTED
from boruna_ls.mcp.tool import Call, NamedProgramArguments, Tool

_ENTRIES: Final = {"type": "array", "items": {"type": "object"}}


class RepairParams(NamedProgramArguments):
    strategy: Name | None = Field(
        None,
        description="`best` (one patch for each diagnostic, the default) or `all`",
        # Other texts mean `best`, with a warning, as the corpus has it.
        json_schema_extra={"enum": ["best", "all"]},
    )
    patch_id: Path | None = Field(None, description="Apply only the patches with this id of `boruna_check`")


def run(call: Call[RepairParams]) -> dict[str, Any]:
    file = call.program()
    arguments = call.arguments
    answer = repair_answer(call.host.db, file, arguments.strategy, arguments.patch_id)
    return with_freshness(answer, call.host, file)


def _shorten(answer: dict[str, Any], limit: int, call: Call[RepairParams]) -> dict[str, Any]:
    return shorten_repair(answer, limit)


TOOL: Final = Tool(
    name="boruna_repair",
    title="Repair a program",
    description=(
        "Applies the patches of an .ax program's diagnostics, each only if it adds no error, and returns the new text "
        "and a unified diff. Nothing is written. `verify_passed`: something was repaired and no error is left."
    ),
    arguments=RepairParams,
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
    example={"path": "app.ax"},
    shorten=_shorten,
)
