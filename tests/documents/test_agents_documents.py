"""Documents of agents: three tools have the same findings of a workflow in its folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcp import Client

from tests.mcp.test_analysis_tools import answer_of
from tests.support.agents import agent_server

FLOW = {
    "schema_version": 1,
    "name": "w",
    "version": "1",
    "steps": {
        "one": {"kind": "source", "source": "one.ax"},
        "two": {"kind": "source", "source": "two.ax", "inputs": {"n": "one.result"}, "depends_on": ["one"]},
        "three": {"kind": "source", "source": "three.ax", "depends_on": ["two"]},
    },
    "edges": [],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "boruna.toml").write_text("[chek]\n")
    (tmp_path / "flow").mkdir()
    (tmp_path / "flow" / "workflow.json").write_text(json.dumps(FLOW))
    (tmp_path / "flow" / "one.ax").write_text('fn main() -> String { "x" }\n')
    (tmp_path / "flow" / "two.ax").write_text('fn main() -> Int !{step.input} { parse_int(step_input("n")) }\n')
    return tmp_path


async def test_three_tools_find_the_same(folder: Path) -> None:
    async with Client(agent_server(cwd=folder)) as client:
        validated = await answer_of(client, "boruna_workflow_validate", path="flow/workflow.json")
        assert validated["valid"] is True
        assert validated["freshness"]["source"] == "disk"
        problems = [(one["code"], one["line"], one["column"]) for one in validated["problems"]]
        assert sorted(code for code, _, _ in problems) == ["input_type", "missing_source"]
        checked = await answer_of(client, "boruna_check", path="flow/workflow.json")
        found = [(one["id"], one["location"]["line"], one["location"]["col"]) for one in checked["diagnostics"]]
        assert sorted(found) == sorted(problems)
        every = await answer_of(client, "workspace_diagnostics", severity="hint")
        told = {Path(one["file"]).name: [each["id"] for each in one["diagnostics"]] for one in every["files"]}
        assert sorted(told["workflow.json"]) == ["input_type", "missing_source"]
        assert "boruna.toml" not in told
        assert any("chek" in warning for warning in every["warnings"])
        inline = await answer_of(client, "boruna_check", source='{"schema_version": 1, "steps": {}}', file_name="workflow.json")
        assert [one["id"] for one in inline["diagnostics"]] == ["parse_error"]
        both = await answer_of(client, "boruna_workflow_validate", True, path="flow/workflow.json", workflow_json="{}")
        assert "not both" in str(both)
