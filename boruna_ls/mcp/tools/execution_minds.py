"""Tasks that the client itself answers: its model by sampling, its user by a form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from boruna_ls.executions.forms import TEXT_FORM, answer_in, form_of, question_of
from boruna_ls.executions.names import AWAITING
from boruna_ls.executions.records import Execution, LoggedCall
from boruna_ls.executions.service import Service
from boruna_ls.mcp.questions import CannotAsk
from boruna_ls.mcp.tool import Call, RefusedCall
from boruna_ls.mcp.tools.execution_calls import again, driven, handed_out, stored

MOST_TASKS: Final = 100
"""Tasks that one call has answered, of clients that have the patience (`Peer.has_patience`)."""
_TRIES: Final = 3
_TOKENS: Final = 16_384
_SYSTEM: Final = (
    "A program has stopped at a task and waits for your answer. Answer the task itself, and nothing else: your whole reply "
    "becomes a value of the program."
)


async def answered_by_client(call: Call[Any], execution: Execution, mind: Literal["client", "user"]) -> dict[str, Any]:
    """Runs the program and has the client answer its tasks, until it ends, the client does not answer, or has answered many."""
    note, tries, answered = "", 0, 0
    while True:
        execution = await driven(call, execution)
        tasks = await stored(call, _tasks_of(execution))
        if execution.state != AWAITING or not tasks:
            break
        if answered == MOST_TASKS or not call.peer.has_patience:
            note = f"{answered} tasks were answered, and there are more: call getTask again with driver {mind}"
            break
        try:
            answer = await (_sampled(call, tasks[0]) if mind == "client" else _elicited(call, execution, tasks[0]))
        except CannotAsk as error:
            note = f"{error}: answer the task with submitTask"
            break
        try:
            await _submitted(call, execution, tasks[0], answer)
            tries, answered = 0, answered + 1
        except RefusedCall as refusal:
            tries += 1
            if tries == _TRIES or refusal.error.get("reason") != "answer_refused":
                note = str(refusal)
                break
        execution = await again(call, execution)
    shown = await handed_out(call, execution)
    return shown | ({"note": note} if note else {})


def _tasks_of(execution: Execution) -> Callable[[Service], list[LoggedCall]]:
    return lambda service: service.store.open_tasks(execution.key)


async def _submitted(call: Call[Any], execution: Execution, task: LoggedCall, answer: Any) -> None:
    def submit(service: Service) -> None:
        service.submit(execution, answer, execution.task_id(task.number))

    await stored(call, submit)


async def _sampled(call: Call[Any], task: LoggedCall) -> str:
    parts = [task.prompt]
    if task.schema is not None:
        parts.append(f"Answer with JSON that fits this JSON Schema, and nothing else:\n{task.schema}")
    if task.refusal is not None:
        parts.append(f"Your last answer was refused: {task.refusal}")
    return await call.peer.sample("\n\n".join(parts), system=_SYSTEM, max_tokens=_TOKENS)


async def _elicited(call: Call[Any], execution: Execution, task: LoggedCall) -> Any:
    given = await call.peer.elicit(question_of(execution, task), form_of(task.schema) or TEXT_FORM)
    if not given.is_accepted:
        raise CannotAsk(f"the user did not answer ({given.action})")
    answer = answer_in(given.content, task.schema)
    return "" if answer is None else answer
