"""`find_references`: every use of a name in the workspace, with what is done with it there."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from analysis.ide.references import references
from analysis.inputs import source
from boruna_ls.answers.analysis import reference_counts, reference_entry
from boruna_ls.answers.envelope import success
from boruna_ls.mcp.kept import PagedArguments, first_page, next_page
from boruna_ls.mcp.schemas import INTEGER, TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.detail import FULL, SUMMARY, DetailArguments, budget_of
from boruna_ls.mcp.tools.located import PlaceArguments, located, others
from boruna_ls.workspace import Priority

_NAME: Final = "find_references"
_AROUND: Final = 2
"""Lines before and after a use that are shown with it in full."""


class FindReferencesParams(PagedArguments, DetailArguments, PlaceArguments):
    include_declaration: bool = Field(True, description="Whether to include the declaration")


def run(call: Call[FindReferencesParams]) -> dict[str, Any]:
    if (page := next_page(call, _NAME)) is not None:
        return page
    detail = call.arguments.detail
    file, offset = located(call)
    host = call.host
    looked_at = list(others(call, file))
    places = references(host.db, file, offset, call.arguments.include_declaration, looked_at)
    checked = len(looked_at) + 1
    fresh = host.freshness(file, checked, max(checked, len(host.files(file.workspace)) if file.workspace else 1)).as_dict()
    head = success(freshness=fresh)
    if detail == SUMMARY:
        return first_page(
            call, _NAME, head | {"reference_count": len(places)}, "files", reference_counts(places), lambda entry: entry
        )
    around = _AROUND if detail == FULL else 0
    # The texts are kept with what was found in them: a later page shows the lines of this moment.
    entries = [(source(host.db, place.file), place) for place in places]
    return first_page(
        call, _NAME, head, "references", entries, lambda entry: reference_entry(entry[0], entry[1], around), budget_of(detail)
    )


TOOL: Final = Tool(
    name=_NAME,
    title="References to a name",
    description=(
        "Every use of the name at a position, or of a symbol, in the whole workspace: file, range, the line, and `kind` "
        "(declaration, read, write, call, construct, match, import). A summary counts by file."
    ),
    arguments=FindReferencesParams,
    answer_fields={
        "references": {"type": "array", "items": {"type": "object", "description": "file, range, line_text, kind"}},
        "files": {"type": "array", "items": {"type": "object"}},
        "reference_count": INTEGER,
        "total": INTEGER,
        "next_cursor": TEXT,
    },
    run=run,
    priority=Priority.WORKSPACE,
    example={"path": "app.ax", "symbol": "total"},
)
