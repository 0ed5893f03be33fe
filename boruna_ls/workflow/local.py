"""Runs of a data folder, driven by this process: what the command line does (spec chapter 17, sections 1 and 3)."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from analysis.workflow.canonical import workflow_hash
from analysis.workflow.reader import TRIGGER, Definition, Document
from analysis.workflow.validation import validate
from boruna_ls import no_follow
from boruna_ls.runtime.policy import Policy
from boruna_ls.runtime.workers import shared_pool
from boruna_ls.state.sql import Sqlite
from boruna_ls.workflow.driver import Driver, Hooks, Notify, with_options
from boruna_ls.workflow.engine import Engine, Place, place_for
from boruna_ls.workflow.folders import DOCUMENT, WorkflowError, placed_below, read_folder
from boruna_ls.workflow.names import file_name
from boruna_ls.workflow.policies import policy_text
from boruna_ls.workflow.records import ENDED, NewRun, RunRecord
from boruna_ls.workflow.run_inputs import checked_inputs
from boruna_ls.workflow.sources import read_source, read_sources
from boruna_ls.workflow.store import Outdated, Store

DEFAULT: Final = "./.boruna/data"
_STORE: Final = "runs.db"
_RUNS: Final = "runs"
"""Database and folder of outputs in a data folder."""
DATA_VARIABLE: Final = "BORUNA_DATA_DIR"
_ENVIRONMENT: Final = re.compile(r"[A-Za-z0-9_-]")
_LONGEST_NAME: Final = 64


def data_folder(given: str | None, environment: str | None) -> str:
    """The data folder that a command line means, as it was typed. Raises WorkflowError."""
    folder = given or os.environ.get(DATA_VARIABLE) or DEFAULT
    name = environment if environment is not None else os.environ.get("BORUNA_ENV") or None
    if name is None:
        return folder
    if not name:
        raise WorkflowError("--env name must not be empty")
    if len(name) > _LONGEST_NAME:
        raise WorkflowError(f"--env name '{name[:_LONGEST_NAME]}' exceeds {_LONGEST_NAME}-character limit")
    if bad := [character for character in name if not _ENVIRONMENT.fullmatch(character)]:
        shown = ", ".join(f"'{character}'" for character in bad)
        raise WorkflowError(f"--env name '{name}' contains invalid characters [{shown}]; allowed: ASCII alphanumerics, '_', '-'")
    return f"{folder}/{name}"


class DataFolder:
    """The store of a folder, and the files beside it."""

    def __init__(self, folder: str) -> None:
        if folder.startswith(DEFAULT):
            # The user has not named it, and the current folder may hold anything: no store is made or opened behind a link.
            try:
                placed_below(os.curdir, folder)
            except WorkflowError:
                raise WorkflowError(f"{DEFAULT} leads out of the current folder: name a folder with --data-dir") from None
        if os.path.abspath(folder) == os.path.abspath(os.sep):
            raise WorkflowError("internal error: --data-dir must not be the system root '/'")
        self.shown = folder
        self.path = Path(folder)
        for name in (_STORE, _RUNS):
            # A clone may hold a data folder.
            if (self.path / name).is_symlink():
                raise WorkflowError(f"{folder}/{name} is a symbolic link: remove it, or name another folder with --data-dir")
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.store = Store(Sqlite(self.path / _STORE, is_durable=True))

    def keep_output(self, run: str, step: str, text: str) -> None:
        """Writes an output beside the store, whole or not at all; ids that are not valid file names are encoded.

        Raises WorkflowError, OSError.
        """
        parts = (_RUNS, run, "outputs", file_name(step), "result.json")
        try:
            no_follow.write_below(str(self.path), parts, text.encode("utf-8", "surrogatepass"))
        except OSError as error:
            if no_follow.is_link_error(error):
                raise WorkflowError(f"{self.shown}/{'/'.join(parts)} is behind a symbolic link: remove that") from None
            raise

    def drive(self, run: str, number: int, notify: Notify) -> str:
        """Drives a run durably in this process; the status at its end."""
        hooks = Hooks(notify=notify, keep_output=self.keep_output)
        return asyncio.run(_driven(self.store, hooks, place_for(self.path), run, number))


async def _driven(store: Store, hooks: Hooks, place: Place, run: str, number: int) -> str:
    engine = Engine(Driver(store, shared_pool(), hooks), place)
    engine.launch()
    try:
        return await engine.drive(run, number)
    finally:
        engine.close()


def checked(folder: str) -> tuple[Document, str]:
    """A valid workflow of a folder and its hash. Raises WorkflowError."""
    document = read_folder(folder)
    refuse_invalid(document)
    return document, workflow_hash(document.definition)


def refuse_invalid(document: Document) -> None:
    """Raises WorkflowError with all that is wrong with a definition."""
    if errors := validate(document).errors:
        raise WorkflowError(f"validation error: {'; '.join(problem.message for problem in errors)}")


def new_run(
    folder: str, document: Document, policy: Policy, concurrency: int, given: Mapping[str, Any] = MappingProxyType({})
) -> NewRun:
    """New run of a folder, its programs and the `given` inputs included. Raises WorkflowError."""
    definition = document.definition
    return NewRun(
        workflow_name=definition.name,
        workflow_hash=workflow_hash(definition),
        policy=policy_text(policy),
        definition=document.text,
        workflow_dir=folder,
        sources=read_sources(folder, definition),
        options=with_options(concurrency=concurrency, document=os.path.realpath(os.path.join(folder, DOCUMENT))),
        inputs=checked_inputs(definition, given),
    )


def run_ephemeral(
    folder: str, document: Document, policy: Policy, notify: Notify, given: Mapping[str, Any] = MappingProxyType({})
) -> tuple[Store, str, str]:
    """Runs a workflow that nothing remembers: its store (in memory), its id, its status. Raises WorkflowError."""
    refuse_invalid(document)
    definition = document.definition
    for name in sorted(definition.steps):
        if definition.steps[name].kind == TRIGGER:
            message = "external triggers require persistent runs (use `run_persistent`, not `run`)"
            raise WorkflowError(f"validation error: step '{name}' is an external_trigger step; {message}")
    store = Store(Sqlite(None))
    inputs = checked_inputs(definition, given)
    hashed, text = workflow_hash(definition), policy_text(policy)
    new = NewRun(definition.name, hashed, text, document.text, folder, {}, options=with_options(), inputs=inputs)
    run = store.begin(new)
    driver = Driver(store, shared_pool(), Hooks(notify=notify, source=lambda step: _source_now(folder, definition, step)))
    return store, run, asyncio.run(driver.drive(run, 1))


def _source_now(folder: str, definition: Definition, step: str) -> str:
    path = definition.steps[step].source
    try:
        return read_source(folder, path)
    except WorkflowError as error:
        raise WorkflowError(f"cannot read {folder}/{path}: {error}") from None


def begin_drive(store: Store, record: RunRecord, policy: Policy | None, concurrency: int | None) -> int:
    """The number of the next drive of a run. Raises WorkflowError if it is over by now."""
    options: dict[str, Any] = {} if concurrency is None else {"concurrency": concurrency}
    try:
        return store.take(record.run_id, None if policy is None else policy_text(policy), options)
    except Outdated:
        raise WorkflowError(f"run '{record.run_id}' has ended meanwhile") from None


def is_over(record: RunRecord) -> bool:
    """True if the status of a run is final."""
    return record.status in ENDED
