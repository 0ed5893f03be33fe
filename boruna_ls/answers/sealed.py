"""The answers of `boruna_run_sealed` and `boruna_replay` (spec chapter 12 sections 2 and 3)."""

from __future__ import annotations

from typing import Any, Final

from analysis.codegen.compile import Compiled
from analysis.database import Database
from analysis.inputs import FileId
from boruna_ls.answers.compile import refused
from boruna_ls.answers.envelope import RawList, RawValue, success
from boruna_ls.answers.places import Places
from boruna_ls.answers.run import DeepList, failed

_SHOWN: Final = 1000
_PARSE_CODES: Final = ("E001", "E002")
NOTE: Final = (
    "This seal is a proof by deterministic replay: the program ran twice, the second time on the recorded answers, and both "
    "event logs are the same. It is not a signed evidence bundle."
)


def refused_sealed(db: Database, file: FileId, compiled: Compiled) -> dict[str, Any]:
    """The answer for a program that does not compile: the first error in fields of its own, all of them in `errors`."""
    answer = refused(db, file, compiled)
    first = answer["errors"][0]
    parses = first["code"] not in _PARSE_CODES
    answer["error_kind"] = "compile_error" if parses else "parse_error"
    answer |= {"error": first["message"], "message": first["message"]}
    answer |= {"line": first.get("line"), "col": first.get("col")}
    return answer


def sealed_answer(outcome: dict[str, Any], places: Places, max_steps: int) -> dict[str, Any]:
    """The outcome of a sealed run. A failing run also has its log, but no seal."""
    if "error" in outcome:
        answer = failed(outcome, places, max_steps)
        if "capability" in answer:
            answer["error_kind"] = "capability_denied"
        elif answer["error_kind"] == "step_limit_exceeded":
            # Here a step limit is a run-time error like others (chapter 12 section 2.2).
            answer["error_kind"] = "runtime_error"
        return answer | (_log(outcome) if "events" in outcome else {})
    digest, verified = outcome["sha256"], outcome["replay_verified"]
    seal = {"kind": "replay-verified-event-log", "verified": verified, "digest_alg": "sha256", "digest": digest, "note": NOTE}
    answer = success(
        result=RawValue(outcome["result"], outcome["depth"]),
        result_text=outcome["text"],
        steps=outcome["steps"],
        replay_verified=verified,
        replay_divergence_reason=outcome["reason"],
        seal=seal,
    )
    return answer | _log(outcome)


def replay_answer(outcome: dict[str, Any], places: Places, max_steps: int) -> dict[str, Any]:
    """Comparison of a run with its log. A run that fails on the way has diverged; that is an answer, too."""
    error = outcome.get("error")
    if error is not None and error["kind"] == "invalid_event_log":
        return failed(outcome, places, max_steps)
    answer = success(
        steps=outcome["steps"],
        replay_verified=outcome["replay_verified"],
        replay_divergence_reason=outcome["reason"],
        capability_calls_verified=outcome["call_difference"] is None,
        capability_calls_divergence_reason=outcome["call_difference"],
        recorded_event_count=outcome["recorded_events"],
        recorded_sha256=outcome["recorded_sha256"],
    )
    if error is not None:
        failure = failed(outcome, places, max_steps)
        answer["error"] = {key: value for key, value in failure.items() if key not in ("success", "protocol_version")}
    else:
        answer |= {"result": RawValue(outcome["result"], outcome["depth"]), "result_text": outcome["text"]}
    return answer | _log(outcome)


def _log(outcome: dict[str, Any]) -> dict[str, Any]:
    events = RawList(outcome["events"])
    truncated = outcome["event_count"] > len(events)
    text = f'{{"events":{events.text()},"truncated":{"true" if truncated else "false"},"version":2}}'
    calls = DeepList(outcome["call_events"])
    calls.depth = outcome.get("depth", 0)
    canonical = {"event_log_text": outcome["log_text"]} if "log_text" in outcome else {}
    return canonical | {
        "event_count": outcome["event_count"],
        "event_log": RawValue(text, outcome.get("depth", 0) + 2),
        "event_log_sha256": outcome["sha256"],
        "capability_calls": calls,
    }
