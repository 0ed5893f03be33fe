"""The record of runs: their starts, the outcome of every step, decisions, and the audit chain.

The source of truth about a run; its driver reads it here and writes each fact in one transaction with its audit entry.
Writes of a drive that is not the latest of its run are refused, so that two processes never drive one run.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterable, Mapping
from typing import Any, Final

from analysis.workflow.canonical import compact, run_id
from analysis.workflow.run_inputs import INPUTS
from boruna_ls.state.sql import Cursor, SqlStore
from boruna_ls.workflow.audit import NO_HASH, Entry, digest, event, event_text, linked
from boruna_ls.workflow.records import (
    AWAITING_EVENT,
    COMPLETED,
    ENDED,
    FAILED,
    PAUSED,
    PLACE,
    RUNNING,
    Decision,
    NewRun,
    Paused,
    RunRecord,
    StepRecord,
    Summary,
    Trigger,
)
from boruna_ls.workflow.run_inputs import RunInput, inputs_hash
from boruna_ls.workflow.schema import SCHEMA

_SUMMARY: Final = "run_id, workflow_name, workflow_hash, status, started_at, updated_at"
Mark = tuple[Any, ...]
_MARK: Final = (
    "SELECT status, drive, updated_at, (SELECT COUNT(*) FROM audit WHERE audit.run_id = runs.run_id), "
    "(SELECT COUNT(*) FROM steps WHERE steps.run_id = runs.run_id), "
    "(SELECT COUNT(*) FROM steps AS s WHERE s.run_id = runs.run_id AND s.status LIKE 'awaiting%') FROM runs WHERE run_id = ?"
)
_STEP: Final = (
    "step_id, status, output_json, output_hash, started_at, ended_at, error_msg, error_class, attempt_count, steps_used, withheld"
)


class Outdated(Exception):
    """Another drive has taken the run over, or the run was cancelled: stop and write nothing more."""


class AlreadyRunning(Exception):
    """A run of the same definition is under way."""

    def __init__(self, summary: Summary) -> None:
        super().__init__(summary.run_id)
        self.summary = summary


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Store:
    """The runs of one database."""

    def __init__(self, sql: SqlStore) -> None:
        self._sql = sql
        SCHEMA.prepare(sql)

    def close(self) -> None:
        """Closes the database."""
        self._sql.close()

    # ---- reading ------------------------------------------------------------------------------------------------

    def runs(self, status: str | None = None, starter: str | None = None) -> list[Summary]:
        """Runs in a state and of a starter, if given; by name of the workflow, then id."""
        wanted = {column: value for column, value in (("status", status), ("starter", starter)) if value is not None}
        where = f"WHERE {' AND '.join(f'{column} = ?' for column in wanted)} " if wanted else ""
        rows = self._sql.read(f"SELECT {_SUMMARY} FROM runs {where}ORDER BY workflow_name, run_id", *wanted.values())
        return [Summary(*row) for row in rows]

    def paused(self) -> list[Paused]:
        """The runs that are paused, the latest first."""
        rows = self._sql.read(
            "SELECT run_id, workflow_hash, options_json, updated_at FROM runs WHERE status = ? ORDER BY updated_at DESC, run_id",
            PAUSED,
        )
        return [Paused(row[0], row[1], json.loads(row[2]).get(PLACE), row[3]) for row in rows]

    def run(self, run: str) -> RunRecord | None:
        """One run."""
        rows = self._sql.read(
            f"SELECT {_SUMMARY}, policy_json, definition, workflow_dir, options_json, starter, drive, duration_ms "
            "FROM runs WHERE run_id = ?",
            run,
        )
        if not rows:
            return None
        row = rows[0]
        return RunRecord(Summary(*row[:6]), row[6], row[7], row[8], json.loads(row[9]), row[10], row[11], row[12])

    def steps(self, run: str) -> dict[str, StepRecord]:
        """The steps that were reached, by id."""
        rows = self._sql.read(f"SELECT {_STEP} FROM steps WHERE run_id = ?", run)
        return {row[0]: StepRecord(*[*row[:-1], bool(row[-1])]) for row in sorted(rows)}

    def outputs(self, run: str, steps: Iterable[str]) -> dict[str, str]:
        """The outputs of those of these steps that are completed."""
        statement = "SELECT output_json FROM steps WHERE run_id = ? AND step_id = ? AND status = ?"
        by_step = {step: self._sql.read(statement, run, step, COMPLETED) for step in steps}
        return {step: rows[0][0] or "" for step, rows in by_step.items() if rows}

    def inputs(self, run: str) -> tuple[RunInput, ...]:
        """Inputs of the run, by name; values of secrets are deleted when it ends."""
        rows = self._sql.read("SELECT name, type, secret, value, salt, commitment FROM inputs WHERE run_id = ?", run)
        return tuple(RunInput(row[0], row[1], bool(row[2]), *row[3:]) for row in sorted(rows))

    def sources(self, run: str) -> dict[str, str]:
        """The programs of a run, by step."""
        rows = self._sql.read("SELECT step_id, text FROM sources WHERE run_id = ?", run)
        return {row[0]: row[1] for row in sorted(rows)}

    def decisions(self, run: str) -> dict[str, Decision]:
        """Decisions at a run's gates, by step."""
        rows = self._sql.read("SELECT step_id, decision, decided_at, reason, approver, role FROM decisions WHERE run_id = ?", run)
        return {row[0]: Decision(*row) for row in sorted(rows)}

    def triggers(self, run: str) -> dict[str, Trigger]:
        """The triggers that were reached, by step."""
        rows = self._sql.read("SELECT step_id, token, payload, triggered_at FROM triggers WHERE run_id = ?", run)
        return {row[0]: Trigger(*row) for row in sorted(rows)}

    def audit_log(self, run: str) -> list[Entry]:
        """The audit chain."""
        rows = self._sql.read(
            "SELECT sequence, prev_hash, content_sha256, event, entry_hash FROM audit WHERE run_id = ? ORDER BY sequence", run
        )
        return [Entry(row[0], row[1], row[2], json.loads(row[3]), row[4]) for row in rows]

    def marks(self, runs: Iterable[str]) -> dict[str, Mark]:
        """Mark of each existing run, which differs after every change of it."""
        marks = {}
        for run in runs:
            for row in self._sql.read(_MARK, run):
                marks[run] = tuple(row)
        return marks

    def latest_drives(self) -> set[str]:
        """The drives of all runs that are not over, as `RUN:NUMBER`."""
        return {f"{run}:{drive}" for run, drive in self._sql.read("SELECT run_id, drive FROM runs WHERE status = ?", RUNNING)}

    def is_current(self, run: str, drive: int) -> bool:
        """True if this drive of a run may still write."""
        return bool(self._sql.read("SELECT 1 FROM runs WHERE run_id = ? AND drive = ? AND status = ?", run, drive, RUNNING))

    # ---- a run begins, goes on, ends ----------------------------------------------------------------------------

    def begin(self, new: NewRun, unless_running: bool = False) -> str:
        """The id of a new run. Raises AlreadyRunning if `unless_running` and a run of this definition is not over."""
        now = now_ms()
        with self._sql.writing() as do:
            if unless_running:
                _refuse_second(do, new.workflow_hash)
            [(counter,)] = do("SELECT COUNT(*) FROM runs WHERE workflow_hash = ?", new.workflow_hash)
            bound_to = inputs_hash(new.inputs)
            run = run_id(new.workflow_hash, counter, bound_to)
            do(
                "INSERT INTO runs (run_id, workflow_name, workflow_hash, status, started_at, updated_at, policy_json, "
                "definition, workflow_dir, options_json, starter, drive) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)",
                *(run, new.workflow_name, new.workflow_hash, RUNNING, now, now, new.policy, new.definition),
                *(new.workflow_dir, compact(dict(new.options)), new.starter),
            )
            for step, text in new.sources.items():
                do("INSERT INTO sources (run_id, step_id, text) VALUES (?, ?, ?)", run, step, text)
            _append(do, run, "started", event("WorkflowStarted", workflow_hash=new.workflow_hash, policy_hash=digest(new.policy)))
            for run_input in new.inputs:
                do(
                    "INSERT INTO inputs (run_id, name, type, secret, value, salt, commitment) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    *(
                        run,
                        run_input.name,
                        run_input.type,
                        int(run_input.secret),
                        run_input.text,
                        run_input.salt,
                        run_input.commitment,
                    ),
                )
            if new.inputs:
                # No step has this name where inputs are declared.
                _append(do, run, "inputs", event("StepStarted", step_id=INPUTS, input_hash=bound_to))
        return run

    def take(
        self, run: str, policy: str | None = None, options: Mapping[str, Any] | None = None, after: int | None = None
    ) -> int:
        """Begins another drive of a run that is not over; the one before may not write any more. Raises Outdated.

        With `after` only if that drive is the latest and has not come to an end.
        """
        with self._sql.writing() as do:
            rows = do("SELECT drive, status, options_json FROM runs WHERE run_id = ?", run)
            if not rows or rows[0][1] in ENDED:
                raise Outdated
            if after is not None and (rows[0][0], rows[0][1]) != (after, RUNNING):
                raise Outdated
            drive = int(rows[0][0]) + 1
            merged = {**json.loads(rows[0][2]), **(options or {})}
            do(
                "UPDATE runs SET drive = ?, status = ?, updated_at = ?, policy_json = COALESCE(?, policy_json), options_json = ? "
                "WHERE run_id = ?",
                *(drive, RUNNING, now_ms(), policy, compact(merged), run),
            )
        return drive

    def finish(self, run: str, drive: int, status: str, duration_ms: int, last: str | None = None) -> None:
        """Records the outcome of a drive; `last` is the closing event's hash if there is one."""
        with self._sql.writing() as do:
            _check(do, run, drive)
            do(
                "UPDATE runs SET status = ?, updated_at = ?, duration_ms = duration_ms + ? WHERE run_id = ?",
                *(status, now_ms(), duration_ms, run),
            )
            if status in ENDED:
                _forget_secrets(do, run)
            if last is not None:
                _append(do, run, "completed", event("WorkflowCompleted", result_hash=last, total_duration_ms=duration_ms))

    def cancel(self, run: str) -> bool:
        """Ends a run that is not over; whether it was not."""
        with self._sql.writing() as do:
            rows = do("SELECT status FROM runs WHERE run_id = ?", run)
            if not rows or rows[0][0] in ENDED:
                return False
            do("UPDATE runs SET status = ?, drive = drive + 1, updated_at = ? WHERE run_id = ?", "cancelled", now_ms(), run)
            _forget_secrets(do, run)
            _append(do, run, "completed", event("WorkflowCompleted", result_hash=NO_HASH, total_duration_ms=0))
        return True

    # ---- steps --------------------------------------------------------------------------------------------------

    def step_started(self, run: str, drive: int, step: str) -> int:
        """The number of the attempt that begins: higher than 1 only if an earlier one was recorded as failed."""
        with self._sql.writing() as do:
            _check(do, run, drive)
            do(
                "INSERT INTO steps (run_id, step_id, status, started_at) VALUES (?, ?, ?, ?) ON CONFLICT (run_id, step_id) "
                "DO UPDATE SET status = ?, output_json = NULL, output_hash = NULL, error_msg = NULL, error_class = NULL, "
                "ended_at = NULL, started_at = COALESCE(steps.started_at, ?)",
                *(run, step, RUNNING, now_ms(), RUNNING, now_ms()),
            )
            [(attempts,)] = do("SELECT attempt_count FROM steps WHERE run_id = ? AND step_id = ?", run, step)
        return int(attempts)

    def attempt_failed(self, run: str, drive: int, step: str, next_attempt: int) -> None:
        """Store the number of attempts, for a drive that takes over."""
        with self._sql.writing() as do:
            _check(do, run, drive)
            do("UPDATE steps SET attempt_count = ? WHERE run_id = ? AND step_id = ?", next_attempt, run, step)

    def step_ended(self, run: str, drive: int, record: StepRecord, audited: bool = True) -> None:
        """Records the outcome of a step, with its audit entry; a second time with the same result changes nothing."""
        with self._sql.writing() as do:
            _check(do, run, drive)
            _write_end(do, run, record)
            if not audited:
                return
            if record.status == COMPLETED:
                [(started, ended)] = do(
                    "SELECT started_at, ended_at FROM steps WHERE run_id = ? AND step_id = ?", run, record.step_id
                )
                took = max(ended - started, 0) if started is not None else 0
                entry = event("StepCompleted", step_id=record.step_id, output_hash=record.output_hash, duration_ms=took)
            else:
                entry = event("StepFailed", step_id=record.step_id, error=record.error)
            _append(do, run, f"ended:{record.step_id}", entry)

    def awaits(self, run: str, drive: int, step: str, status: str) -> str:
        """A gate or trigger was reached; the token of a trigger, which stays the same."""
        with self._sql.writing() as do:
            _check(do, run, drive)
            do(
                "INSERT INTO steps (run_id, step_id, status, started_at) VALUES (?, ?, ?, ?) ON CONFLICT (run_id, step_id) "
                "DO UPDATE SET status = ?",
                *(run, step, status, now_ms(), status),
            )
            if status != AWAITING_EVENT:
                return ""
            do(
                "INSERT INTO triggers (run_id, step_id, token) VALUES (?, ?, ?) ON CONFLICT (run_id, step_id) DO NOTHING",
                *(run, step, secrets.token_hex(16)),
            )
            [(token,)] = do("SELECT token FROM triggers WHERE run_id = ? AND step_id = ?", run, step)
            return str(token)

    def apply_decisions(self, run: str, drive: int) -> bool:
        """Completes or fails the gates that were decided and still wait; whether one was rejected."""
        rejected = False
        with self._sql.writing() as do:
            _check(do, run, drive)
            rows = do(
                "SELECT d.step_id, d.decision, d.reason FROM decisions d JOIN steps s ON s.run_id = d.run_id AND "
                "s.step_id = d.step_id WHERE d.run_id = ? AND s.status = 'awaiting_approval' ORDER BY d.step_id",
                run,
            )
            for step, decision, reason in rows:
                if decision == "approved":
                    _write_end(do, run, completed(step, '{"Map":{}}'))
                else:
                    rejected = True
                    failed = StepRecord(step, FAILED, error=reason or "rejected by operator", error_class="rejected")
                    _write_end(do, run, failed)
        return rejected

    # ---- decisions and events from outside ----------------------------------------------------------------------

    def decide(self, run: str, decision: Decision) -> bool:
        """Record a decision at a waiting gate; False if another decision was first."""
        with self._sql.writing() as do:
            if do("SELECT 1 FROM decisions WHERE run_id = ? AND step_id = ?", run, decision.step_id):
                return False
            columns = "run_id, step_id, decision, decided_at, reason, approver, role"
            values = (decision.decision, decision.decided_at, decision.reason, decision.approver, decision.role)
            do(f"INSERT INTO decisions ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", run, decision.step_id, *values)
            _append(do, run, f"decided:{decision.step_id}", _decided(decision))
            do("UPDATE runs SET updated_at = ? WHERE run_id = ?", decision.decided_at, run)
        return True

    def triggered(self, run: str, step: str, payload: str) -> bool:
        """Records an event and completes its step; False if there was one before."""
        now, output = now_ms(), compact({"String": payload})
        with self._sql.writing() as do:
            rows = do("SELECT triggered_at FROM triggers WHERE run_id = ? AND step_id = ?", run, step)
            if not rows or rows[0][0]:
                return False
            do("UPDATE triggers SET payload = ?, triggered_at = ? WHERE run_id = ? AND step_id = ?", payload, now, run, step)
            _write_end(do, run, completed(step, output))
            entry = event("ExternalTriggerReceived", step_id=step, payload_hash=digest(output))
            _append(do, run, f"triggered:{step}", entry)
            do("UPDATE runs SET updated_at = ? WHERE run_id = ?", now, run)
        return True


