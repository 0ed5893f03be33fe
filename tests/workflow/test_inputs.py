"""Inputs of runs: types are checked before anything runs; secrets are nowhere but in the steps, and provable afterwards."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from analysis.workflow.canonical import workflow_hash
from analysis.workflow.reader import read_definition
from analysis.workflow.run_inputs import mismatch
from analysis.workflow.validation import validate
from boruna_ls.answers.workflow_run import run_state
from boruna_ls.cli.workflow_inputs import check_proof
from boruna_ls.cli.workflow_shown import show_json
from boruna_ls.run_page.snapshot import state_of_run
from boruna_ls.runtime.policy import ALLOW_ALL
from boruna_ls.workflow.evidence.build import exported
from boruna_ls.workflow.evidence.replaying import replayed
from boruna_ls.workflow.evidence.verify import verify
from boruna_ls.workflow.folders import WorkflowError
from boruna_ls.workflow.local import DataFolder
from boruna_ls.workflow.policies import policy_text
from boruna_ls.workflow.records import NewRun
from boruna_ls.workflow.rehearsal import Rehearsal
from boruna_ls.workflow.run_inputs import Secrets, checked_inputs
from tests.support.commands import run

SECRET = 'sk-"ünter"-774411'
INPUTS: dict[str, Any] = {
    "token": {"type": "String", "secret": True},
    "amounts": {"type": "List<Int>"},
    "limit": {"type": "Float", "default": 2.5},
}
READ = 'fn main() -> String !{step.input} {\n    step_input("v")\n}\n'
LENGTH = 'fn main() -> Int !{step.input} {\n    __builtin_string_len(step_input("v"))\n}\n'


def document(inputs: Any = INPUTS, **steps: Any) -> str:
    made = {name: {"kind": "source", "source": f"{name}.ax", **step} for name, step in steps.items()}
    return json.dumps({"schema_version": 1, "name": "w", "version": "1", "steps": made, "edges": [], "inputs": inputs})


def reading(reference: str, *after: str) -> dict[str, Any]:
    return {"inputs": {"v": reference}, "depends_on": list(after)}


TEXT = document(
    echo=reading("inputs.token"), size=reading("echo.result", "echo"), all=reading("inputs.amounts"), most=reading("inputs.limit")
)


def test_values_are_checked_against_their_types() -> None:
    definition = read_definition(TEXT).definition
    found = {one.name: one for one in checked_inputs(definition, {"token": SECRET, "amounts": [1, 2]})}
    assert (found["amounts"].text, found["limit"].text) == ('{"List":[{"Int":1},{"Int":2}]}', '{"Float":2.5}')
    assert found["limit"].shown() == {"name": "limit", "type": "Float", "secret": False, "value": 2.5}
    for given, words in (
        ({"amounts": [1]}, "input 'token' \\(String\\) is missing"),
        ({"token": 774411, "amounts": []}, "input 'token' must be a String"),
        ({"token": SECRET, "amounts": [1, "x"]}, r"input 'amounts' must be an Int at \[1\]"),
        ({"token": SECRET, "amounts": [], "other": SECRET}, "declares no input 'other'"),
    ):
        with pytest.raises(WorkflowError, match=words) as refused:
            checked_inputs(definition, given)
        assert "774411" not in str(refused.value)


def test_numbers_become_what_the_type_says_or_are_refused() -> None:
    definition = read_definition(document({"n": {"type": "List<Float>"}, "any": {"type": "Json"}}, a={})).definition
    found = checked_inputs(definition, {"n": [1, 2.5], "any": {"x": None}})
    assert [one.text for one in found] == ['{"Map":{"x":"Unit"}}', '{"List":[{"Float":1.0},{"Float":2.5}]}']
    for wrong in ({"n": [10**400], "any": 1}, {"n": [], "any": 10**400}):
        with pytest.raises(WorkflowError, match="too large"):
            checked_inputs(definition, wrong)


@pytest.mark.parametrize(
    "value, kind, problem",
    [
        (1, "Int", ""),
        (True, "Int", "must be an Int"),
        (2**63, "Int", "must be an Int"),
        (1, "Float", ""),
        (float("nan"), "Float", "must be a Float"),
        ({"a": [1.5]}, "Map<String,List<Float>>", ""),
        ({"a": {}}, "Map<String,List<Float>>", "must be a list at […]"),
        ([None, {"x": 1}], "Json", ""),
    ],
)
def test_types(value: Any, kind: str, problem: str) -> None:
    assert mismatch(value, kind) == problem


def test_what_is_no_declaration_is_ignored_with_a_warning_and_documents_without_have_their_hash() -> None:
    plain = document([], a={})
    without = json.dumps({key: value for key, value in json.loads(plain).items() if key != "inputs"})
    assert workflow_hash(read_definition(plain).definition) == workflow_hash(read_definition(without).definition)
    default = {"a": {"type": "String", "secret": True, "default": "x"}}
    refused: list[Any] = [[], {"a b": {"type": "Int"}}, {"a": {"type": "Strng"}}, default]
    for inputs in refused:
        found = validate(read_definition(document(inputs, a={})))
        assert (found.errors, [problem.code for problem in found.warnings]) == ((), ["invalid_inputs", "unknown_field"])
    wrong = validate(read_definition(document(a=reading("inputs.tokn"))))
    assert [(one.kind, one.suggestion) for one in wrong.errors] == [("UnknownInput", "inputs.token")]


def test_secrets_are_found_as_they_are_and_as_json_has_them() -> None:
    definition = read_definition(document({"keys": {"type": "Map<String, Int>", "secret": True}}, a={})).definition
    hidden = Secrets(checked_inputs(definition, {"keys": {SECRET: 987654}}))
    assert hidden.are_in(f"x{SECRET}y")
    text = SECRET
    for _ in range(8):
        text = json.dumps({"String": text}, ensure_ascii=False)
        assert hidden.are_in(text)
        assert "774411" not in hidden.removed(text)
    assert hidden.removed("at 987654 and 1") == "at [secret input keys] and 1"
    assert not hidden.are_in("nothing")


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_a_secret_is_nowhere_after_the_run_and_can_be_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))
    folder, values = tmp_path / "flow", tmp_path / "values.json"
    folder.mkdir()
    (folder / "workflow.json").write_text(TEXT)
    for name, program in {"echo": READ, "size": LENGTH, "all": READ, "most": READ}.items():
        (folder / f"{name}.ax").write_text(program)
    values.write_text(json.dumps({"token": SECRET}))
    where = ("--data-dir", str(tmp_path / "data"))
    done = run("workflow", "run", str(folder), "--inputs", str(values), "--input", "amounts=[1, 2]", *where)
    assert "run: Completed" in done.stdout, done.stderr
    (name,) = re.findall(r"run_id: (\w+)", done.stdout)
    data = DataFolder(str(tmp_path / "data"))
    record = data.store.run(name)
    assert record is not None
    shown = {one["step_id"]: one["output_json_preview"] for one in show_json(data.store, record)["steps"]}
    assert (shown["echo"], shown["size"][:7]) == ("withheld: it contains a secret input", '{"Int":')
    bundle = exported(data.store, name, tmp_path / "out").path
    said = done.stdout + done.stderr + json.dumps(run_state(data.store, record)) + json.dumps(state_of_run(data.store, record))
    assert b"774411" not in everything(bundle) + everything(data.path / "runs") + said.encode()
    assert verify(bundle).is_valid
    with pytest.raises(WorkflowError, match=r"'token' .* is missing"):
        replayed(bundle)
    again = replayed(bundle, None, {"token": SECRET})
    assert (again.status, again.different, len(again.recorded)) == ("completed", [], 3)
    proof = run("evidence", "prove-input", name, "token", "--inputs", str(values), *where).stdout
    (tmp_path / "proof.json").write_text(proof)
    assert "of the run had this value" in run("evidence", "check-input", str(bundle), str(tmp_path / "proof.json")).stdout
    (tmp_path / "proof.json").write_text(proof.replace("774411", "774412"))
    with pytest.raises(WorkflowError, match="another value"):
        check_proof(str(bundle), str(tmp_path / "proof.json"))
    told = json.loads((bundle / "inputs.json").read_text())
    (bundle / "inputs.json").write_text(json.dumps(told[1:], indent=2))
    assert not verify(bundle).is_valid


def test_a_secret_in_an_error_is_removed() -> None:
    text = document({"token": INPUTS["token"]}, a=reading("inputs.token"))
    definition = read_definition(text).definition
    program = 'fn main() -> Int !{step.input} {\n    step_input(step_input("v"))\n    1\n}\n'
    inputs = checked_inputs(definition, {"token": SECRET})
    new = NewRun("w", workflow_hash(definition), policy_text(ALLOW_ALL), text, "", {"a": program}, inputs=inputs)
    rehearsal = Rehearsal(new, {}, {}, lambda run, event: None)
    rehearsal.carry_out()
    error = rehearsal.store.steps(rehearsal.run)["a"].error or ""
    assert "[secret input token]" in error
    assert "774411" not in error + json.dumps([entry.as_dict() for entry in rehearsal.store.audit_log(rehearsal.run)])
    assert rehearsal.store.inputs(rehearsal.run)[0].text is None
