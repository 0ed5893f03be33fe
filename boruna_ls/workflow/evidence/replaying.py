"""Runs a bundle again and compares: the programs, the policy and the decisions are the bundle's, the outputs must be, too."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from analysis.data_classes import dataclass
from analysis.workflow.canonical import workflow_hash
from analysis.workflow.json_scanner import JsonError
from analysis.workflow.reader import SOURCE, TRIGGER, Definition, read_definition
from boruna_ls.runtime.policy import PolicyError, read_policy
from boruna_ls.workflow.driver import with_options
from boruna_ls.workflow.evidence.bundle_files import INPUTS_FILE, PROVENANCE
from boruna_ls.workflow.evidence.verify import Verdict, Wanted, verify
from boruna_ls.workflow.folders import WorkflowError
from boruna_ls.workflow.names import file_name
from boruna_ls.workflow.plan import OPEN
from boruna_ls.workflow.records import NewRun
from boruna_ls.workflow.rehearsal import Rehearsal
from boruna_ls.workflow.run_inputs import checked_inputs
from boruna_ls.workflow.step_task import STEP_LIMIT


@dataclass(frozen=True, slots=True)
class Replayed:
    """The outcome: for each step the recorded hash of its output and the new one."""

    status: str
    recorded: Mapping[str, str | None]
    """Without the outputs that contain secrets: their hashes are salted, and differ from run to run."""
    now: Mapping[str, str | None]

    @property
    def different(self) -> list[str]:
        """Steps whose outputs differ."""
        return [name for name in sorted({*self.recorded, *self.now}) if self.recorded.get(name) != self.now.get(name)]


def replayed(path: Path, wanted: Wanted | None = None, given: Mapping[str, Any] = MappingProxyType({})) -> Replayed:
    """Verifies the bundle in a folder and runs it again, effects mocked; `given` are its secrets. Raises WorkflowError."""
    verdict = verify(path, wanted)
    if not verdict.is_valid:
        raise WorkflowError(f"the bundle is not valid: {verdict.problems[0]}")
    if PROVENANCE not in verdict.files:
        raise WorkflowError("the bundle holds no programs: only bundles of `evidence export` can be run again")
    try:
        data = json.loads(verdict.files[PROVENANCE])
        rehearsal = _rehearsal(verdict, data, given)
    except (KeyError, ValueError, TypeError, JsonError, PolicyError) as error:
        raise WorkflowError(f"the bundle cannot be run again: {type(error).__name__}: {error}") from None
    rehearsal.carry_out()
    record = rehearsal.store.run(rehearsal.run)
    steps = rehearsal.store.steps(rehearsal.run)
    return Replayed(
        status="" if record is None else record.status,
        recorded={recorded["step_id"]: recorded["output_hash"] for recorded in data["steps"] if not recorded.get("withheld")},
        now={name: step.output_hash for name, step in steps.items() if not step.withheld},
    )


def _rehearsal(verdict: Verdict, provenance: Mapping[str, Any], given: Mapping[str, Any]) -> Rehearsal:
    text = verdict.files["workflow.json"].decode()
    policy = verdict.files["policy.json"].decode()
    read_policy(policy)
    definition = read_definition(text).definition
    sources = {
        name: verdict.files[f"sources/{file_name(name)}.ax"].decode()
        for name, step in definition.steps.items()
        if step.kind == SOURCE
    }
    options = provenance["options"]
    data = json.loads(verdict.files.get(INPUTS_FILE, b"[]"))
    values = {entry["name"]: entry["value"] for entry in data if not entry["secret"]} | {**given}
    new = NewRun(
        workflow_name=definition.name,
        workflow_hash=workflow_hash(definition),
        policy=policy,
        definition=text,
        workflow_dir="",
        sources=sources,
        options=with_options(
            str(options.get("mode") or OPEN), int(options["concurrency"]), int(options.get("max_steps", STEP_LIMIT))
        ),
        inputs=checked_inputs(definition, values),
    )
    approvals = {
        decision["step_id"]: "approved" if decision["decision"] == "approved" else {"rejected": decision["comment"] or ""}
        for decision in provenance["decisions"]
    }
    return Rehearsal(new, approvals, _payloads(verdict, definition), lambda run, event: None)


def _payloads(verdict: Verdict, definition: Definition) -> dict[str, str]:
    """The events that came, as the outputs of their steps hold them."""
    payloads = {}
    for name, step in definition.steps.items():
        content = verdict.files.get(f"outputs/{file_name(name)}/result.json")
        if step.kind == TRIGGER and content is not None:
            payloads[name] = str(json.loads(content)["String"])
    return payloads
