"""Every program of the corpus that has a recorded run, in both ways of execution: value, output, steps, errors, trace."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.runtime.forms import display, public, tagged
from boruna_ls.runtime.gateway import Gateway
from boruna_ls.runtime.mock import Mock
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.policy import policy_of
from boruna_ls.runtime.run import RunOutcome, run_module
from tests.support.compiled import compiled
from tests.support.corpus import CONFORMANCE
from tests.support.modules import module_of

AREAS = ("run", "bytecode", "diagnostics", "capabilities")
MAX_STEPS = 200_000


def rows(area: str, name: str) -> list[dict[str, Any]]:
    """The rows of a file of an area, packed or not."""
    file = CONFORMANCE / area / name
    packed = file.with_name(name + ".gz")
    text = gzip.decompress(packed.read_bytes()).decode() if packed.exists() else file.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line]


def recorded() -> list[tuple[str, Path, dict[str, Any]]]:
    """Programs with the answers of `boruna_run` with default arguments, corrected ones first."""
    found = []
    for area in AREAS:
        expected = {row["id"]: row for row in rows(area, "expected.jsonl")}
        expected |= {row["id"]: row for row in rows(area, "corrected.jsonl")}
        for file in sorted((CONFORMANCE / area).glob("*.ax")):
            row = expected.get(f"{file.stem}:boruna_run")
            if row and not row.get("skip") and "errors" not in row["answer"]:
                found.append((f"{area}/{file.stem}", file, row["answer"]))
    return found


RECORDED = recorded()


def run_options(policy: str = "allow-all", **options: Any) -> Options:
    return Options(gateway=Gateway(policy_of(policy), Mock(display)), debug=lambda text: None, **options)


def check(outcome: RunOutcome, answer: dict[str, Any]) -> None:
    """Compare what the answer has; corrected ones leave out what is not determined."""
    if not answer["success"]:
        assert outcome.error is not None
        assert outcome.error.message == answer["message"]
    else:
        assert outcome.error is None
        assert public(outcome.value) == answer["result"]
        assert [public(value) for value in outcome.ui_output] == answer["ui_output"]
    if "steps" in answer:
        assert outcome.steps == answer["steps"]
    if "trace" in answer and outcome.trace:
        assert list(outcome.trace) == answer["trace"]
        assert outcome.trace_truncated == answer["trace_truncated"]


@pytest.mark.parametrize("file, answer", [row[1:] for row in RECORDED], ids=[row[0] for row in RECORDED])
def test_recorded_run(file: Path, answer: dict[str, Any]) -> None:
    module = compiled(file.read_bytes().decode(), name="module").module
    assert module is not None
    # Areas whose default arguments name other limits are tested through the server.
    limit = answer.get("max_steps", MAX_STEPS)
    check(run_module(module, run_options(max_steps=limit, trace_lines=500)), answer)
    check(run_module(module, run_options(max_steps=limit, rehearsal_steps=0)), answer)


def test_there_are_many() -> None:
    assert len(RECORDED) > 250


MODULES = rows("run", "modules.jsonl")
PRINTED = {row["id"]: row for row in rows("run", "modules.expected.jsonl")}


@pytest.mark.parametrize("translate", [False, True], ids=["interpreted", "translated"])
@pytest.mark.parametrize("row", MODULES, ids=[row["id"] for row in MODULES])
def test_hand_made_module(row: dict[str, Any], translate: bool) -> None:
    """The output is that of the reference's command line."""
    options = run_options(row["policy"], max_steps=row["max_steps"], translate=translate, rehearsal_steps=0)
    outcome = run_module(module_of(row["module"]), options)
    expected = PRINTED[row["id"]]
    if outcome.error is not None:
        assert (1, f"runtime error: {outcome.error.message}\n") == (expected["exit"], expected["stderr"])
        return
    shown = display(outcome.value) + "\n"
    if outcome.ui_output:
        trees = [json.dumps(tagged(value), indent=2, ensure_ascii=False) + "\n" for value in outcome.ui_output]
        shown += "\n--- UI Output ---\n" + "".join(trees)
    assert (0, f"{shown}steps: {outcome.steps}\n") == (expected["exit"], expected["stdout"])
