"""Common parts of the tools that run programs: their arguments, and the way from a call to a job."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from pydantic import Field

from analysis.codegen.compile import Compiled, compile_file
from analysis.data_classes import replace
from analysis.inputs import FileId
from boruna_ls.answers.accompany import accompanying
from boruna_ls.answers.compile import refused
from boruna_ls.answers.places import Places
from boruna_ls.answers.run import policy_failure, worker_died
from boruna_ls.mcp.arguments import Arguments, Count, Json, JsonObject
from boruna_ls.mcp.tool import Call, Deferred, LiveProgram, NamedProgramArguments
from boruna_ls.runtime.inputs import input_texts
from boruna_ls.runtime.job import Job, packed
from boruna_ls.runtime.options import DEFAULT_MAX_STEPS
from boruna_ls.runtime.policy import Policy, PolicyError, policy_of

MODULE_NAME: Final = "module"
_LABEL: Final = 80
"""Characters of a text's name that a question shows."""
R = TypeVar("R", bound="RunArguments")
Finished = Callable[[dict[str, Any], Places, int], dict[str, Any]]
Refused = Callable[[Any, FileId, Compiled], dict[str, Any]]


class RunArguments(NamedProgramArguments):
    """Arguments of every tool that runs a program."""

    policy: Json = Field(None, description='"allow-all" (default), "deny-all", or a policy document as an object')
    max_steps: Count = Field(DEFAULT_MAX_STEPS, description="Maximum steps of the run")


class InputArguments(Arguments):
    """Values that a program reads by name."""

    input: JsonObject | None = Field(None, description="Values that `step_input(name)` returns: JSON by name")


def deferred(call: Call[R], job: Job, finished: Finished, refuse: Refused = refused) -> dict[str, Any] | Deferred:
    """Compiles the program of a call and makes a job of it; an answer if that cannot be.

    Of a job with live effects, the owner's ceiling of the program's workspace is the bound: see `workspace_of`.
    """
    host = call.host
    file = call.program()
    compiled = compile_file(host.db, file, MODULE_NAME)
    fresh = {"freshness": host.freshness(file).as_dict()} | accompanying(host.db, {file: call.file_name})
    if compiled.module is None:
        return refuse(host.db, file, compiled) | fresh
    try:
        policy = policy_of(call.arguments.policy)
    except PolicyError as error:
        return policy_failure(error.kind, error.message, error.extra) | fresh
    max_steps = call.arguments.max_steps
    places = Places(host.db, file, compiled.module)
    job = replace(
        job,
        module=packed(compiled.module),
        policy=policy,
        max_steps=max_steps,
        deadline=call.deadline,
        wants_progress=call.wants_progress,
    )
    return Deferred(
        job=job,
        finish=lambda data: finished(json.loads(data), places, max_steps) | fresh,
        died=lambda signal: worker_died(signal) | fresh,
        live=_live_program(call, file, policy) if job.live else None,
    )


def _live_program(call: Call[R], file: FileId, policy: Policy) -> LiveProgram:
    # The label says that it is a text in a call: the call may name it after any file.
    name = file.path if call.arguments.path is not None else f"(text in a call) {call.file_name[:_LABEL]}"
    return LiveProgram(name, workspace_of(call, file), policy)


def workspace_of(call: Call[R], file: FileId) -> str:
    """The workspace whose ceiling bounds a program with live effects; "" for none, which allows nothing.

    A file counts where it lies, if that is below a folder of the client. A text counts in the workspace of the client's only
    folder: whatever name the call gives it, it is placed nowhere else.
    """
    client, host = call.client, call.host
    if call.arguments.path is not None:
        return file.workspace if host.is_in_folders(client, file.path) else ""
    roots = host.roots(client)
    return roots[0] if len(roots) == 1 else ""


def inputs_of(given: Mapping[str, Any] | None) -> dict[str, str] | None:
    """Answers of `step_input`, by name."""
    return None if given is None else input_texts(given)
