"""`boruna-ls workflow run`, `resume`, `approve`, `reject`, `trigger`, `cancel`, `show`, `list`: runs of a data folder."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from analysis.workflow.canonical import workflow_hash
from analysis.workflow.reader import Document, read_definition
from boruna_ls.cli.output import complain, note, visible, write_exact
from boruna_ls.cli.workflow_inputs import given_inputs, with_inputs
from boruna_ls.cli.workflow_shown import list_lines, runs_json, show_json, show_lines, write_sorted
from boruna_ls.run_page.picture import picture
from boruna_ls.state import folder as state
from boruna_ls.state.sql import StoreError
from boruna_ls.workflow.decisions import OWNER, Principal, decide, payload_of
from boruna_ls.workflow.decisions import trigger as let_in
from boruna_ls.workflow.engine import PART
from boruna_ls.workflow.folders import NOT_UTF8, WorkflowError, read_document, read_folder, read_text
from boruna_ls.workflow.local import (
    DataFolder,
    begin_drive,
    checked,
    data_folder,
    is_over,
    new_run,
    run_ephemeral,
)
from boruna_ls.workflow.policies import policy_option
from boruna_ls.workflow.records import RUN_STATUSES, NewRun, RunRecord
from boruna_ls.workflow.store import AlreadyRunning, Store

F = TypeVar("F", bound=Callable[..., Any])
_STATES = {
    "completed": "Completed",
    "failed": "Failed",
    "paused": "Paused",
    "running": "Running",
    "cancelled": "Cancelled",
    "awaiting_approval": "AwaitingApproval",
    "awaiting_external_event": "AwaitingExternalEvent",
}
_IS_SHARED = "boruna_ls.workflow.shared"
_DATA = click.option("--data-dir", help="Folder of the runs (default: $BORUNA_DATA_DIR, else ./.boruna/data).")
_SHARED = click.option(
    "--shared",
    is_flag=True,
    expose_value=False,
    callback=lambda context, parameter, value: context.meta.__setitem__(_IS_SHARED, value),
    help="The runs that agents and editors share, in the state folder.",
)
_ENV = click.option("--env", "environment", help="Use a separate part of the data folder.")


def is_shared() -> bool:
    """True if the command is about the runs of the state folder."""
    return bool(click.get_current_context().meta.get(_IS_SHARED))


def with_data(function: F) -> F:
    """The options that say where runs are kept."""
    return _DATA(_ENV(_SHARED(function)))


def folder_of(data_dir: str | None, environment: str | None) -> str:
    """The path of the data folder that the options mean. Raises WorkflowError."""
    if is_shared():
        return str(state.opened(PART))
    context = click.get_current_context().find_root()
    given = context.params.get("env") if environment is None else environment
    return data_folder(data_dir, given)


def opened(data_dir: str | None, environment: str | None) -> DataFolder:
    """The data folder that the options mean. Raises WorkflowError."""
    return DataFolder(folder_of(data_dir, environment))


def carefully(work: Callable[[], int]) -> int:
    """The exit status of some work; 1 after saying why it cannot be done."""
    try:
        return work()
    except (WorkflowError, StoreError) as error:
        complain(str(error))
        return 1


@click.command("run", short_help="Run a workflow.")
@click.argument("folder", type=click.Path())
@click.option("--policy", default="allow-all", help="allow-all, deny-all or a policy file.")
@click.option("--concurrency", type=int, default=1, help="Maximum number of concurrent steps.")
@click.option("--ephemeral", is_flag=True, help="Store nothing: a run that pauses ends.")
@click.option("--record", is_flag=True, help="Write an evidence bundle at the end.")
@click.option("--evidence-dir", type=click.Path(), help="Where to write it (default: FOLDER/evidence).")
@click.option("--encrypt-bundle", is_flag=True, help="Encrypt the bundle.")
@click.option("--bundle-encryption-key", help="64 hex digits; also $BORUNA_BUNDLE_KEK.")
@click.option("--bundle-kek-id", default="default", help="Name of the key.")
@click.option("--skip-if-running", is_flag=True, help="Do nothing if a run of this workflow is active or waits.")
@click.option("--expect-workflow-hash", help="Refuse a definition with another hash.")
@click.option("--database-url", help="postgresql://…: leave the run to the workers of this database.")
@with_inputs
@click.option("--print-run-id", is_flag=True, help="Print the id of the run to standard error when it starts.")
@click.option("--exit-status", is_flag=True, help="Status 1 for a failed run, 3 for a paused one (default: 0).")
@with_data
def run(folder: str, concurrency: int, data_dir: str | None, environment: str | None, exit_status: bool, **options: Any) -> int:
    """Runs the workflow of a folder until it ends or waits for a decision."""
    status = ""

    def work() -> int:
        nonlocal status
        if concurrency < 1:
            raise WorkflowError(f"--concurrency must be >= 1 (got {concurrency}); use 1 for sequential")
        if options["encrypt_bundle"] and not options["record"]:
            raise WorkflowError("`--encrypt-bundle` requires `--record` (no bundle to encrypt otherwise)")
        document = read_folder(folder)
        if options["expect_workflow_hash"] is not None and not _expected(options["expect_workflow_hash"], document):
            return 1
        policy = policy_option(options["policy"])
        given = given_inputs(options["inputs_file"], options["inputs"], document.definition)
        if options["ephemeral"]:
            store, run_id, status = run_ephemeral(folder, document, policy, tell, given)
            print_outcome(store, run_id, "run", options["record"] and {**options, "folder": folder})
            return 0
        if options["database_url"] is not None:
            status = _run_elsewhere(options["database_url"], new_run(folder, checked(folder)[0], policy, concurrency, given))
            return 0
        named = folder_of(data_dir, environment)
        print(visible(f"  data_dir: {named}"))
        sys.stdout.flush()
        data = DataFolder(named)
        document, _ = checked(folder)
        new = new_run(folder, document, policy, concurrency, given)
        try:
            run_id = data.store.begin(new, unless_running=options["skip_if_running"])
        except AlreadyRunning as other:
            note(
                f"skipped: workflow '{new.workflow_name}' has {other.summary.status} run '{other.summary.run_id}' "
                f"(started_at_ms={other.summary.started_at}); not starting a new run"
            )
            return 0
        if options["print_run_id"]:
            note(f"run_id: {run_id}")
        status = data.drive(run_id, 1, tell)
        print_outcome(data.store, run_id, "run", options["record"] and {**options, "folder": folder})
        return 0

    done = carefully(work)
    return done or ({"failed": 1, "paused": 3}.get(status, 0) if exit_status else 0)


def _run_elsewhere(url: str, new: NewRun) -> str:
    """Begins a run that workers drive, and waits for it; its status."""
    from boruna_ls.state.sql import Postgres
    from boruna_ls.workflow.distributed import at_rest

    store = Store(Postgres(url))
    run_id = store.begin(new)
    record = at_rest(store, run_id)
    print_outcome(store, run_id, "run")
    return "" if record is None else record.status


def _expected(wanted: str, document: Document) -> bool:
    actual = workflow_hash(document.definition)
    if wanted.strip().lower() == actual:
        return True
    complain(f"workflow_hash mismatch: expected={wanted.strip().lower()}, actual={actual}")
    note("(the on-disk workflow def differs from what was captured at deploy time; refusing to run)")
    return False


def tell(run_id: str, event: dict[str, Any]) -> None:
    """Show an event of a run that a person should know of."""
    step = event["step"]
    if event["kind"] == "retry":
        note(f"step '{step}' attempt {event['attempt']}/{event['of']} (retrying after {event['wait_ms']}ms backoff)")
    elif event["kind"] == "awaiting" and event["status"] == "awaiting_approval":
        note(f"Awaiting approval for step '{step}' (role: {event['role']}). Run: {_command('approve', run_id, step)}")
    elif event["kind"] == "awaiting":
        command = _command("trigger", run_id, step, "--token", event["token"], "--payload", "<json>")
        note(f"Awaiting external event for step '{step}'. Run: {command}")


def _command(*words: str) -> str:
    """A command line to be copied. Ids of steps come from the workflow and may hold what a shell obeys."""
    return shlex.join(("boruna-ls", "workflow", *words))


def print_outcome(store: Store, run_id: str, verb: str, record: Any = None) -> None:
    """The outcome of a run, step by step."""
    run_record = store.run(run_id)
    assert run_record is not None
    print(visible(f"workflow '{run_record.summary.workflow_name}' {verb}: {_STATES[run_record.status]}"))
    print(f"  run_id: {run_id}")
    print(f"  duration: {run_record.duration_ms}ms")
    for step in store.steps(run_id).values():
        print(visible(f"  step '{step.step_id}': {_STATES.get(step.status, step.status)} ({step.duration_ms}ms)"))
        if step.error is not None:
            print(visible(f"    error: {step.error}"))
    sys.stdout.flush()
    if record:
        from boruna_ls.cli.evidence import write_recorded

        write_recorded(store, run_id, record)


@click.command("resume", short_help="Continue a run.")
@click.argument("run_id")
@click.option("--workflow-dir", type=click.Path(), help="The current folder of the workflow.")
@click.option("--policy", help="A new policy for the rest of the run.")
@click.option("--concurrency", type=int, help="Maximum number of concurrent steps.")
@click.option("--expect-workflow-hash", help="Refuse a definition with another hash.")
@click.option("--recorded-definition", is_flag=True, help="Continue even if workflow.json has changed or is missing.")
@with_data
def resume(run_id: str, data_dir: str | None, environment: str | None, **options: Any) -> int:
    """Continues a run that waited or was interrupted; a run that has ended is shown."""

    def work() -> int:
        data = opened(data_dir, environment)
        print(visible(f"resuming run '{run_id}' from {data.shown}"))
        sys.stdout.flush()
        _check_expected(options["expect_workflow_hash"], options["workflow_dir"])
        record = data.store.run(run_id)
        if record is None:
            raise WorkflowError(f"run not found: '{run_id}'")
        if not is_over(record):
            if (record.workflow_dir or options["workflow_dir"]) and not options["recorded_definition"]:
                _check_definition(record, options["workflow_dir"])
            policy = None if options["policy"] is None else policy_option(options["policy"])
            number = begin_drive(data.store, record, policy, options["concurrency"])
            data.drive(run_id, number, tell)
        print_outcome(data.store, run_id, "resume")
        return 0

    return carefully(work)


def _check_expected(wanted: str | None, folder: str | None) -> None:
    if wanted is None:
        return
    if folder is None:
        raise WorkflowError("--expect-workflow-hash on resume requires --workflow-dir to locate the on-disk def to hash")
    actual = workflow_hash(read_folder(folder).definition)
    if wanted.strip().lower() != actual:
        raise WorkflowError(f"workflow_hash mismatch: expected={wanted.strip().lower()}, actual={actual}")


def _check_definition(record: RunRecord, folder: str | None) -> None:
    """The definition on disk must be the one that the run was begun with."""
    place = folder or record.folder
    try:
        read_document(place)
    except WorkflowError as error:
        raise WorkflowError(f"IO error: cannot read {folder or record.workflow_dir}/workflow.json: {error}") from None
    _, on_disk = checked(place)
    if on_disk != record.summary.workflow_hash:
        persisted = record.summary.workflow_hash
        if sys.stderr.isatty():
            note("to continue with the definition that the run started with, use --recorded-definition")
        raise WorkflowError(f"workflow hash mismatch for run '{record.run_id}': persisted={persisted}, on-disk={on_disk}")


def _decided(run_id: str, step: str, approve: bool, reason: str | None, options: dict[str, Any]) -> int:
    def work() -> int:
        data = opened(options["data_dir"], options["environment"])
        decide(data.store, run_id, step, approve, reason, Principal(OWNER, True), options["approver"] or "")
        word, ends = ("approval", "to advance") if approve else ("rejection", "to halt the run")
        print(visible(f"{word} recorded for step '{step}' in run '{run_id}'."))
        print(visible(f"Run `{_command('resume', run_id, '--data-dir', data.shown)}` {ends}."))
        return 0

    return carefully(work)


@click.command("approve", short_help="Approve at a gate.")
@click.argument("run_id")
@click.argument("step")
@click.option("--as", "approver", help="Your name, for the record.")
@click.option("--comment", help="Why, for the record.")
@with_data
def approve(run_id: str, step: str, comment: str | None, **options: Any) -> int:
    """Records an approval; `resume` continues the run."""
    return _decided(run_id, step, True, comment, options)


@click.command("reject", short_help="Reject at a gate.")
@click.argument("run_id")
@click.argument("step")
@click.option("--as", "approver", help="Your name, for the record.")
@click.option("--reason", help="Why, for the record.")
@with_data
def reject(run_id: str, step: str, reason: str | None, **options: Any) -> int:
    """Records a rejection; `resume` ends the run."""
    return _decided(run_id, step, False, reason, options)


@click.command("trigger", short_help="Deliver an event to a run.")
@click.argument("run_id")
@click.argument("step")
@click.option("--token", required=True, help="The token that the run printed.")
@click.option("--payload", help="JSON of the event.")
@click.option("--payload-file", type=click.Path(), help="A file with the JSON of the event.")
@with_data
def trigger(run_id: str, step: str, token: str, payload: str | None, payload_file: str | None, **options: Any) -> int:
    """Records the event that a step waits for; `resume` continues the run."""

    def work() -> int:
        text = payload_of(_payload(payload, payload_file))
        data = opened(options["data_dir"], options["environment"])
        let_in(data.store, run_id, step, token, text)
        record = data.store.steps(run_id)[step]
        data.keep_output(run_id, step, record.output or "")
        print(visible(f"trigger recorded for step '{step}' in run '{run_id}'."))
        print(visible(f"Run `{_command('resume', run_id, '--data-dir', data.shown)}` to advance."))
        return 0

    return carefully(work)


def _payload(payload: str | None, payload_file: str | None) -> str:
    if payload is not None and payload_file is not None:
        raise WorkflowError("--payload and --payload-file are mutually exclusive")
    if payload is not None:
        return payload
    if payload_file is None:
        raise WorkflowError("either --payload or --payload-file is required for `workflow trigger`")
    try:
        return read_text(payload_file)
    except WorkflowError as error:
        reason = NOT_UTF8 if str(error) == NOT_UTF8 else error
        raise WorkflowError(f"cannot read --payload-file '{payload_file}': {reason}") from None


@click.command("cancel", short_help="End a run.")
@click.argument("run_id")
@with_data
def cancel(run_id: str, data_dir: str | None, environment: str | None) -> int:
    """Ends a run now; running steps are stopped."""

    def work() -> int:
        data = opened(data_dir, environment)
        if not data.store.cancel(run_id):
            record = data.store.run(run_id)
            raise WorkflowError(f"run not found: '{run_id}'" if record is None else f"run '{run_id}' is already {record.status}")
        print(visible(f"run '{run_id}' is cancelled"))
        return 0

    return carefully(work)


@click.command("show", short_help="Show a run.")
@click.argument("run_id")
@click.option("--json", "as_json", is_flag=True, help="The run as JSON.")
@click.option("--svg", "as_svg", is_flag=True, help="The graph as a picture, each step in the colour of its state.")
@with_data
def show(run_id: str, as_json: bool, as_svg: bool, data_dir: str | None, environment: str | None) -> int:
    """Shows a run with its steps and decisions."""

    def work() -> int:
        data = opened(data_dir, environment)
        record = data.store.run(run_id)
        if record is None:
            raise WorkflowError(f"run not found: '{run_id}'")
        if as_svg:
            states = {step.step_id: step.status for step in data.store.steps(run_id).values()}
            write_exact(picture(read_definition(record.definition).definition, states))
        elif as_json:
            write_sorted(show_json(data.store, record))
        else:
            for line in show_lines(data.store, record):
                print(visible(line))
        return 0

    return carefully(work)


@click.command("list", short_help="List runs.")
@click.option("--status", help="Only this state.")
@click.option("--json", "as_json", is_flag=True, help="The list as JSON.")
@with_data
def list_runs(status: str | None, as_json: bool, data_dir: str | None, environment: str | None) -> int:
    """Lists all runs of a data folder."""

    def work() -> int:
        if status is not None and status not in RUN_STATUSES:
            expected = "running | paused | completed | failed"
            raise WorkflowError(f"unknown status '{status}' (expected: {expected})")
        records = opened(data_dir, environment).store.runs(status)
        if as_json:
            write_sorted(runs_json(records))
        else:
            for line in list_lines(records):
                print(visible(line))
        return 0

    return carefully(work)


COMMANDS = (run, resume, approve, reject, trigger, cancel, show, list_runs)
