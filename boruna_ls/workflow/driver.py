"""Drives one run: wave after wave of steps in worker processes, each fact written to the store before the next one depends on it.

A drive is a function of the definition and of recorded results (`plan.py`), so it can be repeated after a crash: `Durable` is how
its steps are made durable, `engine.py` does that with DBOS. A drive ends when the run waits; a decision begins another one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from analysis.data_classes import dataclass
from analysis.workflow.reader import Definition, Step, read_definition
from analysis.workflow.run_inputs import INPUTS
from boruna_ls.deadline import Deadline
from boruna_ls.runtime.policy import Policy, read_policy
from boruna_ls.runtime.pool_run import DeadlineExceeded, Died, QueueFull
from boruna_ls.runtime.workers import WorkerPool
from boruna_ls.workflow.audit import NO_HASH
from boruna_ls.workflow.folders import WorkflowError
from boruna_ls.workflow.plan import LEVELS, OPEN, SEQUENTIAL, Plan, Wave
from boruna_ls.workflow.policies import for_step
from boruna_ls.workflow.records import AWAITING, COMPLETED, FAILED, PAUSED, PLACE, RunRecord, StepRecord
from boruna_ls.workflow.run_inputs import Secrets
from boruna_ls.workflow.step_task import STEP_LIMIT, StepTask, failure
from boruna_ls.workflow.store import Outdated, Store, completed, now_ms

Durable = Callable[[str, Callable[[], Awaitable[Any]]], Awaitable[Any]]
"""(name, work) → the result of `work`, which is JSON; after a crash the recorded result instead."""
Notify = Callable[[str, dict[str, Any]], None]
"""(run, event): `retry`, `awaiting`, `step_started`, `step_ended`."""

_LOOK: Final = 0.5
"""Seconds between two looks whether the run was cancelled or taken over."""
_LONGEST: Final = 24 * 3600.0
_GRACE: Final = 5.0
"""Seconds beyond a time-out before the process is stopped."""
_FIRST_WAIT: Final = 100
_LONGEST_WAIT: Final = 5000


async def directly(name: str, work: Callable[[], Awaitable[Any]]) -> Any:
    """No durability: for runs that cannot be resumed."""
    return await work()


@dataclass(frozen=True, slots=True)
class Hooks:
    """Callbacks of a drive. `source` gives the program of a step; `keep_output` gets each output when it is recorded."""

    notify: Notify = lambda run, event: None
    source: Callable[[str], str] | None = None
    keep_output: Callable[[str, str, str], None] = lambda run, step, text: None


class Driver:
    """Drives runs of one store."""

    def __init__(self, store: Store, pool: WorkerPool, hooks: Hooks | None = None) -> None:
        self.store = store
        self._pool = pool
        self._hooks = hooks or Hooks()

    async def drive(self, run: str, number: int, durable: Durable = directly) -> str:
        """The status of the run at the end of its drive `number`. Raises Outdated if a newer drive has taken the run over."""
        record = self.store.run(run)
        if record is None or record.drive != number:
            raise Outdated
        work = _Drive(self.store, self._pool, self._hooks, record, durable)
        return await work.carry_out()


class _Drive:
    def __init__(self, store: Store, pool: WorkerPool, hooks: Hooks, record: RunRecord, durable: Durable) -> None:
        self._store = store
        self._pool = pool
        self._hooks = hooks
        self._run = record.run_id
        self._number = record.drive
        self._durable = durable
        self._definition: Definition = read_definition(record.definition).definition
        self._policy: Policy = read_policy(record.policy)
        self._sources = store.sources(record.run_id)
        options = record.options
        self._concurrency = int(options.get("concurrency", 1))
        mode = str(options.get("mode") or (LEVELS if self._concurrency > 1 else SEQUENTIAL))
        self._max_steps = int(options.get("max_steps", STEP_LIMIT))
        self._plan = Plan(self._definition, mode, self._concurrency)
        self._outputs: dict[str, str] = {}
        given = store.inputs(record.run_id)
        self._inputs = {run_input.name: run_input.text for run_input in given if run_input.text is not None}
        self._secrets = Secrets(given)

    async def carry_out(self) -> str:
        started = time.monotonic()
        begun = await self._durable("begin", self._begin)
        done: dict[str, str] = begun["done"]
        if begun["failed"]:
            return str(await self._durable("end", lambda: self._end(FAILED, started, closing=False)))
        while (wave := self._plan.next(done)) is not None:
            if wave.awaits:
                done |= await self._durable("await", lambda wave=wave: self._await(wave))  # type: ignore[misc]
            if wave.run:
                done |= await self._run_wave(wave)
        status = FAILED if FAILED in done.values() else PAUSED if AWAITING & {*done.values()} else COMPLETED
        return str(await self._durable("end", lambda: self._end(status, started, closing=status != PAUSED)))

    async def _begin(self) -> dict[str, Any]:
        """Decisions are applied; what is not completed is done again, gates that wait are reached again."""
        rejected = self._store.apply_decisions(self._run, self._number)
        steps = self._store.steps(self._run)
        for name, step in steps.items():
            if step.status == COMPLETED and step.public_output is not None:
                self._hooks.keep_output(self._run, name, step.public_output)
        failed = rejected or any(step.status == FAILED for step in steps.values())
        return {"done": {name: COMPLETED for name, step in steps.items() if step.status == COMPLETED}, "failed": failed}

    async def _await(self, wave: Wave) -> dict[str, str]:
        states = {}
        for name in wave.awaits:
            states[name] = status = self._plan.awaiting_status(name)
            token = self._store.awaits(self._run, self._number, name, status)
            role = self._definition.steps[name].required_role
            self._hooks.notify(self._run, {"kind": "awaiting", "step": name, "status": status, "role": role, "token": token})
        return states

    async def _end(self, status: str, started: float, closing: bool) -> str:
        steps = self._store.steps(self._run)
        last = steps[max(steps)].output_hash if steps else None
        took = int((time.monotonic() - started) * 1000)
        self._store.finish(self._run, self._number, status, took, (last or NO_HASH) if closing else None)
        return status

    # ---- waves --------------------------------------------------------------------------------------------------

    async def _run_wave(self, wave: Wave) -> dict[str, str]:
        self._load(wave.run)
        if self._plan.mode == LEVELS:
            missing = {name: gone for name in wave.run if (gone := self._missing(name))}
            if missing:
                return dict(await self._durable("inputs", lambda: self._without_inputs(missing)))
        if self._plan.mode == SEQUENTIAL or len(wave.run) == 1:
            states = [await self._durable(f"step {name}", lambda name=name: self._step(name)) for name in wave.run]  # type: ignore[misc]
        else:
            # The order in which durable steps are begun is part of the drive's history.
            begun = [self._durable(f"step {name}", lambda name=name: self._step(name)) for name in wave.run]  # type: ignore[misc]
            states = await _all(begun)
        return dict(zip(wave.run, states, strict=True))

    def _load(self, names: tuple[str, ...]) -> None:
        """Has the outputs that these steps read at hand: not all of a run's, which would be read anew for each of its steps."""
        inputs = [reference for name in names for reference in self._definition.steps[name].inputs.values()]
        wanted = {reference.partition(".")[0] for reference in inputs} - self._outputs.keys()
        self._outputs |= self._store.outputs(self._run, wanted)

    async def _without_inputs(self, missing: Mapping[str, str]) -> dict[str, str]:
        for name, reference in missing.items():
            error = f"input resolution: output not found: {reference}"
            failed = StepRecord(name, FAILED, error=error, error_class="input_resolution", ended_at=now_ms())
            self._store.step_ended(self._run, self._number, failed, audited=False)
        return dict.fromkeys(missing, FAILED)

    def _missing(self, name: str) -> str | None:
        """The first input whose output there is not."""
        inputs = self._definition.steps[name].inputs
        for key in sorted(inputs):
            if self._value(inputs[key]) is None:
                return inputs[key]
        return None

    def _value(self, reference: str) -> str | None:
        """Value of a reference to an input of the run, or to the output of a step; None if there is none."""
        step, _, output = reference.partition(".")
        if step == INPUTS and self._definition.inputs:
            return self._inputs.get(output)
        return self._outputs.get(step) if output == "result" else None

    async def _step(self, name: str) -> str:
        step = self._definition.steps[name]
        attempt = self._store.step_started(self._run, self._number, name)
        self._hooks.notify(self._run, {"kind": "step_started", "step": name})
        if gone := self._missing(name):
            record = self._failed(name, f"output not found: {gone}", "input_resolution", 1)
        else:
            record = await self._attempts(name, step, attempt)
        self._store.step_ended(self._run, self._number, record)
        if record.public_output is not None:
            self._hooks.keep_output(self._run, name, record.public_output)
        self._hooks.notify(self._run, {"kind": "step_ended", "step": name, "status": record.status})
        return record.status

    async def _attempts(self, name: str, step: Step, attempt: int) -> StepRecord:
        most = max(step.retry.max_attempts, 1) if step.retry else 1
        while True:
            outcome = await self._attempt(name, step)
            if "output" in outcome:
                output = outcome["output"]
                salt = self._secrets.salt if self._secrets.are_in(output) else ""
                return completed(name, output, attempt, outcome["steps"], salt)
            error = outcome["error"]
            if attempt >= most or not _may_retry(step, error["class"]):
                return self._failed(name, error["message"], error["class"], attempt, outcome["steps"])
            attempt += 1
            wait = min(_FIRST_WAIT * 2 ** min(attempt - 2, 10), _LONGEST_WAIT)
            self._store.attempt_failed(self._run, self._number, name, attempt)
            self._hooks.notify(self._run, {"kind": "retry", "step": name, "attempt": attempt, "of": most, "wait_ms": wait})
            await asyncio.sleep(wait / 1000)

    def _failed(self, name: str, message: str, kind: str, attempts: int, steps_used: int = 0) -> StepRecord:
        if attempts > 1:
            message = f"failed after {attempts} attempts: step '{name}' failed: {message}"
        message = f"step '{name}' failed: {self._secrets.removed(message)}"
        if self._plan.mode == SEQUENTIAL:
            message = f"step '{name}' failed: {message}"
        return StepRecord(
            name, FAILED, error=message, error_class=kind, ended_at=now_ms(), attempts=attempts, steps_used=steps_used
        )

    # ---- one attempt --------------------------------------------------------------------------------------------

    async def _attempt(self, name: str, step: Step) -> dict[str, Any]:
        try:
            text = self._sources[name] if self._hooks.source is None else self._hooks.source(name)
        except WorkflowError as error:
            return failure("io_error", str(error))
        inputs = {key: self._value(reference) or "" for key, reference in step.inputs.items()}
        deadline = _LONGEST if step.timeout_ms is None else min(step.timeout_ms / 1000 + _GRACE, _LONGEST)
        task = StepTask(name, text, inputs, for_step(self._policy, step), self._max_steps, deadline, step.timeout_ms)
        outcome = await self._outcome(task)
        if step.timeout_ms is not None and outcome.get("error", {}).get("class") == "wall_time_exceeded":
            return failure(
                "wall_time_exceeded", f"runtime error: the step took longer than {step.timeout_ms} ms", outcome["steps"]
            )
        return outcome

    async def _outcome(self, task: StepTask) -> dict[str, Any]:
        running = await self._submitted(task)
        future = asyncio.wrap_future(running.future)
        try:
            while not future.done():
                await asyncio.wait({future}, timeout=_LOOK)
                if not future.done() and not self._store.is_current(self._run, self._number):
                    raise Outdated
            outcome: dict[str, Any] = json.loads(future.result())
            return (
                outcome if "output" in outcome or "class" in outcome["error"] else failure("runtime_error", _limit_text(outcome))
            )
        except DeadlineExceeded:
            return failure("wall_time_exceeded", "runtime error: the step took too long and was stopped")
        except Died as death:
            return failure("worker_died", f"runtime error: the process that ran the step ended (signal {death.signal})")
        finally:
            running.stop()
            with contextlib.suppress(BaseException):
                await future

    async def _submitted(self, task: StepTask) -> Any:
        while True:
            try:
                # The limit of a step is one of its computation.
                return self._pool.submit(task, Deadline.once_begun(task.deadline))
            except QueueFull:
                await asyncio.sleep(_LOOK)


async def _all(waiting: list[Awaitable[Any]]) -> list[Any]:
    """All results, in order; the first exception once every one has ended."""
    results = await asyncio.gather(*waiting, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


def _may_retry(step: Step, kind: str) -> bool:
    retry = step.retry
    if retry is None or retry.max_attempts < 2:
        return False
    return kind in retry.retry_on if retry.retry_on else retry.on_transient


def _limit_text(outcome: dict[str, Any]) -> str:
    return f"runtime error: {outcome['error'].get('message', 'no outcome')}"


def with_options(
    mode: str = "", concurrency: int = 1, max_steps: int = STEP_LIMIT, document: str | None = None
) -> dict[str, Any]:
    """The options of a run as the store keeps them; `document` is the path of its definition, if it was read from a file."""
    options = {"mode": mode if mode in (OPEN, LEVELS, SEQUENTIAL) else "", "concurrency": concurrency, "max_steps": max_steps}
    return options if document is None else {**options, PLACE: document}
