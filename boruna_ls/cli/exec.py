"""`boruna-ls exec …`: executions at a terminal: begun, answered by a person or a command, listed, shown."""

from __future__ import annotations

import json
import math
import os
import secrets
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from boruna_ls.answers.execution import next_answer, summary_answer
from boruna_ls.answers.execution_record import record_answer
from boruna_ls.answers.loaded import new_version
from boruna_ls.cli.editors import disk_option
from boruna_ls.cli.libs import libs_option
from boruna_ls.cli.live import typed_by_owner
from boruna_ls.cli.one import program_file
from boruna_ls.cli.output import complain, note, visible, write_answer
from boruna_ls.cli.running import named_values, text_of
from boruna_ls.deadline import Deadline
from boruna_ls.executions.driver import Mind
from boruna_ls.executions.logged import Effects, Performs
from boruna_ls.executions.names import AWAITING, ENDED, STATES, ExecutionError
from boruna_ls.executions.records import Execution, LoggedCall
from boruna_ls.executions.service import Service, check_id, shared_service
from boruna_ls.runtime.policy import Policy, PolicyError
from boruna_ls.state.folder import StateError
from boruna_ls.state.sql import StoreError

OWNER: Final = "local"
_TRIES: Final = 3
_PAGE: Final = 50
_MOST_TOLD: Final = 20_000
"""Characters of a variable that a command is given."""
_WIDTHS: Final = (40, 28, 26)
Answering = Callable[[Execution, LoggedCall], str | None]
"""The answer of a task; None if there is none."""


class _OnStore(click.Group):
    """Commands that need the store: where it cannot be used, they end with a message."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (StateError, StoreError) as error:
            raise click.ClickException(str(error)) from None


@click.group(cls=_OnStore, short_help="Run programs that wait for answers.")
def command() -> None:
    """Executions: programs that pause at every llm_call until somebody answers."""


def _live_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--live` and `--yes`."""
    yes = click.option("--yes", is_flag=True, help="Required with --live if standard input is not a terminal.")
    live = click.option("--live", is_flag=True, help="Only the policy limits effects, not the workspace's ceiling.")
    return live(yes(command))


def _may_act(live: bool, yes: bool, execution: Execution | None = None) -> bool:
    """True if the effects that a command line asks for are the owner's; else False, after a message."""
    if not live:
        return True
    if not typed_by_owner(yes):
        complain("exec --live causes real effects: type it at a terminal, or add --yes")
        return False
    if execution is not None and not execution.is_live:
        complain(
            f"execution {execution.execution_id} was not started with exec run --live, so you may not have chosen its policy: "
            "continue without --live, within the ceiling (boruna-ls trust show)"
        )
        return False
    return True


def _execution(service: Service, execution: str) -> Execution:
    try:
        return service.find(OWNER, "", execution)
    except ExecutionError as error:
        raise click.ClickException(error.message) from None