def completed(step: str, output: str, attempts: int = 1, steps_used: int = 0, salt: str = "") -> StepRecord:
    """The record of a step with this output. With a salt the output is withheld: its hash does not disclose it."""
    spent: dict[str, Any] = {"attempts": attempts, "steps_used": steps_used, "withheld": bool(salt)}
    hashed = digest(f"{salt}:{output}" if salt else output)
    return StepRecord(step, COMPLETED, output, hashed, ended_at=now_ms(), **spent)


def _decided(decision: Decision) -> dict[str, dict[str, Any]]:
    """The audit event of a decision; role and comment are kept beside it, in the decision and in bundles."""
    if decision.decision == "approved":
        return event("ApprovalGranted", step_id=decision.step_id, approver=decision.approver)
    return event("ApprovalDenied", step_id=decision.step_id, reason=decision.reason or "")


def _refuse_second(do: Cursor, workflow_hash: str) -> None:
    rows = do(
        f"SELECT {_SUMMARY} FROM runs WHERE workflow_hash = ? AND status IN (?, ?) ORDER BY started_at DESC LIMIT 1",
        *(workflow_hash, RUNNING, PAUSED),
    )
    if rows:
        raise AlreadyRunning(Summary(*rows[0]))


def _forget_secrets(do: Cursor, run: str) -> None:
    """Delete the secrets of an ended run, and the outputs that contain them. Their hashes and commitments stay."""
    do("UPDATE inputs SET value = NULL WHERE run_id = ? AND secret = 1", run)
    do("UPDATE steps SET output_json = NULL WHERE run_id = ? AND withheld = 1", run)


