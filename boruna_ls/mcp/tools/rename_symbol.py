"""`rename_symbol`: another name everywhere in the workspace."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from analysis.ide.refactor.change import Change, Refusal
from analysis.ide.rename import rename
from analysis.ide.target import target_at
from boruna_ls.mcp.schemas import INTEGER, TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.editing import EDIT_FIELDS, EDITS, EditingArguments, Plan, answered, planned
from boruna_ls.mcp.tools.located import PlaceArguments, located, others
from boruna_ls.workspace import Priority


class RenameSymbolParams(EditingArguments, PlaceArguments):
    new_name: str = Field(description="New name", min_length=1, max_length=200)


def _plan(call: Call[RenameSymbolParams]) -> Plan:
    file, offset = located(call)
    db = call.host.db
    looked_at = list(others(call, file))
    plan = rename(db, file, offset, call.arguments.new_name, looked_at)
    if isinstance(plan, Refusal):
        return planned(call, file, plan)
    target = target_at(db, file, offset)
    change = Change({part.file: part.edits for part in plan})
    count = sum(len(part.edits) for part in plan)
    old = target.name if target is not None else ""
    # A file can be seen as a library, too: its own text is looked at once.
    own = {edited.path for edited in change.edits}
    return planned(
        call, file, change, [other for other in looked_at if other.path not in own], occurrences_renamed=count, old_name=old
    )


async def run(call: Call[RenameSymbolParams]) -> dict[str, Any]:
    return await answered(call, _plan)


TOOL: Final = Tool(
    name="rename_symbol",
    title="Rename everywhere",
    description=(
        "Renames a function, type, variant, field, parameter or local in the whole workspace. Refused with a reason on a clash, "
        "a keyword, or a symbol of an installed library. `apply` writes it, all files or none."
    ),
    arguments=RenameSymbolParams,
    answer_fields=EDIT_FIELDS | {"occurrences_renamed": INTEGER, "old_name": TEXT, "files_affected": INTEGER},
    run=run,
    priority=Priority.WORKSPACE,
    example={"path": "app.ax", "symbol": "total", "new_name": "sum"},
    hints=EDITS,
)
