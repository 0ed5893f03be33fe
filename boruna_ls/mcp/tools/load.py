"""`load`: stores a program from a text, so that executions of it can be started."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from analysis.inputs import FileId
from boruna_ls.answers.envelope import with_freshness
from boruna_ls.answers.loaded import described, new_version
from boruna_ls.executions.names import ID_RULE, ExecutionError
from boruna_ls.executions.records import NewVersion
from boruna_ls.executions.service import check_id
from boruna_ls.mcp.arguments import Source
from boruna_ls.mcp.schemas import ERRORS, INTEGER, TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools import execution_calls
from boruna_ls.mcp.tools.execution_calls import CHANGES, NamedArguments, caller, stored

ANSWER_FIELDS: Final[dict[str, Any]] = {
    "programId": TEXT,
    "version": INTEGER,
    "replaced": {"type": "boolean"},
    "functions": ERRORS,
    "capabilities": {"type": "array", "items": TEXT},
    "warnings": {"type": "array", "items": TEXT},
    "diagnostics": ERRORS,
    "fingerprint": TEXT,
}


class LoadParams(NamedArguments):
    programId: str = Field(description=f"Id of the program; {ID_RULE}. The same id again replaces it", max_length=1000)
    source: Source = Field(description="Text of the program")


async def run(call: Call[LoadParams]) -> dict[str, Any]:
    program = checked_id(call.arguments.programId)
    roots = (await caller(call)).workspaces

    def prepare(now: Call[LoadParams]) -> Any:
        file = now.inline(now.arguments.source, f"{program}.ax")
        return prepared(now, file, program, program, roots[0] if len(roots) == 1 else "")

    return await loaded(call, await call.analyse(prepare))


def checked_id(program: str) -> str:
    """The id of a program. Raises RefusedCall."""
    try:
        check_id("programId", program)
    except ExecutionError as error:
        raise execution_calls.refused(error) from None
    return program


def prepared(call: Call[Any], file: FileId, program: str, name: str, workspace: str) -> NewVersion | dict[str, Any]:
    """The program checked and compiled, or the answer that says what is wrong with it. On the analysis thread."""
    db = call.host.db
    version = new_version(db, file, program, name, workspace)
    return with_freshness(version, call.host, file) if isinstance(version, dict) else version


async def loaded(call: Call[Any], new: NewVersion | dict[str, Any]) -> dict[str, Any]:
    """Stores a program and tells what it needs."""
    if isinstance(new, dict):
        return new
    who = await caller(call)
    version, replaced = await stored(call, lambda service: service.store.load(who.owner, new))
    return described(new, version, replaced)


TOOL: Final = Tool(
    name="load",
    title="Load a program for executions",
    description=(
        "Checks, compiles and stores a program under an id. Then `start` creates an execution of it, which stops at every "
        "llm_call until somebody answers. A program with errors is not stored: `diagnostics` says why."
    ),
    arguments=LoadParams,
    answer_fields=ANSWER_FIELDS,
    run=run,
    example={"programId": "greeter", "source": 'fn main() -> String !{llm.call} { llm_call("Say hello") }\n'},
    hints=CHANGES,
)
