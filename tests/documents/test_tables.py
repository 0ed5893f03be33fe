"""The tables of documents agree with what reads these documents, and the repository's own documents have no findings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from analysis.config.schema import Table
from analysis.diagnostics.diagnostic import Severity
from analysis.documents.file_diagnostics import file_diagnostics
from analysis.documents.kinds import KINDS, kind_of
from analysis.documents.kinds.manifests import ARGUMENT, TEMPLATE
from analysis.documents.kinds.policy import RULE, TABLE
from analysis.documents.kinds.workflow_table import BUDGET, RETRY, STEP
from analysis.documents.kinds.workflow_table import TABLE as WORKFLOW
from analysis.workflow import reader
from boruna_ls.framework.manifest import ArgumentSpec, Manifest
from boruna_ls.runtime import policy
from boruna_ls.workspace import Host

ROOT = Path(__file__).parents[2]
OURS = sorted(
    str(path.relative_to(ROOT))
    for folder in ("docs", "libs", "templates")
    for pattern in ("*.json", "*.toml")
    for path in (ROOT / folder).rglob(pattern)
    if kind_of(str(path)).name
)


def test_policies() -> None:
    assert set(TABLE.fields) == set(policy._DOCUMENT.fields)
    assert set(RULE.fields) == set(policy._RULE.fields)
    for name, shape in policy._PARTS.items():
        part = TABLE.at((name,))
        assert isinstance(part, Table)
        assert set(part.fields) == set(shape.fields)


def test_workflows() -> None:
    assert set(WORKFLOW.fields) == set(reader._DOCUMENT.fields)
    assert set(RETRY.fields) == set(reader._RETRY.fields)
    assert set(BUDGET.fields) == set(reader._BUDGET.fields)
    own = {name for fields in reader._OWN_FIELDS.values() for name in fields}
    assert set(STEP.fields) == {"kind", "self_approval", *own, *reader._StepShape().fields}


def test_templates() -> None:
    assert set(TEMPLATE.fields) == set(Manifest.model_fields)
    assert set(ARGUMENT.fields) == set(ArgumentSpec.model_fields)


@pytest.mark.parametrize("name", OURS)
def test_our_own_documents_have_no_findings(name: str) -> None:
    host = Host()
    found = file_diagnostics(host.db, host.file_for_agent(str(ROOT / name)))
    assert [made.message for _, made in found.entries if made.severity is not Severity.HINT] == []


def test_there_are_documents_of_several_kinds() -> None:
    assert {kind_of(name).name for name in OURS} >= {"workflow", "template", "package"}


def test_editors_are_told_of_all_documents() -> None:
    patterns = {pattern for kind in KINDS for pattern in kind.patterns}
    selector = (ROOT / "editors" / "vscode" / "src" / "client.ts").read_text("utf-8").partition("const DOCUMENTS = [")[2]
    assert {f"**/{pattern}" for pattern in patterns} == set(re.findall(r'^  "(.*)",$', selector.partition("]")[0], re.MULTILINE))
