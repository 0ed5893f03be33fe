"""`start`: makes an execution of a program; it does not run yet."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.envelope import success
from boruna_ls.answers.execution import budgets_of, handle_of
from boruna_ls.executions.names import ID_RULE
from boruna_ls.executions.records import Execution
from boruna_ls.mcp.arguments import Arguments, Json, JsonObject
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.execution_calls import CHANGES, NamedArguments, caller, stored

_MOST: Final = 10**12
ANSWER_FIELDS: Final[dict[str, Any]] = {
    "executionId": TEXT,
    "programId": TEXT,
    "state": TEXT,
    "isCurrent": {"type": "boolean"},
    "handle": TEXT,
    "budgets": {"type": "object"},
}


class BudgetArguments(Arguments):
    """Budgets of an execution; when one is used up the execution ends with an error that says so."""

    tasks: int | None = Field(None, description="Tasks that it may ask", ge=0, le=_MOST)
    tokens: int | None = Field(None, description="Tokens of all answers, four bytes each", ge=0, le=_MOST)
    seconds: int | None = Field(None, description="Time from its start, waiting included", ge=0, le=_MOST)
    steps: int | None = Field(None, description="Steps of the program (100,000,000)", ge=0, le=_MOST)


class BeginArguments(NamedArguments):
    """Arguments that begin an execution."""

    programId: str = Field(description=f"Id of the program; {ID_RULE}", max_length=1000)
    policy: Json = Field(None, description='A policy for capabilities other than llm.call (default "deny-all")')
    args: JsonObject | None = Field(None, description="Values that `step_input(name)` returns: JSON by name")
    budgets: BudgetArguments | None = Field(None, description="What it may use")


class StartParams(BeginArguments):
    executionId: str = Field(description=f"Id of the new execution; {ID_RULE}", max_length=1000)
    setCurrent: bool = Field(True, description="Whether it becomes the current execution of the workspace")


async def run(call: Call[StartParams]) -> dict[str, Any]:
    return await started(call, call.arguments.executionId, call.arguments.setCurrent)


async def started(call: Call[Any], execution_id: str | None, is_current: bool) -> dict[str, Any]:
    """Starts an execution from what the arguments of a call have in common."""
    who, arguments = await caller(call), call.arguments
    given = arguments.budgets
    budgets = budgets_of({} if given is None else given.model_dump(exclude_none=True, include=set(BudgetArguments.model_fields)))
    execution: Execution = await stored(
        call,
        lambda service: service.start(
            *(who.owner, who.workspaces, arguments.programId, execution_id, arguments.policy, arguments.args, budgets),
            is_current=is_current,
        ),
    )
    return success(
        executionId=execution.execution_id,
        programId=execution.program_id,
        state=execution.state,
        isCurrent=is_current,
        handle=handle_of(execution),
        budgets=execution.budgets.as_dict(),
        next="Call getTask to run it to its first task",
    )


TOOL: Final = Tool(
    name="start",
    title="Start an execution",
    description=(
        "Creates an execution of a loaded program in state READY. It becomes current unless `setCurrent` is false. getTask "
        "then runs it to its first task."
    ),
    arguments=StartParams,
    answer_fields=ANSWER_FIELDS,
    run=run,
    example={"programId": "greeter", "executionId": "greeter-1"},
    hints=CHANGES,
)
