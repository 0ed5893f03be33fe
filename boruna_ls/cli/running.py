"""Common parts of the commands that run programs: the program with its places, policies from files, errors with call stacks."""

from __future__ import annotations

import json
import os
from typing import Any, Final

import click

from analysis.bytecode.module import Module
from analysis.data_classes import dataclass, field
from analysis.semantics.imports import tools_of
from boruna_ls import given
from boruna_ls.answers.compile import refused
from boruna_ls.answers.hints import hint_for
from boruna_ls.answers.places import Places
from boruna_ls.cli.modules import compiled, loaded, tell
from boruna_ls.cli.output import complain, note, visible, write_answer
from boruna_ls.runtime.forms import brief
from boruna_ls.runtime.inputs import input_texts
from boruna_ls.runtime.named_text import named_parts
from boruna_ls.runtime.policy import ALLOW_ALL, DENY_ALL, Policy, PolicyError, read_policy
from boruna_ls.runtime.run import RunError
from boruna_ls.workspace.disk import reason_of
from boruna_ls.workspace.tool_servers import ToolState

_CALLS_SHOWN: Final = 12
_LOCALS_SHOWN: Final = 8
"""Variables that are shown of the place where a run failed."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A module that can be run; `fresh` is what a JSON answer says about the text that it was made of."""

    module: Module
    places: Places
    fresh: dict[str, Any]
    tools: ToolState = field(default_factory=ToolState)
    """Tools of servers that the program was checked against."""
    servers: tuple[str, ...] = ()
    """Names of the servers that it imports."""


def prepared(path: str, as_json: bool, tools: ToolState | None = None) -> Prepared | None:
    """The program, or the `.axbc` file, of a path; None after saying why there is none."""
    if path.endswith(".axbc"):
        module = loaded(path)
        return None if module is None else Prepared(module, Places(None, None, module), {})
    if os.path.isdir(path):
        complain(f"{path}: is a folder; name one file")
        return None
    if not path.endswith(".ax") and path != "-":
        complain(f"unknown file extension: {path.rpartition('.')[2] if '.' in path else path}")
        return None
    compilation = compiled(path, tools)
    if compilation is None:
        return None
    session, file, outcome = compilation
    fresh = {"freshness": session.host.freshness(file).as_dict()}
    if outcome.module is None:
        if as_json:
            write_answer(refused(session.host.db, file, outcome) | fresh)
        else:
            tell(session, path, file, outcome)
        return None
    db = session.host.db
    servers = tuple(module.name for module in tools_of(db, file).modules.values() if module is not None)
    return Prepared(
        outcome.module, Places(db, file, outcome.module), fresh, session.host.settings.tools_of(file.workspace), servers
    )


def policy_from(value: str) -> Policy | None:
    """The policy that an option means: `allow-all`, `deny-all`, or a file; None after saying what is wrong with it."""
    if value in ("allow-all", "deny-all"):
        return ALLOW_ALL if value == "allow-all" else DENY_ALL
    text = text_of(value)
    if text is None:
        return None
    try:
        return read_policy(text)
    except PolicyError as error:
        complain(f"{value}: {error.message}")
        return None


def text_of(path: str) -> str | None:
    """The text of a file; None after saying why there is none."""
    try:
        return given.read(path).decode("utf-8").replace("\r\n", "\n")
    except OSError as error:
        complain(f"{path}: {reason_of(error)}")
    except UnicodeDecodeError:
        complain(f"{path}: not valid UTF-8")
    return None


def named_values(values: tuple[str, ...]) -> dict[str, Any]:
    """The values of `--input name=JSON`; one that is not JSON is a text."""
    given: dict[str, Any] = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not equals:
            raise click.BadParameter(f"'{value}' is not of the form name=value", param_hint="--input")
        try:
            given[name] = json.loads(text)
        except ValueError:
            given[name] = text
    return given


def inputs_from(values: tuple[str, ...]) -> dict[str, str] | None:
    """Answers of `step_input`, from `--input name=JSON`."""
    return input_texts(named_values(values)) if values else None


def tell_failure(path: str, error: RunError, places: Places) -> None:
    """A run-time error with its place, how the program got there, and a hint."""
    note(f"runtime error: {error.message}")
    stack = [places.at(*frame) for frame in reversed(error.call_stack)]
    for number, frame in enumerate(stack[:_CALLS_SHOWN]):
        where = f"{frame.get('file', path)}:{frame['line']}:{frame['col']}" if "line" in frame else path
        note(f"  {'-->' if not number else 'from'} {where} in {frame.get('function', '?')}")
    if len(stack) > _CALLS_SHOWN:
        note(f"  … and {len(stack) - _CALLS_SHOWN} more calls")
    parts_of = named_parts(error.types)
    for name, value in error.locals[-_LOCALS_SHOWN:]:
        note(f"  with {name} = {visible(brief(value, parts_of))}")
    if (hint := hint_for(error.message, places.module)) is not None:
        note(f"  help: {hint}")


def shown_text(text: str) -> None:
    """A text of the program on standard output."""
    print(visible(text))
