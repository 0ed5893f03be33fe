"""Tools that become tasks, as the suite's `tasks-*` scenarios ask for them, each run by the product like one of its own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import Field

from boruna_ls.answers.envelope import success
from boruna_ls.mcp.arguments import Arguments
from boruna_ls.mcp.tool import Call, RefusedCall, Tool
from boruna_ls.mcp.tools import TOOLS, Row

FORM: Final = {"type": "object", "properties": {"name": {"type": "string"}, "confirm": {"type": "boolean"}}}


class Params(Arguments):
    seconds: int = Field(0, ge=0, le=100)
    label: str = Field("", max_length=200)
    filename: str = Field("", max_length=200)


async def slow_compute(call: Call[Params]) -> dict[str, Any]:
    if call.arguments.seconds:
        call.become_task()
        await asyncio.sleep(call.arguments.seconds)
    return success(label=call.arguments.label)


async def failing_job(call: Call[Params]) -> dict[str, Any]:
    raise RefusedCall("NotFound", "this tool always fails")


async def protocol_error_job(call: Call[Params]) -> dict[str, Any]:
    raise RuntimeError("this tool has a fault")


async def confirm_delete(call: Call[Params]) -> dict[str, Any]:
    return success(confirmed=(await call.peer.elicit("Delete?", FORM)).is_accepted)


async def multi_input(call: Call[Params]) -> dict[str, Any]:
    answers = await asyncio.gather(call.peer.elicit("Your name?", FORM), call.peer.elicit("Sure?", FORM))
    return success(answers=[dict(one.content) for one in answers])


async def test_tool_with_task(call: Call[Params]) -> dict[str, Any]:
    answer = await call.peer.elicit("What is your name?", FORM)
    call.become_task()
    await asyncio.sleep(0.2)
    return success(greeting=f"Hello, {answer.content.get('name')}")


Kind = Literal["never", "when_slow", "always"]
RUNS: Final[dict[str, tuple[Any, Kind]]] = {
    "slow_compute": (slow_compute, "when_slow"),
    "failing_job": (failing_job, "always"),
    "protocol_error_job": (protocol_error_job, "always"),
    "confirm_delete": (confirm_delete, "always"),
    "multi_input": (multi_input, "always"),
    "test_tool_with_task": (test_tool_with_task, "when_slow"),
}


@dataclass(frozen=True, slots=True)
class FixtureRow(Row):
    """A row whose tool is here."""

    def load(self) -> Tool[Any]:
        run, task = RUNS[self.name]
        return Tool(
            name=self.name,
            title=self.name,
            description=self.name,
            arguments=Params,
            answer_fields={},
            run=run,
            example={},
            asks=True,
            task=task,
        )


def install() -> None:
    """Puts the tools into the product's table."""
    TOOLS.update({name: FixtureRow(name, "", "run") for name in RUNS})
