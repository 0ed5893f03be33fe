"""Steps that explode, loop or return another type than they declare, and documents of 10 MB: each has an answer."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from analysis.documents.file_diagnostics import file_diagnostics
from analysis.workflow.canonical import workflow_hash
from analysis.workflow.reader import read_definition
from boruna_ls.answers.workflow import LARGEST_DOCUMENT
from boruna_ls.runtime.policy import ALLOW_ALL
from boruna_ls.workflow.audit import first_broken
from boruna_ls.workflow.driver import with_options
from boruna_ls.workflow.plan import OPEN
from boruna_ls.workflow.policies import policy_text
from boruna_ls.workflow.records import NewRun, StepRecord
from boruna_ls.workflow.rehearsal import Rehearsal
from boruna_ls.workspace import Host
from tests.support.commands import run
from tests.workflow.test_agents import agent, answer_of, state, workflow

ECHO = 'fn main() -> String {\n    step_input("v")\n}\n'
ENDLESS = "fn main() -> Int {\n    let mut n = 0\n    while true {\n        n = n + 1\n    }\n    n\n}\n"
INFINITE = """fn main() -> Float {
    let mut x = 10.0
    let mut i = 0
    while i < 12 {
        x = x * x
        i = i + 1
    }
    x
}
"""
TEN_MB = 10_000_000
__all__ = ["state"]


def ended(program: str, **more: object) -> tuple[str, dict[str, StepRecord], float]:
    """The state of a run of two steps, the second of which echoes the first, and the seconds it took."""
    steps = {
        "a": {"kind": "source", "source": "a.ax", **more},
        "b": {"kind": "source", "source": "b.ax", "inputs": {"v": "a.result"}, "depends_on": ["a"]},
    }
    text = json.dumps({"schema_version": 1, "name": "bad", "version": "1", "steps": steps, "edges": []})
    definition = read_definition(text).definition
    sources = {"a": program, "b": ECHO}
    options = with_options(OPEN)
    new = NewRun("bad", workflow_hash(definition), policy_text(ALLOW_ALL), text, "", sources, options=options)
    rehearsal = Rehearsal(new, {}, {}, lambda run, event: None)
    begun = time.monotonic()
    rehearsal.carry_out()
    took = time.monotonic() - begun
    assert first_broken(rehearsal.store.audit_log(rehearsal.run)) is None
    record = rehearsal.store.run(rehearsal.run)
    assert record is not None
    return record.status, rehearsal.store.steps(rehearsal.run), took


@pytest.mark.parametrize(
    ("program", "more", "kind", "words"),
    [
        ("fn main() -> Int {\n    1 / 0\n}\n", {}, "runtime_error", "division by zero"),
        ("fn f(n: Int) -> Int {\n    f(n + 1) + 1\n}\nfn main() -> Int {\n    f(1)\n}\n", {}, "runtime_error", "stack overflow"),
        (ENDLESS, {}, "step_limit_exceeded", "max execution steps exceeded"),
        (ENDLESS, {"timeout_ms": 5}, "wall_time_exceeded", "longer than 5 ms"),
        (INFINITE, {}, "runtime_error", "not finite"),
        ("fn main() -> Int {\n    nothing()\n}\n", {}, "compile_error", "nothing"),
    ],
)
def test_a_step_that_cannot_end_well_fails_alone(program: str, more: dict[str, object], kind: str, words: str) -> None:
    status, steps, took = ended(program, **more)
    assert (status, set(steps), steps["a"].error_class) == ("failed", {"a"}, kind)
    assert words in str(steps["a"].error)
    assert took < 30


def test_a_result_of_another_type_is_what_it_is() -> None:
    """Nothing enforces what `main` declares: the next step reads what was returned."""
    status, steps, _ = ended('fn main() -> Int {\n    "text"\n}\n')
    assert (status, steps["a"].output) == ("completed", '{"String":"text"}')
    assert json.loads(str(steps["b"].output)) == {"String": '{"String":"text"}'}


async def test_documents_of_10_mb_are_answered(state: Path, tmp_path: Path) -> None:
    given = workflow()
    text = given["workflow_json"] + " " * TEN_MB
    async with agent() as client:
        for tool, arguments in (("validate", {}), ("run", {"source_files": given["source_files"]})):
            refused = await answer_of(client, tool, workflow_json=text, **arguments)
            assert f"{len(text)} characters; it may have {LARGEST_DOCUMENT}" in refused["error"]["message"]
        assert (await answer_of(client, "run", **given))["status"] == "completed"
    (tmp_path / "workflow.json").write_text(text)
    assert "execution order: a -> b" in run("workflow", "validate", str(tmp_path)).stdout
    host = Host()
    found = file_diagnostics(host.db, host.file_for_agent(str(tmp_path / "workflow.json")))
    assert [made.code for _, made in found.entries] == ["E014"]
