"""`load`: stores a program from a text, so that executions of it can be started."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from pydantic import Field

from analysis.bytecode.axbc import encode
from analysis.bytecode.module import Module
from analysis.bytecode.required_capabilities import needs
from analysis.codegen.compile import compile_file
from analysis.database import Database
from analysis.inputs import FileId, source
from boruna_ls.answers.check import check_answer
from boruna_ls.answers.compile import refused
from boruna_ls.answers.envelope import failure, success, with_freshness
from boruna_ls.executions.names import ID_RULE, ExecutionError
from boruna_ls.executions.places import places_of
from boruna_ls.executions.records import NewVersion
from boruna_ls.executions.service import check_id
from boruna_ls.mcp.arguments import Source
from boruna_ls.mcp.schemas import ERRORS, INTEGER, TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools import execution_calls
from boruna_ls.mcp.tools.execution_calls import CHANGES, NamedArguments, caller, stored
from boruna_ls.runtime.job import packed

_MOST_SHOWN: Final = 50
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
    made = new_version(db, file, program, name, workspace)
    return with_freshness(made, call.host, file) if isinstance(made, dict) else made


def new_version(db: Database, file: FileId, program: str, name: str, workspace: str) -> NewVersion | dict[str, Any]:
    """The same, apart from a call."""
    diagnostics = check_answer(db, file, name)["diagnostics"]
    compiled = compile_file(db, file, "module")
    errors = [one for one in diagnostics if one["severity"] == "error"]
    module = compiled.module
    if module is None or errors:
        problems = refused(db, file, compiled)["errors"] if module is None else []
        count = len(errors) or len(problems)
        message = f"the program has {count} error{'s' * (count != 1)}, so it was not loaded: mend them and load it again"
        shown: dict[str, Any] = {"programId": program, "diagnostics": diagnostics[:_MOST_SHOWN], "errors": problems[:_MOST_SHOWN]}
        return failure(error_kind="program_has_errors", message=message, **{key: value for key, value in shown.items() if value})
    if problem := _problem_of_main(module):
        return failure(error_kind="no_main", programId=program, message=problem)
    files = {one.origin.file for one in module.functions if one.origin is not None}
    places = places_of(module, {one: source(db, one) for one in files}, file)
    fingerprint = hashlib.sha256(encode(module)).hexdigest()
    return NewVersion(program, name, source(db, file).text, packed(module), fingerprint, places, workspace)


async def loaded(call: Call[Any], made: NewVersion | dict[str, Any]) -> dict[str, Any]:
    """Stores a program and tells what it needs."""
    if isinstance(made, dict):
        return made
    who = await caller(call)
    version, replaced = await stored(call, lambda service: service.store.load(who.owner, made))
    return described(made, version, replaced)


def described(made: NewVersion, version: int, replaced: bool) -> dict[str, Any]:
    """The answer about a program that was loaded."""
    from boruna_ls.runtime.job import unpacked

    module = unpacked(made.module)
    own = [one for one in module.functions if one.origin is not None]
    first = own[0].origin.file if own and own[0].origin is not None else None
    functions = [
        {"name": one.name, "parameters": list(one.parameters)}
        for one in own
        if one.origin is not None and one.origin.file == first
    ]
    return success(
        programId=made.program_id,
        name=made.name,
        version=version,
        replaced=replaced,
        fingerprint=made.fingerprint,
        functions=functions,
        capabilities=list(needs(module)[module.entry].needed),
        next="Call start with this programId and a new executionId",
    )


def _problem_of_main(module: Module) -> str:
    if not 0 <= module.entry < len(module.functions):
        return "the program has no function `main`, so nothing can be started: add one and load it again"
    if module.functions[module.entry].arity:
        return "`main` has parameters: an execution calls it without any; read inputs by `step_input(name)` (`args` of start)"
    return ""


TOOL: Final = Tool(
    name="load",
    title="Load a program for executions",
    description=(
        "Checks, compiles and stores a program under an id. Then `start` makes an execution of it, which stops at every "
        "llm_call until somebody answers. A program with errors is not stored: `diagnostics` says why."
    ),
    arguments=LoadParams,
    answer_fields=ANSWER_FIELDS,
    run=run,
    example={"programId": "greeter", "source": 'fn main() -> String !{llm.call} { llm_call("Say hello") }\n'},
    hints=CHANGES,
)
