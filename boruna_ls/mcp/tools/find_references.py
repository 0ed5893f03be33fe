"""`find_references`: every use of a name in the workspace, with what is done with it there."""

from __future__ import annotations

from typing import Any, Final

from analysis.ide.references import references
from boruna_ls.answers.analysis import reference_entry
from boruna_ls.answers.envelope import success
from boruna_ls.mcp.arguments import Argument
from boruna_ls.mcp.schemas import INTEGER, TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.located import CODE, CURSOR, FILE, LIMIT, PATH, POSITION, SYMBOL, located, others, paged

_DECLARATION: Final = Argument("include_declaration", bool, "Default true", default=True)


def run(call: Call) -> dict[str, Any]:
    file, offset = located(call)
    host = call.host
    looked_at = list(others(call, file))
    found = references(host.db, file, offset, call.arguments["include_declaration"], looked_at)
    checked = len(looked_at) + 1
    fresh = host.freshness(file, checked, max(checked, len(host.files(file.workspace)) if file.workspace else 1)).as_dict()
    entries = [reference_entry(host.db, one) for one in found]
    return paged(call, success(freshness=fresh), "references", entries, fresh["revision"])


TOOL: Final = Tool(
    name="find_references",
    title="References to a name",
    schema_title="FindReferencesParams",
    description=(
        "Every use of the name at a position, or of a symbol, in the whole workspace: file, range, the line, and `kind` "
        "(declaration, read, write, call, construct, match, import)."
    ),
    arguments=(CODE, PATH, FILE, POSITION, SYMBOL, _DECLARATION, LIMIT, CURSOR),
    answer_fields={
        "references": {"type": "array", "items": {"type": "object", "description": "file, range, line_text, kind"}},
        "total": INTEGER,
        "next_cursor": TEXT,
    },
    run=run,
    shorten=lambda answer, limit, call: answer,
    needs_program=False,
    group="analysis",
    example={"path": "app.ax", "symbol": "total"},
)
