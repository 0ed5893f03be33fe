"""`boruna-ls app …`: applications validated, driven by messages, and their sessions made tests (docs/apps.md)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from typing import Any, Final

import click

from boruna_ls.answers.app import CompiledApp, compiled_app, recording_answer, session_answer, validate_answer
from boruna_ls.answers.parse_error import parse_error
from boruna_ls.cli.one import program_file
from boruna_ls.cli.output import complain, note, visible, write_answer, write_exact
from boruna_ls.framework.job import SessionTask
from boruna_ls.framework.messages import Message, MessageDefect, message_of
from boruna_ls.framework.recording import RecordTask
from boruna_ls.framework.session import Plan
from boruna_ls.runtime.execute import execute
from boruna_ls.runtime.job import Task

_SECONDS: Final = 600.0
_JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON: the answer of the tool.")
_LIST: Final = click.option("-m", "--messages", "listed", metavar="M,M,…", default="", help="Messages separated by commas.")
_MESSAGES: Final = click.argument("messages", nargs=-1, metavar="[MESSAGE]...")
_NAME: Final = click.option("--name", default="test_session", show_default=True, help="Name of the test, test_…")


@click.group(short_help="Check applications and send them messages.")
def command() -> None:
    """Applications: programs with `init`, `update` and `view`. A MESSAGE is `tag`, `tag:payload`, or a JSON object with both."""


@command.command("validate", short_help="Check whether a program is an application.")
@click.argument("path", type=click.Path(readable=False))
@_JSON
def validate(path: str, as_json: bool) -> int:
    """Exit status 0 for a valid application, otherwise 1."""
    program_path = program_file(path)
    if program_path is None:
        return 1
    session, program, file = program_path
    error = parse_error(session.host.db, file)
    answer = error.as_list() if error else validate_answer(session.host.db, file)
    answer["freshness"] = session.host.freshness(file).as_dict()
    if as_json:
        write_answer(answer)
    elif answer["success"]:
        _tell_shape(answer)
    else:
        note("validation failed:")
        for problem in answer["errors"]:
            place = f"{program.name}:{problem['line']}: " if "line" in problem else ""
            note(f"  {place}{problem['message']}")
    return 0 if answer["success"] else 1


def _tell_shape(answer: dict[str, Any]) -> None:
    print("valid App protocol")
    for name in ("init", "update", "view"):
        print(f"  {name}: yes")
    print(f"  policies: {'yes' if answer['has_policies'] else 'none (using defaults)'}")
    for key, title in (("state_type", "state type"), ("message_type", "message type")):
        if answer[key]:
            print(f"  {title}: {answer[key]}")
    for line in answer["warnings"]:
        note(f"warning: {line}")


@command.command("test", short_help="Send messages to an application.")
@click.argument("path", type=click.Path(readable=False))
@_MESSAGES
@_LIST
@_JSON
def test(path: str, messages: tuple[str, ...], listed: str, as_json: bool) -> int:
    """Shows the state, the effects and the differences of each message. Exit status 1 if one fails."""
    sent = _read_messages(messages, listed)
    app_and_state = None if sent is None else _app(path, as_json)
    if sent is None or app_and_state is None:
        return 1
    app, fresh = app_and_state
    outcome = _outcome(SessionTask(app.module, Plan(sent, app.message_type, until=time.time() + _SECONDS), _SECONDS))
    answer = session_answer(outcome, app.places, 0, app.warnings) | fresh
    if as_json:
        write_answer(answer)
    else:
        _tell_session(answer)
    return 0 if answer["success"] else 1


def _tell_session(answer: dict[str, Any]) -> None:
    for warning in answer.get("warnings", ()):
        note(f"warning: {warning}")
    if "init_state_text" not in answer:
        complain(answer["message"])
        return
    print(visible(f"init state: {answer['init_state_text']}"))
    for text in answer["cycles"]:
        cycle = json.loads(text)
        if "error" in cycle:
            break
        print(visible(f"cycle {cycle['cycle']}: state={cycle['state_after']}"))
        for effect in cycle["effects"]:
            print(visible(f"    - {effect.get('kind', '…')} -> {effect.get('callback_tag', '')}"))
        for dropped in cycle.get("dropped_effects", ()):
            note(f"warning: dropped: {dropped.get('value', '…')} ({dropped.get('reason', '')})")
    if "omitted" in answer:
        note(f"{answer['omitted']['left_out']} more cycles are not shown")
    if not answer["success"]:
        _tell_failure(answer["message"], answer["error"])
        return
    print(visible(f"\nfinal state: {answer['final_state_text']}"))
    print(f"cycles: {answer['total_cycles']}")
    print(visible(f"view: {answer['view']}"))


def _tell_failure(message: str, error: dict[str, Any]) -> None:
    complain(message)
    for frame in error.get("call_stack", ()):
        note(f"  in {frame['function']}" + (f", line {frame['line']}" if "line" in frame else ""))
    if "hint" in error:
        note(f"  hint: {error['hint']}")


@command.command("record", short_help="Write a test from a session.")
@click.argument("path", type=click.Path(readable=False))
@_MESSAGES
@_LIST
@_NAME
@_JSON
def record(path: str, messages: tuple[str, ...], listed: str, name: str, as_json: bool) -> int:
    """Prints a test that sends the same messages and compares the results."""
    return _recorded(path, messages, listed, name, as_json, minimise=False)


@command.command("minimize", short_help="Minimise a failing session.")
@click.argument("path", type=click.Path(readable=False))
@_MESSAGES
@_LIST
@_NAME
@_JSON
def minimize(path: str, messages: tuple[str, ...], listed: str, name: str, as_json: bool) -> int:
    """Prints the fewest messages that fail in the same way, and a test of them. Exit status 1 if none fails."""
    return _recorded(path, messages, listed, name, as_json, minimise=True)


def _recorded(path: str, messages: tuple[str, ...], listed: str, name: str, as_json: bool, minimise: bool) -> int:
    if not name.isidentifier() or not name.isascii() or not name.startswith("test_"):
        raise click.BadParameter("a name of ASCII letters, digits and _ that begins with test_", param_hint="--name")
    sent = _read_messages(messages, listed)
    app_and_state = None if sent is None else _app(path, as_json)
    if sent is None or app_and_state is None:
        return 1
    app, fresh = app_and_state
    outcome = _outcome(RecordTask(app.module, sent, app.message_type, name, minimise, time.time() + _SECONDS, _SECONDS))
    answer = recording_answer(outcome, app.places, name) | fresh
    failed = "error" in answer
    if as_json:
        write_answer(answer)
    else:
        _tell_recording(answer, minimise)
    return 0 if answer["success"] and failed == minimise else 1


def _tell_recording(answer: dict[str, Any], minimise: bool) -> None:
    if "minimized" in answer:
        note(f"minimized: {answer['minimized']['from']} -> {answer['minimized']['to']} messages")
        for message in answer["messages"]:
            note(f"  {message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)}")
    elif minimise and answer["success"]:
        note("no message fails")
    if "error" in answer:
        _tell_failure(f"cycle {answer['error']['cycle']} failed: {answer['error']['message']}", answer["error"])
    elif not answer["success"]:
        complain(answer["message"])
    for warning in answer.get("warnings", ()):
        note(f"warning: {warning}")
    if "test" in answer:
        write_exact(answer["test"])


# ---- shared -----------------------------------------------------------------------------------------------------------


def _read_messages(given: Iterable[str], listed: str) -> list[Message] | None:
    """The messages of a command line; None after saying which one cannot be read."""
    texts = [*given, *(listed.split(",") if listed else ())]
    messages = []
    for text in texts:
        try:
            messages.append(message_of(json.loads(text) if text.startswith("{") else text))
        except (MessageDefect, ValueError, RecursionError) as error:
            complain(f"message {text[:200]}: {error}")
            return None
    return messages


def _app(path: str, as_json: bool) -> tuple[CompiledApp, dict[str, Any]] | None:
    """The application of a path, and what an answer says about its text; None after saying why there is none."""
    program_path = program_file(path)
    if program_path is None:
        return None
    session, program, file = program_path
    fresh = {"freshness": session.host.freshness(file).as_dict()}
    app = compiled_app(session.host.db, file)
    if isinstance(app, CompiledApp):
        return app, fresh
    if as_json:
        write_answer(app | fresh)
    else:
        for error in app["errors"]:
            complain(f"{program.name}:{error.get('line', 1)}:{error.get('col', 1)}: {error['message']}")
    return None


def _outcome(task: Task) -> dict[str, Any]:
    """Outcome of a task, performed in this process, which serves no other client."""
    outcome: dict[str, Any] = json.loads(json.dumps(execute(task)))
    return outcome
