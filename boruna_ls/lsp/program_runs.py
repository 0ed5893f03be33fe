"""The commands `boruna.run`, `boruna.runLive`, `boruna.trace` (`features/commands.py`): run a document in a worker process.

The answer is that of the tool `boruna_run` or `boruna_trace`. A long run shows its steps as progress, with a button that stops it
(`run_progress.py`). Editors that do not show answers get a message, a log, diagnostics.
"""

from __future__ import annotations

import asyncio
import json
import os
from functools import partial
from typing import Any, Final, NamedTuple

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from analysis.codegen.compile import compile_file
from analysis.data_classes import replace
from analysis.inputs import FileId
from analysis.text.source import Source
from boruna_ls.answers.compile import refused
from boruna_ls.answers.envelope import as_text, failure, limit_exceeded
from boruna_ls.answers.named import named_result
from boruna_ls.answers.places import Places
from boruna_ls.answers.run import run_answer, structured, worker_died
from boruna_ls.answers.trace import trace_answer
from boruna_ls.deadline import Deadline
from boruna_ls.lsp.features.commands import RUN_LIVE, TRACE
from boruna_ls.lsp.run_progress import Steps, shown
from boruna_ls.lsp.runs import Failure, Shown
from boruna_ls.lsp.session import Session
from boruna_ls.runtime.job import TRACE_LINES, Job, packed
from boruna_ls.runtime.policy import ALLOW_ALL
from boruna_ls.runtime.pool_run import CannotStart, DeadlineExceeded, Died, Effects, QueueFull
from boruna_ls.runtime.workers import shared_pool
from boruna_ls.workspace import FileUnavailable
from boruna_ls.workspace.uris import path_of

_DEADLINE: Final = 60.0
_LIVE_DEADLINE: Final = 600.0
"""Seconds of a run that has effects; those in which it asks the person in front of the editor do not count."""
_SUMMARY: Final = 80
_CALLS: Final = 20
_WINDOW: Final = 5_000
_FARTHEST: Final = 10**9


class _Compiled(NamedTuple):
    """A program that can be run, or the answer that says why not."""

    file: FileId
    text: Source
    places: Places | None
    module: bytes = b""
    refusal: dict[str, Any] | None = None


async def execute(session: Session, params: types.ExecuteCommandParams) -> dict[str, Any]:
    """Runs or traces the document whose URI is the first argument."""
    uri = source_uri(params)
    window = _window(params) if params.command == TRACE else None
    try:
        program = await session.host.worker.run(partial(_compiled, session, uri))
    except FileUnavailable as error:
        raise JsonRpcInvalidParams(f"{uri}: {error.reason}") from None
    if program.places is None or program.refusal is not None:
        session.connection.show(types.MessageType.Error, "the program does not compile: see the diagnostics")
        return program.refusal or {}
    is_trace = params.command == TRACE
    is_live = params.command == RUN_LIVE
    offset, limit = window or (0, TRACE_LINES)
    if is_trace:
        job = Job(program.module, trace_lines=limit, trace_offset=offset, trace_values=window is not None)
    else:
        job = Job(program.module, live=is_live)
    deadline = Deadline.after(_LIVE_DEADLINE if is_live else _DEADLINE)
    effects = await _effects(session, program.file, uri, deadline) if is_live else None
    verb = "Tracing" if is_trace else "Running"
    title = f"{verb} {os.path.basename(path_of(uri))}"
    outcome = await outcome_of(
        session, replace(job, wants_progress=not is_trace), title, params.work_done_token, effects, deadline
    )
    if "success" in outcome:
        answer = outcome
    elif is_trace:
        answer = trace_answer(outcome, program.places, job.max_steps, offset)
    else:
        answer = run_answer(outcome, program.places, job.max_steps, trace=False)
    if answer["success"] and not is_trace:
        answer["result_named"] = named_result(answer, program.places.module)
    if window is None:
        _show(session, uri, program, answer, outcome, is_live)
    # Values are JSON texts so far; those nested too deep for a message stay texts.
    plain: dict[str, Any] = structured(answer) or json.loads(as_text(answer))
    return plain


def source_uri(params: types.ExecuteCommandParams) -> str:
    """The document that a command is about. Raises JsonRpcInvalidParams."""
    uri = params.arguments[0] if params.arguments else None
    if not isinstance(uri, str):
        raise JsonRpcInvalidParams("the first argument of a command is the URI of a document")
    return uri


