"""`boruna.workflow`: runs the workflow of a document as it is on screen, goes on with a run that waits, decides at a gate.

The runs are those that agents and the command line see (`--shared`). Whoever sits at the editor is the owner: they may decide
about any run. Effects are mocked, as in the runs of agents.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from analysis.documents.files import file_named
from analysis.workflow.canonical import workflow_hash
from boruna_ls.answers.envelope import failure
from boruna_ls.answers.workflow import described, validated
from boruna_ls.answers.workflow_run import run_state, sources_problem
from boruna_ls.lsp.session import Session
from boruna_ls.runtime.policy import ALLOW_ALL
from boruna_ls.state import folder
from boruna_ls.state.folder import StateError
from boruna_ls.state.sql import Sqlite, StoreError
from boruna_ls.workflow.decisions import OWNER, Principal, decide
from boruna_ls.workflow.driver import with_options
from boruna_ls.workflow.engine import PART
from boruna_ls.workflow.folders import WorkflowError
from boruna_ls.workflow.plan import OPEN
from boruna_ls.workflow.policies import policy_text
from boruna_ls.workflow.records import AWAITING_APPROVAL, NewRun, Paused
from boruna_ls.workflow.run_inputs import checked_inputs
from boruna_ls.workflow.runner import Drive, Runner, TooManyRuns, shared_runner
from boruna_ls.workflow.service import FILE
from boruna_ls.workflow.store import Outdated, Store
from boruna_ls.workspace import FileUnavailable

T = TypeVar("T")
LONGEST: Final = 50.0
"""Seconds that the command waits for a run; then it answers that the run goes on."""
_ACTIONS: Final = ("run", "resume", "approve", "reject")
_MOST_SHOWN: Final = 5
"""Runs of a workflow that wait and have lenses."""


async def execute(session: Session, params: types.ExecuteCommandParams) -> dict[str, Any]:
    """The first argument is the URI, the second `{do, run, step, reason}`; without it the workflow is run."""
    uri, asked = _arguments(params)
    if asked["do"] == "run":
        new = await session.computed(lambda host: _prepared(session.at(host), uri))
        if isinstance(new, dict):
            return _announced(session, new)
        answer = await _driven(session, lambda runner: runner.drive(runner.store.begin(new), 1))
    else:
        run, step = asked["run"], asked["step"]

        def go_on(runner: Runner) -> Drive:
            if asked["do"] != "resume":
                decide(runner.store, run, step, asked["do"] == "approve", asked["reason"], Principal(OWNER, True), OWNER)
            try:
                return runner.drive(run, runner.store.take(run))
            except Outdated:
                raise WorkflowError(f"run '{run}' has ended meanwhile") from None

        answer = await _driven(session, go_on)
    session.connection.refresh_views()
    return _announced(session, answer)


def _arguments(params: types.ExecuteCommandParams) -> tuple[str, dict[str, Any]]:
    given = list(params.arguments or [])
    uri = given[0] if given else None
    asked = given[1] if len(given) > 1 and given[1] is not None else {}
    if not isinstance(uri, str) or not isinstance(asked, dict):
        raise JsonRpcInvalidParams("the arguments of boruna.workflow are the URI of a document and an object")
    arguments = {"do": "run", "run": "", "step": "", "reason": None, **{name: asked[name] for name in asked}}
    if arguments["do"] not in _ACTIONS:
        raise JsonRpcInvalidParams(f"`do` is one of {', '.join(_ACTIONS)}")
    if not isinstance(arguments["run"], str) or not isinstance(arguments["step"], str):
        raise JsonRpcInvalidParams("`run` and `step` are strings")
    if arguments["reason"] is not None and not isinstance(arguments["reason"], str):
        raise JsonRpcInvalidParams("`reason` is a string")
    return uri, arguments


def _prepared(session: Session, uri: str) -> NewRun | dict[str, Any]:
    """Parameters of a new run, or the answer that says why it cannot begin. Runs on the worker."""
    try:
        file = session.file(uri)
    except FileUnavailable as error:
        raise JsonRpcInvalidParams(f"{uri}: {error.reason}") from None
    validation = validated(session.text(file).text)
    if isinstance(validation, dict):
        return validation
    if validation.errors:
        return described(validation)
    definition = validation.document.definition
    texts = {}
    for step in definition.steps.values():
        named = file_named(session.db, file, step.source) if step.source else None
        if named is not None and named.file is not None:
            texts[step.source] = session.text(named.file).text
    if problem := sources_problem(definition, texts):
        return problem
    try:
        inputs = checked_inputs(definition, {})
    except WorkflowError as error:
        return failure(error_kind="invalid_input", message=f"{error}: run it by boruna-ls workflow run")
    return NewRun(
        workflow_name=definition.name,
        workflow_hash=workflow_hash(definition),
        policy=policy_text(ALLOW_ALL),
        definition=validation.document.text,
        workflow_dir="",
        sources={name: texts[step.source] for name, step in definition.steps.items() if step.source},
        starter=OWNER,
        options=with_options(OPEN, document=file.path),
        inputs=inputs,
    )


async def _driven(session: Session, begin: Callable[[Runner], Drive]) -> dict[str, Any]:
    """The state of a run at the end of a drive, or when the command must be answered."""
    drive = await asyncio.to_thread(_carefully, begin)
    if isinstance(drive, dict):
        return drive
    await asyncio.wait({asyncio.wrap_future(drive.done)}, timeout=LONGEST)

    def state(runner: Runner) -> dict[str, Any]:
        record = runner.store.run(drive.run)
        return run_state(runner.store, record) if record is not None else {}

    return await asyncio.to_thread(_carefully, state)


def _carefully(work: Callable[[Runner], T]) -> T | dict[str, Any]:
    try:
        return work(shared_runner())
    except WorkflowError as error:
        return failure(error_kind="workflow_error", message=str(error))
    except TooManyRuns:
        return failure(error_kind="busy", message="too many runs are already queued: try again when some have finished")
    except (StateError, StoreError) as error:
        return failure(error_kind="store_unavailable", message=str(error))


def _announced(session: Session, answer: dict[str, Any]) -> dict[str, Any]:
    """Shows the outcome."""
    if "run_id" in answer:
        waiting = answer.get("paused_at_steps")
        text = f"workflow {answer['workflow_name']}: {answer['status']}"
        text += f", waits at {', '.join(waiting)}" if waiting else ""
    else:
        errors = [str(error.get("message")) for error in answer.get("errors", ())]
        text = str(answer.get("message") or "; ".join(errors[:3]) or "the workflow cannot be run")
    session.connection.show(types.MessageType.Info if answer.get("success") else types.MessageType.Error, text)
    return answer


def store_path() -> Path:
    """Path of the store of runs that all processes of this user share."""
    return folder.state_folder() / PART / FILE


def paused_runs() -> list[Paused]:
    """The runs that are paused, the latest first."""
    return _read(lambda store: store.paused(), [])


def gates(runs: Iterable[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Some of these runs, each with the gates at which it waits."""

    def waits(store: Store, run: str) -> tuple[str, ...]:
        return tuple(name for name, step in store.steps(run).items() if step.status == AWAITING_APPROVAL)

    return _read(lambda store: [(run, waits(store, run)) for run in islice(runs, _MOST_SHOWN)], [])


def _read(work: Callable[[Store], T], otherwise: T) -> T:
    """Result of `work` on the store of this user's runs; `otherwise` if there is no store or it cannot be read."""
    path = store_path()
    try:
        if not path.is_file():
            return otherwise
        with closing(Sqlite(path)) as database:
            return work(Store(database))
    except (OSError, StateError, StoreError):
        return otherwise
