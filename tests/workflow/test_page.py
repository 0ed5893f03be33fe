"""The page of a run and the pictures of graphs: who is let in, what a decision does, what stands where."""

from __future__ import annotations

import asyncio
import json
import subprocess
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx2
import pytest

from analysis.workflow.graph_layout import HEIGHT, WIDTH, layout_of
from analysis.workflow.reader import read_definition
from boruna_ls.run_page.picture import picture
from boruna_ls.run_page.server import PAGE, showing
from boruna_ls.run_page.watching import BadAction, Watched, action_of
from boruna_ls.workflow.local import DataFolder
from tests.support.commands import command, end, run

HOSTILE = '</text><script>"&\u202e'


def document(steps: dict[str, Any], edges: Any = ()) -> str:
    return json.dumps({"schema_version": 1, "name": HOSTILE, "version": "1", "steps": steps, "edges": list(edges)})


def step(*after: str) -> dict[str, Any]:
    return {"kind": "source", "source": "a.ax", "depends_on": list(after)}


@pytest.fixture
def paused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[DataFolder, str]:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))
    folder = tmp_path / "flow"
    folder.mkdir()
    (folder / "a.ax").write_text("fn main() -> Int {\n    1\n}\n")
    steps = {"g": {"kind": "approval_gate", "required_role": "lead"}, "a": step("g")}
    (folder / "workflow.json").write_text(document(steps))
    data = str(tmp_path / "data")
    output = run("workflow", "run", str(folder), "--data-dir", data).stdout
    return DataFolder(data), output.split("run_id: ")[1].split()[0]


async def test_only_its_own_page_decides_and_the_run_goes_on(paused: tuple[DataFolder, str]) -> None:
    data, run_id = paused
    watched = Watched(data.store, run_id, ["--data-dir", data.shown], "ann")
    async with showing(watched) as address, httpx2.AsyncClient() as client:
        origin, approve = {"Origin": f"http://127.0.0.1:{address.port}"}, {"do": "approve", "step": "g", "reason": "fine"}
        page = await client.get(address.url)
        assert (page.status_code, "script-src 'self'" in page.headers["content-security-policy"]) == (200, True)
        assert (await client.get(address.url.replace(address.token, "x"))).status_code == 404
        assert (await client.get(address.url, headers={"Host": f"evil.example:{address.port}"})).status_code == 421
        assert (await client.post(f"{address.url}act", json=approve)).status_code == 403
        assert (
            await client.post(f"{address.url}act", json=approve, headers={"Origin": "http://evil.example"})
        ).status_code == 403
        assert data.store.decisions(run_id) == {}
        wrong = await client.post(f"{address.url}act", json={**approve, "step": "a"}, headers=origin)
        assert (wrong.status_code, "is not an approval gate" in wrong.text) == (400, True)
        assert (await client.post(f"{address.url}act", json=approve, headers=origin)).status_code == 204
        again = await client.post(f"{address.url}act", json={**approve, "do": "reject"}, headers=origin)
        assert (again.status_code, "already approved" in again.text) == (400, True)
        decision = data.store.decisions(run_id)["g"]
        assert (decision.approver, decision.reason, decision.role) == ("ann", "fine", "lead")
        async with asyncio.timeout(60):
            while json.loads(watched.viewer()())["run"]["status"] != "completed":
                await asyncio.sleep(0.05)
        facts = json.loads(watched.viewer()())
        assert facts["steps"]["g"]["decision"] == "approved by ann: fine"
        assert [step["id"] for step in facts["graph"]["steps"]] == ["a", "g"]


def test_an_editor_is_told_of_a_run_and_decides_by_lines(paused: tuple[DataFolder, str]) -> None:
    data, run_id = paused
    line = [command("boruna-ls"), "workflow", "watch", run_id, "--stdio", "--data-dir", data.shown]
    process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        first, second = json.loads(process.stdout.readline()), json.loads(process.stdout.readline())
        assert (first["title"], "acquireVsCodeApi" in first["page"]) == (HOSTILE, True)
        assert [gate["id"] for gate in second["update"]["waiting"]] == ["g"]
        process.stdin.write(b'{"do": "approve", "step": "a"}\n{"do": "cancel"}\n')
        process.stdin.flush()
        told = [json.loads(process.stdout.readline())]
        while told[-1].get("update", {}).get("run", {}).get("status") != "cancelled":
            told.append(json.loads(process.stdout.readline()))
        assert ["is not an approval gate" in one["refused"] for one in told if "refused" in one] == [True]
        process.stdin.close()
        assert process.wait(20) == 0
    finally:
        end(process)


def test_the_page_puts_texts_nowhere_but_into_text() -> None:
    page = PAGE.whole("vscode")
    assert "{" + "head}" not in page
    for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "new Function"):
        assert word not in PAGE.script()


@pytest.mark.parametrize(
    "data",
    ["", "[]", "1", '{"do": "approve"}', '{"do": "x", "step": "g"}', '{"do": "reject", "step": "g", "reason": 1}', "[" * 9000],
)
def test_what_is_no_action_is_refused(data: str) -> None:
    with pytest.raises(BadAction):
        action_of(data)


def test_pictures_are_xml_whatever_the_names_are() -> None:
    text = document({HOSTILE: step(), "\x00b": step(HOSTILE), "g": {"kind": "approval_gate", "required_role": "<&>"}})
    drawn = ET.fromstring(picture(read_definition(text).definition, {HOSTILE: "failed"}))
    groups = drawn.findall(".//{http://www.w3.org/2000/svg}g[@data-step]")
    assert sorted(group.get("data-state") or "" for group in groups) == ["failed", "pending", "pending"]
    assert not drawn.findall(".//{http://www.w3.org/2000/svg}script")
    assert "✗ failed" in "".join(drawn.itertext())


def test_steps_stand_apart_in_the_columns_of_their_levels() -> None:
    steps = {f"s{number}": step(*{f"s{number // 2}", f"s{number // 3}"} - {f"s{number}"}) for number in range(60)}
    layout = layout_of(read_definition(document(steps)).definition)
    for line in layout.lines:
        assert layout.places[line.start][0] < layout.places[line.end][0]
    placed = sorted(layout.places.values())
    for (x, y), (other_x, other_y) in pairwise(placed):
        assert x + WIDTH < other_x if x != other_x else y + HEIGHT <= other_y
    # A line that passes a column meets no step there.
    for line in layout.lines:
        for x, y in line.points[1:-1]:
            assert not any(left <= x <= left + WIDTH and top < y < top + HEIGHT for left, top in layout.places.values())


def test_cycles_and_unknown_names_are_drawn_as_far_as_they_are_steps() -> None:
    layout = layout_of(read_definition(document({"a": step("b"), "b": step("a"), "c": step("none")}, [["a", "zz"]])).definition)
    assert sorted(layout.places) == ["a", "b", "c"]
    assert layout_of(read_definition(document({})).definition).places == {}