def _window(params: types.ExecuteCommandParams) -> tuple[int, int] | None:
    """The part of a trace that an editor shows: `{offset, limit}`, the second argument. Such a trace is not announced."""
    given = (params.arguments or [])[1:2]
    if not given or given[0] is None:
        return None
    table = given[0] if isinstance(given[0], dict) else {}
    offset, limit = table.get("offset"), table.get("limit")
    if type(offset) is int and type(limit) is int and 0 <= offset <= _FARTHEST and 1 <= limit <= _WINDOW:
        return offset, limit
    raise JsonRpcInvalidParams(
        f"the second argument of boruna.trace is an object with offset (0 to {_FARTHEST}) and limit (1 to {_WINDOW})"
    )


def _compiled(session: Session, uri: str) -> _Compiled:
    file = session.file(uri)
    text = session.text(file)
    compiled = compile_file(session.db, file, "module")
    if compiled.module is None:
        return _Compiled(file, text, None, refusal=refused(session.db, file, compiled))
    return _Compiled(file, text, Places(session.db, file, compiled.module), packed(compiled.module))


async def _effects(session: Session, file: FileId, uri: str, deadline: Deadline) -> Effects:
    """Effects for the capability calls of a live run: within the owner's ceiling, and those that the user grants beside it."""
    from boruna_ls.effects.grants import SessionGrants, granted  # now: most editors never need it
    from boruna_ls.lsp.permission import EditorAsker
    from boruna_ls.upstream.broker import live_broker

    grants = session.part(SessionGrants)
    asker = EditorAsker(session, asyncio.get_running_loop())
    grant = await asyncio.to_thread(granted, path_of(uri), file.workspace, ALLOW_ALL, deadline, asker, grants)
    return live_broker(session.host).effects_of(grant)


async def outcome_of(
    session: Session,
    job: Job,
    title: str,
    token: int | str | None,
    effects: Effects | None = None,
    deadline: Deadline | None = None,
) -> dict[str, Any]:
    """Outcome from the worker, or the answer (which has `success`) if the worker gives none."""
    steps = Steps()
    seconds = _DEADLINE if effects is None else _LIVE_DEADLINE
    try:
        job, deadline = replace(job, deadline=seconds), deadline or Deadline.after(seconds)
        run = shared_pool().submit(job, deadline, steps, effects, session.share)
    except QueueFull:
        return limit_exceeded("queue", shared_pool().waiting, "too many programs are already queued")
    try:
        if not await shown(session, run, steps, title, token):
            return failure(error_kind="cancelled", message="the run was stopped")
        outcome: dict[str, Any] = json.loads(run.future.result())
        return outcome
    except asyncio.CancelledError:
        run.stop()
        raise
    except DeadlineExceeded:
        limit = int(seconds * 1000)
        return limit_exceeded("deadline", limit, f"the program took longer than {limit} ms and was stopped")
    except CannotStart as error:
        return failure(error_kind="unavailable", message=str(error))
    except Died as death:
        return worker_died(death.signal)


def _show(session: Session, uri: str, program: _Compiled, answer: dict[str, Any], outcome: dict[str, Any], is_live: bool) -> None:
    mocked = "" if is_live else "".join(f", {name} mocked" for name in sorted(outcome.get("calls", ())))
    steps = f" ({answer['steps']:,} steps{mocked})" if "steps" in answer else ""
    if answer["success"]:
        text = answer.get("result_named") or answer.get("result_text", "")
        summary = (text if len(text) <= _SUMMARY else text[: _SUMMARY - 1] + "…") + steps
        failure = None
    else:
        summary = f"{answer['message']}{steps}"
        failure = _failure(program, answer, outcome)
    path = path_of(uri)
    session.runs.put(path, Shown(program.text, summary, failure))
    session.connection.show(types.MessageType.Info if answer["success"] else types.MessageType.Error, f"main: {summary}")
    for line in answer.get("trace", ()):
        session.connection.log(f"{line.get('line', '')}:{line.get('col', '')} {line['instruction']}")
    session.connection.diagnostics.run_ended(path)


def _failure(program: _Compiled, answer: dict[str, Any], outcome: dict[str, Any]) -> Failure | None:
    """The failure at the innermost call in the document itself; the calls below it are notes."""
    places = program.places
    assert places is not None
    frames = list(reversed(outcome.get("error", {}).get("stack", [])))
    spans = [(frame, span) for frame in frames if (span := places.span(*frame)) is not None]
    inside = [(frame, span) for frame, span in spans if span[0] == program.file]
    if not inside:
        return None
    message = answer["message"]
    if spans[0] != inside[0]:
        at = places.at(*spans[0][0])
        message += f"\nin {at['function']} of {at.get('file', '')}:{at.get('line', '')}"
    if (hint := answer.get("hint")) is not None:
        message += f"\n{hint}"
    calls = tuple(
        ((span[1], span[2]), f"called from {places.module.functions[frame[0]].name}") for frame, span in inside[1 : _CALLS + 1]
    )
    _, start, end = inside[0][1]
    return Failure((start, end), message, calls)
