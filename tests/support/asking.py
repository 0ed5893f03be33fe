"""The product with tools that ask their client: `python -m tests.support.asking daemon FOLDER | standalone`.

No tool of the product asks in a way that a test can steer; everything but these tools is the product's.
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boruna_ls.answers.envelope import success
from boruna_ls.mcp.arguments import Arguments
from boruna_ls.mcp.questions import CannotAsk
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools import TOOLS, Row

FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


class AskParams(Arguments):
    pass


async def ask_in_turn(call: Call[AskParams]) -> dict[str, Any]:
    async def user() -> str:
        return str(dict((await call.peer.elicit("What is your name?", FORM)).content))

    async def model() -> str:
        return await call.peer.sample("What is the capital of France?", max_tokens=50)

    async def roots() -> str:
        return str(len(await call.peer.roots()))

    told: dict[str, str] = {}
    for question in (user, model, roots):
        try:
            told[question.__name__] = await question()
        except CannotAsk as error:
            told[question.__name__] = f"cannot ask: {error}"
    await call.report(1.0, 1.0, "asked")
    computed = await call.analyse(lambda call: call.host.latest())
    return success(told=told, computed=bool(computed))


async def ask_at_once(call: Call[AskParams]) -> dict[str, Any]:
    answers = await asyncio.gather(*(call.peer.elicit(f"Question {number}?", FORM) for number in range(3)))
    return success(told=[dict(one.content) for one in answers])


async def linger(call: Call[AskParams]) -> dict[str, Any]:
    call.become_task()
    try:
        answer = await call.peer.elicit("Go on?", FORM)
        await asyncio.sleep(0.05)
        return success(told=dict(answer.content))
    except asyncio.CancelledError:
        if "BORUNA_TEST_CANCELLED" in os.environ:
            Path(os.environ["BORUNA_TEST_CANCELLED"]).write_text("cancelled", encoding="utf-8")
        raise


async def fail(call: Call[AskParams]) -> dict[str, Any]:
    raise RuntimeError("a fault of the tool")


RUNS: dict[str, Any] = {"ask_in_turn": ask_in_turn, "ask_at_once": ask_at_once, "linger": linger, "fail": fail}


@dataclass(frozen=True, slots=True)
class FixtureRow(Row):
    """A row whose tool is here."""

    def load(self) -> Tool[Any]:
        run = RUNS[self.name]
        return Tool(
            name=self.name,
            title=self.name,
            description=self.name,
            arguments=AskParams,
            answer_fields={},
            run=run,
            example={},
            asks=True,
            task="when_slow" if self.name == "linger" else "never",
        )


def main() -> None:
    for name in RUNS:
        TOOLS[name] = FixtureRow(name, "", "run", repeatable=False)
    if sys.argv[1] == "daemon":
        from boruna_ls.daemon.main import main as serve

        sys.exit(serve(["--folder", sys.argv[2], "--first", "mcp"]))
    from boruna_ls.entry import mcp_main

    sys.argv[1:] = ["--standalone"]
    sys.exit(mcp_main())


if __name__ == "__main__":
    main()
