"""The outcomes of a trial's runs, sized for a model: the entries `run` and `test` of a candidate of `try_edits`."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from boruna_ls.answers.envelope import as_text
from boruna_ls.answers.places import Places
from boruna_ls.answers.run import run_answer

OK: Final = "ok"
PASSED: Final = "passed"
FAILED: Final = "failed"
NOT_COMPILED: Final = "not_compiled"
NOT_RUN: Final = "not_run"
NO_TESTS: Final = "no_tests"
_RESULT: Final = 2_000
"""Characters of a result that is shown as JSON; of a longer one, its text is cut."""
_TEXT: Final = 1_000
_KEPT: Final = ("result_text", "steps", "error_kind", "message", "limit_kind", "function", "line", "col", "file", "hint")
_MORE: Final = ("ui_output", "call_stack", "debug_output", "event_log_summary")
Entry = dict[str, Any]


def not_compiled(errors: Iterable[Entry]) -> Entry:
    """The entry of a program that does not compile."""
    return {"status": NOT_COMPILED, "errors": list(errors)}


def not_run(message: str) -> Entry:
    """The entry of a program that was not run to its end; the message says why."""
    return {"status": NOT_RUN, "message": message}


def ran(outcome: dict[str, Any], places: Places, max_steps: int) -> Entry:
    """The entry of a run, with everything that is known of it."""
    answer = run_answer(outcome, places, max_steps, trace=False)
    entry: Entry = {"status": OK if answer["success"] else FAILED}
    entry |= {name: answer[name] for name in (*_KEPT, *_MORE) if name in answer}
    for name in ("result_text", "message"):
        if name in entry:
            entry[name] = _cut(entry[name], _TEXT)
    if "result" in answer and len(answer["result"]) <= _RESULT and answer["result"].depth <= 50:
        entry["result"] = json.loads(answer["result"])
    if "ui_output" in entry:
        shown = as_text({"shown": entry["ui_output"]})
        if len(shown) <= _RESULT:
            entry["ui_output"] = json.loads(shown)["shown"]
        else:
            entry["ui_output_cut"] = _cut(shown[len('{"shown":') : -1], _RESULT)
            del entry["ui_output"]
    return entry


def tested(outcomes: Sequence[tuple[str, dict[str, Any] | Entry, Places | None]]) -> Entry:
    """The entry of the tests of some files: by file, what a worker says, or the entry of one that did not run."""
    tests: list[Entry] = []
    stopped: list[Entry] = []
    for path, outcome, places in outcomes:
        if "tests" not in outcome:
            stopped.append({"file": path, **outcome})
            continue
        tests += [_test(path, result, places) for result in outcome["tests"]]
    counts = {status: sum(test["status"] == status for test in tests) for status in (PASSED, FAILED, NOT_RUN)}
    if any(file_entry["status"] == NOT_COMPILED for file_entry in stopped):
        status = NOT_COMPILED
    elif counts[FAILED]:
        status = FAILED
    elif stopped or counts[NOT_RUN]:
        status = NOT_RUN
    else:
        status = PASSED if tests else NO_TESTS
    entry: Entry = {"status": status, **counts, "steps": sum(test["steps"] for test in tests)}
    if stopped:
        entry["files"] = stopped
    return entry | {"tests": tests}


def shaped_run(entry: Entry, detail: str) -> Entry:
    """The entry of a run as a level of detail shows it."""
    if detail == "full":
        return entry
    if detail == "standard":
        return {name: value for name, value in entry.items() if name not in ("call_stack", "debug_output", "event_log_summary")}
    shaped: Entry = {name: entry[name] for name in ("status", "steps", "message", "same_as_base") if name in entry}
    if "result_text" in entry:
        shaped["result_text"] = _cut(entry["result_text"], 80)
    if "message" in shaped:
        shaped["message"] = _cut(shaped["message"], 120)
    return shaped


def shaped_tests(entry: Entry, detail: str, most: int = 10) -> Entry:
    """The entry of tests as a level of detail shows it: all of them, those that did not pass, or numbers only."""
    if detail == "full":
        return entry
    shaped = {name: value for name, value in entry.items() if name not in ("tests", "files")}
    if detail == "summary":
        return shaped
    if "files" in entry:
        shaped["files"] = entry["files"]
    missed = [test for test in entry.get("tests", ()) if test["status"] != PASSED]
    if missed:
        shaped["not_passed"] = missed[:most]
    if len(missed) > most:
        shaped["omitted"] = {"field": "not_passed", "left_out": len(missed) - most, "rest": "call again with `detail` full"}
    return shaped


def note_missing(entry: Entry, base: Entry, files: Collection[str]) -> None:
    """Says which tests of the present text a candidate does not have (any more): they did not pass either."""
    names = {(test["file"], test["name"]) for test in entry["tests"]}
    missing = [test for test in base["tests"] if test["file"] in files and (test["file"], test["name"]) not in names]
    if missing:
        entry["missing"] = [test["name"] for test in missing]


def level(entry: Entry | None) -> int:
    """Badness of an entry, for ranks: 0 good, 1 unknown, 2 failed, 3 does not compile."""
    if entry is None:
        return 0
    if entry.get("missing") and entry["status"] in (PASSED, NO_TESTS):
        return 1
    return {OK: 0, PASSED: 0, NO_TESTS: 0, NOT_RUN: 1, FAILED: 2, NOT_COMPILED: 3}[entry["status"]]


def failures(entry: Entry | None) -> int:
    """Number of tests that did not pass."""
    if entry is None:
        return 0
    numbers: list[int] = [entry.get(status, 0) for status in (FAILED, NOT_RUN)]
    return sum(numbers) + len(entry.get("missing", ()))


def same(entry: Entry, base: Entry) -> bool:
    """True if two runs have the same visible outcome."""
    compared = ("status", "result", "result_text", "ui_output", "ui_output_cut", "message")
    return all(entry.get(name) == base.get(name) for name in compared)


def _test(path: str, result: dict[str, Any], places: Places | None) -> Entry:
    assert places is not None
    test: Entry = {"name": places.module.functions[result["function"]].name, "file": path}
    test |= {"status": result["status"], "steps": result["steps"]}
    if "message" in result:
        test["message"] = result["message"]
    if "kind" in result:
        test["error_kind"] = result["kind"]
    stack = places.stack(result.get("stack", [])) or (places.at(result["function"], 0) if result["status"] == FAILED else {})
    return test | {name: stack[name] for name in ("function", "line", "col") if name in stack}


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
