"""`boruna_check`: everything that is wrong with a program, with places and patches."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.answers.envelope import with_freshness
from boruna_ls.answers.shorten import shorten_list
from boruna_ls.mcp.arguments import Argument
from boruna_ls.mcp.schemas import INTEGER, OMITTED, PLACE, TEXT
from boruna_ls.mcp.tool import FILE_NAME, PATH, SOURCE, Call, Tool

_OFFSET: Final = Argument("offset", int, "Give all diagnostics from this one on (default: at most 300 hints and infos)")


def run(call: Call) -> dict[str, Any]:
    file = call.program(whole=False)
    answer = call.diagnostics_text().answer(call.host.db, file, call.file_name, call.arguments["offset"])
    return with_freshness(answer, call.host, file)


def _shorten(answer: dict[str, Any], limit: int, call: Call) -> dict[str, Any]:
    return shorten_list(answer, "diagnostics", limit, call.offset)


TOOL: Final = Tool(
    name="boruna_check",
    title="Check a program",
    schema_title="CheckParams",
    description=(
        "All diagnostics of an .ax program in order of position, with exact places, what to do (`help`), and patches "
        "with edits. Lines count from 1, `col` from 1 in UTF-8 bytes, `column` from 0 in characters; ends are "
        "exclusive. `success` is true whatever was found."
    ),
    arguments=(SOURCE, PATH, FILE_NAME, _OFFSET),
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
    shorten=_shorten,
)
