"""`boruna_check`: everything that is wrong with a program, with places and patches."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from analysis.data_classes import replace
from analysis.database import Database
from analysis.inputs import FileId, settings
from boruna_ls.answers.check import check_answer
from boruna_ls.answers.envelope import with_freshness
from boruna_ls.answers.shorten import shorten_list
from boruna_ls.mcp.arguments import Offset
from boruna_ls.mcp.schemas import INTEGER, OMITTED, PLACE, TEXT
from boruna_ls.mcp.tool import Call, NamedProgramArguments, Tool


class CheckParams(NamedProgramArguments):
    offset: Offset | None = Field(
        None, description="Number of the first diagnostic to return (default: at most 300 hints and infos)"
    )
    portable: bool = Field(False, description="Also hint at what boruna 3.2.0 computes differently")


def run(call: Call[CheckParams]) -> dict[str, Any]:
    file, offset = call.program(whole=False), call.arguments.offset
    if call.arguments.portable:
        answer = check_answer(portable(call.host.db, file), file, call.file_name, offset)
    else:
        answer = call.diagnostics_text().answer(call.host.db, file, call.file_name, offset)
    return with_freshness(answer, call.host, file)


def portable(db: Database, file: FileId) -> Database:
    """A branch of the database in which the workspace of a file wants the hints about portability."""
    branch = db.branch()
    settings.set(branch, file.workspace, replace(settings(branch, file.workspace), portable=True))
    return branch


def _shorten(answer: dict[str, Any], limit: int, call: Call[CheckParams]) -> dict[str, Any]:
    return shorten_list(answer, "diagnostics", limit, call.offset)


TOOL: Final = Tool(
    name="boruna_check",
    title="Check a program",
    description=(
        "All diagnostics of an .ax program in order of position, with exact places, advice (`help`), and patches "
        "with edits. Lines count from 1, `col` from 1 in UTF-8 bytes, `column` from 0 in characters; ends are "
        "exclusive. `success` is true even if there are errors."
    ),
    arguments=CheckParams,
    answer_fields={
        "file": TEXT,
        "diagnostics_count": INTEGER,
        "diagnostics": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": TEXT,
                    "severity": {"enum": ["error", "warning", "info", "hint"]},
                    "message": TEXT,
                    "location": PLACE,
                    "help": TEXT,
                    "patches": {"type": "array", "items": {"type": "object"}},
                    "related": {"type": "array", "items": {"type": "object"}},
                },
                "required": ["id", "severity", "message"],
            },
        },
        "omitted": OMITTED,
    },
    run=run,
    example={"path": "app.ax"},
    shorten=_shorten,
)