def _check(do: Cursor, run: str, drive: int) -> None:
    if not do("SELECT 1 FROM runs WHERE run_id = ? AND drive = ? AND status = ?", run, drive, RUNNING):
        raise Outdated


def _write_end(do: Cursor, run: str, record: StepRecord) -> None:
    do(
        "INSERT INTO steps (run_id, step_id, status, output_json, output_hash, ended_at, error_msg, error_class, attempt_count, "
        "steps_used, withheld) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run_id, step_id) "
        "DO UPDATE SET status = excluded.status, "
        "output_json = excluded.output_json, output_hash = excluded.output_hash, ended_at = excluded.ended_at, "
        "error_msg = excluded.error_msg, error_class = excluded.error_class, attempt_count = excluded.attempt_count, "
        "steps_used = excluded.steps_used, withheld = excluded.withheld",
        *(run, record.step_id, record.status, record.output, record.output_hash, record.ended_at or now_ms()),
        *(record.error, record.error_class, record.attempts, record.steps_used, int(record.withheld)),
    )


def _append(do: Cursor, run: str, name: str, content: Mapping[str, Mapping[str, Any]]) -> None:
    """Adds an audit entry; one of the same name is there already if the step is recorded once more after a crash."""
    if do("SELECT 1 FROM audit WHERE run_id = ? AND name = ?", run, name):
        return
    rows = do("SELECT sequence, entry_hash FROM audit WHERE run_id = ? ORDER BY sequence DESC LIMIT 1", run)
    sequence, before = (rows[0][0] + 1, rows[0][1]) if rows else (0, NO_HASH)
    entry = linked(sequence, before, content)
    do(
        "INSERT INTO audit (run_id, sequence, name, prev_hash, content_sha256, event, entry_hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
        *(run, sequence, name, before, entry.content_sha256, event_text(content), entry.entry_hash),
    )
