"""Runs that are proven by a second one: sealed runs, and replays of a recorded log (spec chapter 12 sections 2 and 3)."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.runtime.event_log import EventLog, LogError, read_log
from boruna_ls.runtime.execute import ANSWER_LIMIT, DEPTH_LIMIT, PARTS_LIMIT, Debug, Outcome, basic, mock_of
from boruna_ls.runtime.forms import TooLarge, display, public_json
from boruna_ls.runtime.gateway import Gateway
from boruna_ls.runtime.job import Job, unpacked
from boruna_ls.runtime.json_text import compact, depth_of
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.replay import Recorded, call_difference, difference
from boruna_ls.runtime.run import RunOutcome, run_module

SHOWN: Final = 1000
"""Events, and calls, that an answer holds."""


def run_sealed(job: Job) -> Outcome:
    """Run, run again with the answers of the first time, compare."""
    log, debug = EventLog(), Debug()
    gateway = Gateway(job.policy, mock_of(job), log)
    run = run_module(unpacked(job.module), _options(job, gateway, log, debug))
    outcome = basic(run, gateway, debug)
    _add_log(outcome, log)
    if job.canonical and sum(map(len, text := list(log.pieces()))) <= ANSWER_LIMIT // 4:
        outcome["log_text"] = "".join(text)
    if run.error is None:
        reason = _replayed(job, log)[2]
        outcome |= {"replay_verified": reason is None, "reason": reason}
        _add_value(outcome, run)
    return outcome


def run_replay(job: Job) -> Outcome:
    """Run with the answers of a log and compare."""
    try:
        recorded = read_log(job.log)
    except LogError as error:
        return {"steps": 0, "error": {"kind": "invalid_event_log", "message": str(error)}}
    run, log, reason = _replayed(job, recorded)
    outcome = basic(run, Gateway(job.policy, Recorded(recorded)))
    outcome |= {"replay_verified": reason is None, "reason": reason, "recorded_events": len(recorded.events)}
    outcome["call_difference"] = call_difference(recorded, log)
    _add_log(outcome, log)
    outcome["recorded_sha256"] = recorded.digest()
    if run.error is None:
        _add_value(outcome, run)
    return outcome


def _replayed(job: Job, recorded: EventLog) -> tuple[RunOutcome, EventLog, str | None]:
    log = EventLog()
    gateway = Gateway(job.policy, Recorded(recorded), log, gives_values=True)
    run = run_module(unpacked(job.module), _options(job, gateway, log, _drop))
    if run.error is not None:
        return run, log, f"replay execution failed: {run.error.message}"
    return run, log, difference(recorded, log)


def _drop(text: str) -> None:
    """The first run has written it."""


def _options(job: Job, gateway: Gateway, log: EventLog, debug: Any) -> Options:
    return Options(max_steps=job.max_steps, gateway=gateway, log=log, debug=debug)


def _add_log(outcome: Outcome, log: EventLog) -> None:
    """The beginning of the log as answers show it, and the digest of all of it."""
    left = ANSWER_LIMIT * 2 // 3
    events: list[str] = []
    for event in log.events[:SHOWN]:
        text = compact(event.public())
        left -= len(text.encode("utf-8", "surrogatepass")) + 1
        depth = depth_of(text)
        if left < 0 or depth > DEPTH_LIMIT:
            break
        outcome["depth"] = max(outcome.get("depth", 0), depth)
        events.append(text)
    calls = log.calls()
    shown: list[str] = []
    for call in calls[:SHOWN]:
        public = call.public()
        del public["event"]
        text = compact(public)
        left -= len(text.encode("utf-8", "surrogatepass")) + 1
        if left < 0 or depth_of(text) > DEPTH_LIMIT:
            break
        shown.append(text)
    outcome |= {"event_count": len(log.events), "events": events, "call_events": shown, "call_count": len(calls)}
    outcome["sha256"] = log.digest()


def _add_value(outcome: Outcome, run: RunOutcome) -> None:
    try:
        result = public_json(run.value, PARTS_LIMIT)
    except TooLarge:
        result = ""
    if result and len(result.encode("utf-8", "surrogatepass")) <= ANSWER_LIMIT // 4 and depth_of(result) <= DEPTH_LIMIT:
        outcome["result"] = result
        outcome["depth"] = max(outcome.get("depth", 0), depth_of(result))
        outcome["text"] = display(run.value)[: ANSWER_LIMIT // 10]
    else:
        outcome["error"] = {
            "kind": "limit_exceeded",
            "limit_kind": "answer_bytes",
            "limit": ANSWER_LIMIT // 4,
            "phase": "serialization",
            "message": "the result is too large for the answer: return a part of it",
        }
