"""`get_definition`: where a name is declared, with its signature and documentation."""

from __future__ import annotations

from typing import Any, Final

from analysis.ide.definition import definition
from analysis.ide.target import target_at
from boruna_ls.answers.analysis import definition_entry
from boruna_ls.answers.envelope import success, with_freshness
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.located import CODE, FILE, PATH, POSITION, SYMBOL, located

ENTRY: Final = {"type": "object", "description": "file, range, full_range, signature, doc"}


def run(call: Call) -> dict[str, Any]:
    file, offset = located(call)
    db = call.host.db
    found = [definition_entry(db, place) for place in definition(db, file, offset)]
    target = target_at(db, file, offset)
    answer = success(definition=found[0] if len(found) == 1 else None)
    if target is not None:
        answer |= {"name": target.name, "kind": target.kind.value}
    if len(found) > 1:
        answer["definitions"] = found
    if not found:
        answer["note"] = "no text declares this name" if target is not None else "no known name stands here"
    return with_freshness(answer, call.host, file)


TOOL: Final = Tool(
    name="get_definition",
    title="Definition of a name",
    schema_title="GetDefinitionParams",
    description=(
        "Where the name at a position, or a symbol, is declared: file, range, signature, comments above it. Prefer `symbol` to "
        "`position`. Several possible declarations are in `definitions`."
    ),
    arguments=(CODE, PATH, FILE, POSITION, SYMBOL),
    answer_fields={
        "definition": {"type": ["object", "null"], "description": ENTRY["description"]},
        "definitions": {"type": "array", "items": {"type": "object"}},
        "name": TEXT,
        "kind": TEXT,
        "note": TEXT,
    },
    run=run,
    shorten=lambda answer, limit, call: answer,
    needs_program=False,
    group="analysis",
    example={"path": "app.ax", "symbol": "Order.total"},
)