@command.command("run", short_help="Run a program and answer its tasks.")
@click.argument("program", type=click.Path())
@click.option("--id", "name", help="Id of the execution (default: generated).")
@click.option("--answer-with", metavar="CMD", help="A command that reads the prompt and prints the answer.")
@click.option("--input", "inputs", multiple=True, metavar="NAME=JSON", help="An answer of step_input; can be repeated.")
@click.option("-p", "--policy", "policy_name", help="A policy for capabilities other than llm.call (default: deny-all).")
@_live_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the answer of the tool get_execution.")
@libs_option
@disk_option
def run(
    program: str,
    name: str | None,
    answer_with: str | None,
    inputs: tuple[str, ...],
    policy_name: str | None,
    live: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Answers come from the terminal, or from the command of --answer-with, until the program ends. Exit status 1 if it fails."""
    if not _may_act(live, yes):
        return 2
    policy: Any = policy_name
    if policy_name not in (None, "allow-all", "deny-all"):
        text = text_of(str(policy_name))
        if text is None:
            return 1
        try:
            policy = json.loads(text)
        except ValueError as error:
            complain(f"{policy_name}: {error}")
            return 1
    service = shared_service()
    begun = _begun(service, program, name, policy, named_values(inputs), live)
    if begun is None:
        return 1
    note(f"execution {begun.execution_id}")
    return _to_the_end(service, begun, _mind(live), _answering(answer_with), as_json)


@command.command("resume", short_help="Continue an execution.")
@click.argument("execution")
@click.option("--answer-with", metavar="CMD", help="A command that reads the prompt and prints the answer.")
@_live_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the answer of the tool get_execution.")
def resume(execution: str, answer_with: str | None, live: bool, yes: bool, as_json: bool) -> int:
    """Answers the open task and all that follow."""
    service = shared_service()
    record = _execution(service, execution)
    if not _may_act(live, yes, record):
        return 2
    return _to_the_end(service, record, _mind(live), _answering(answer_with), as_json)


@command.command("answer", short_help="Answer the open task of an execution.")
@click.argument("execution")
@click.argument("text")
@click.option("--task", help="Id of the task, if several are open.")
@_live_options
def answer(execution: str, text: str, task: str | None, live: bool, yes: bool) -> int:
    """TEXT is the answer (- is standard input). The program then runs to its next task, which is shown."""
    service = shared_service()
    record = _execution(service, execution)
    if not _may_act(live, yes, record):
        return 2
    try:
        service.submit(record, sys.stdin.read() if text == "-" else text, task)
        record = _driven(service, service.store.by_key(record.key) or record, _mind(live))
        write_answer(next_answer(service.store, record))
    except ExecutionError as error:
        complain(error.message)
        return 1
    return 0


@command.command("list", short_help="List executions.")
@click.option("--state", type=click.Choice(STATES), help="Only this state.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
def list_executions(state: str | None, as_json: bool) -> int:
    """Lists executions, the latest first, including those of agents."""
    service, before = shared_service(), None
    if not as_json:
        print(
            " ".join(f"{cell:<{width}}" for cell, width in zip(("EXECUTION", "PROGRAM", "STATE"), _WIDTHS, strict=True))
            + " PROMPT"
        )
    while page := service.store.executions(OWNER, "", state, None, before, _PAGE):
        before = page[-1].key
        for execution in page:
            shown = summary_answer(execution)
            if as_json:
                print(json.dumps(shown, sort_keys=True))
                continue
            cells = (execution.execution_id, execution.program_id, execution.state)
            prompt = " ".join(shown.get("prompt", "").split())[:60]
            row = " ".join(f"{cell:<{width}}" for cell, width in zip(cells, _WIDTHS, strict=True))
            print(visible(f"{row} {prompt}").rstrip())
    return 0


@command.command("show", short_help="Show an execution.")
@click.argument("execution")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the answer of the tool get_execution.")
def show(execution: str, as_json: bool) -> int:
    """Shows the tasks with prompts and answers, and the result or error."""
    service = shared_service()
    record = record_answer(service.store, _execution(service, execution), False)
    if as_json:
        write_answer(record)
        return 0
    print(visible(f"{record['executionId']} of {record['programId']} version {record['programVersion']}: {record['state']}"))
    print(f"  {record['steps']} steps, {record['tokensUsed']} tokens, since {record['createdAt']}")
    for task in record["tasks"]:
        print(visible(f"  {task['taskId']}: {task['prompt']}"))
        print(visible(f"    {task.get('answer') or task.get('closed') or '(open)'}"))
    if "error" in record:
        print(visible(f"  error: {_sentence(record['error'])}"))
    if "result" in record:
        print(visible(f"  result: {_shown(record['result'])}"))
    return 0


# ---- driving ------------------------------------------------------------------------------------------------------------


def _begun(service: Service, path: str, name: str | None, policy: Any, inputs: dict[str, Any], live: bool) -> Execution | None:
    opened = program_file(path)
    if opened is None:
        return None
    session, _, file = opened
    program = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in Path(path).stem)[:100] or "program"
    version = new_version(session.host.db, file, program, os.path.basename(path), file.workspace)
    if isinstance(version, dict):
        complain(version["message"])
        for problem in version.get("diagnostics", []):
            note(f"  {path}:{problem['location']['line']}:{problem['location']['col']}: {problem['id']} {problem['message']}")
        return None
    execution = name if name is not None else f"{program}-{secrets.token_hex(4)}"
    try:
        check_id("--id", execution)
        service.store.load(OWNER, version)
        return service.start(OWNER, [file.workspace], program, execution, policy, inputs, None, False, live)
    except (ExecutionError, PolicyError) as error:
        complain(error.message)
        return None


def _mind(live: bool) -> Mind:
    if live:
        return Mind(_by_the_owner)
    # Commands that show something drive nothing; the broker's libraries take as long to import as all else.
    from boruna_ls.executions.effects import performs_of
    from boruna_ls.upstream.broker import live_broker

    return Mind(performs_of(live_broker, False))


def _by_the_owner(execution: Execution, policy: Policy, deadline: Deadline) -> Performs:
    """Effects of a drive that the owner has typed: the policy is the only bound."""

    def performs(used: Any) -> Effects:
        from boruna_ls.effects.effect import Bounds
        from boruna_ls.effects.grants import Grant
        from boruna_ls.upstream.broker import live_broker

        bounds = Bounds(policy, None, workspace=execution.workspace)
        return live_broker().effects_of(Grant(execution.program_id, "", bounds, Deadline(math.inf)), used)

    return performs


def _driven(service: Service, execution: Execution, mind: Mind) -> Execution:
    """The execution at its next task or its end. Raises ExecutionError."""
    while execution.state not in ENDED and execution.state != AWAITING:
        service.driver.drive(execution.key, mind).result()
        now = service.store.by_key(execution.key)
        if now is None:
            raise ExecutionError("unknown_execution", f"the execution '{execution.execution_id}' was deleted")
        execution = now
    return execution


def _to_the_end(service: Service, execution: Execution, mind: Mind, answering: Answering, as_json: bool) -> int:
    try:
        execution = _driven(service, execution, mind)
        while execution.state == AWAITING:
            task = service.store.open_tasks(execution.key)[0]
            if not _answered(service, execution, task, answering):
                note(f"to continue: boruna-ls exec resume {execution.execution_id}{' --live' if execution.is_live else ''}")
                return 1
            execution = _driven(service, service.store.by_key(execution.key) or execution, mind)
    except ExecutionError as error:
        complain(error.message)
        return 1
    if as_json:
        write_answer(record_answer(service.store, execution, False))
    shown = next_answer(service.store, execution)
    if shown["status"] == "completed":
        if not as_json:
            print(visible(_shown(shown["result"])))
        return 0
    if not as_json:
        complain(_sentence(shown["error"]))
    return 1


def _answered(service: Service, execution: Execution, task: LoggedCall, answering: Answering) -> bool:
    """Answer a task; an answer that does not fit is asked for again. True if the task has an answer then."""
    for _ in range(_TRIES):
        given = answering(execution, task)
        if given is None:
            return False
        try:
            service.submit(execution, given, execution.task_id(task.number))
        except ExecutionError as error:
            complain(error.message)
            if error.kind not in ("answer_refused", "answer_too_long"):
                return error.kind == "already_answered"
            task = next(open_task for open_task in service.store.open_tasks(execution.key) if open_task.number == task.number)
            continue
        return True
    return False


def _answering(line: str | None) -> Answering:
    return _typed_answer if line is None else lambda execution, task: _printed(str(line), execution, task)


def _typed_answer(execution: Execution, task: LoggedCall) -> str | None:
    """The answer that is typed, one line."""
    note(f"\n{task.prompt}")
    if task.schema is not None:
        note(f"(JSON that fits {task.schema})")
    if sys.stdin.isatty():
        print("> ", end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    return line.rstrip("\r\n") if line else None


def _printed(line: str, execution: Execution, task: LoggedCall) -> str | None:
    """Output of the owner's command for a prompt on its standard input; None, with a message, if the command fails."""
    variables = {"BORUNA_EXECUTION": execution.execution_id, "BORUNA_TASK": execution.task_id(task.number)}
    variables |= {"BORUNA_SCHEMA": task.schema or "", "BORUNA_REFUSAL": task.refusal or ""}
    safe = {name: value.replace("\0", "")[:_MOST_TOLD] for name, value in variables.items()}
    prompt = task.prompt.encode("utf-8", "replace")
    done = subprocess.run(line, shell=True, input=prompt, stdout=subprocess.PIPE, env={**os.environ, **safe}, check=False)
    if done.returncode != 0:
        complain(f"the command ended with status {done.returncode}: {line}")
        return None
    return done.stdout.decode("utf-8", "replace").removesuffix("\n")


def _shown(result: Any) -> str:
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)


def _sentence(error: dict[str, Any]) -> str:
    where = f" (line {error['line']}, in {error['function']})" if "line" in error else ""
    return f"{error['message']}{where}"
