"""`boruna_stdlib_check`: whether libraries are checked, documented and tested, and pass their tests."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

from pydantic import Field

from boruna_ls.answers.envelope import described
from boruna_ls.answers.stdlib import Prepared, entry, prepared, sources_of, stdlib_answer
from boruna_ls.mcp.arguments import FIRST_ERROR, Arguments, refusal
from boruna_ls.mcp.schemas import INTEGER, TEXT
from boruna_ls.mcp.tool import Batch, Call, Tool
from boruna_ls.workspace import Priority

_Name = Annotated[str, Field(max_length=200)]


class StdlibCheckParams(Arguments):
    names: Annotated[list[_Name], FIRST_ERROR] | None = Field(None, max_length=100, description="Libraries; all without")


def run(call: Call[StdlibCheckParams]) -> Batch:
    libs = call.client.libs
    sources = sources_of(libs)
    names = call.arguments.names or list(sources)
    unknown = [name for name in names if name not in sources]
    if unknown:
        raise refusal("names", f"argument `names`: there is no library {unknown[0]!r}; there are {', '.join(sources)}")
    done: dict[str, Prepared] = call.progress.setdefault("prepared", {})
    for name in dict.fromkeys(names):
        call.host.checkpoint()
        if name not in done:
            done[name] = prepared(call.host, libs, name, sources[name])
    libraries = list(done.values())
    revision = call.host.latest()

    def finish(outcomes: list[bytes | Exception]) -> dict[str, Any]:
        results = iter(outcomes)
        entries = [entry(library, None if library.job is None else _result_of(next(results))) for library in libraries]
        return described(stdlib_answer(entries), revision)

    return Batch(tuple(library.job for library in libraries if library.job is not None), finish)


def _result_of(outcome: bytes | Exception) -> dict[str, Any]:
    if isinstance(outcome, Exception):
        return {"message": f"the tests did not finish: {outcome or type(outcome).__name__}"}
    result: dict[str, Any] = json.loads(outcome)
    return result


TOOL: Final = Tool(
    name="boruna_stdlib_check",
    title="Check libraries",
    description=(
        "Checks the libraries, runs the tests beside them (`NAME/tests/core.ax`), and names functions without a comment "
        "(`undocumented`) or without a test (`untested`)."
    ),
    arguments=StdlibCheckParams,
    answer_fields={
        "libraries": {
            "type": "array",
            "items": {"type": "object"},
            "description": "name, ok, passed, failed, failures, findings",
        },
        "passed": INTEGER,
        "failed": INTEGER,
        "message": TEXT,
    },
    run=run,
    example={"names": ["std-list"]},
    priority=Priority.WORKSPACE,
)
