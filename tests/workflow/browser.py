"""The page of a run in a real browser: states, decisions, live updates, hostile texts, a large graph.

Not part of the quick run: `make test-workflow-page` runs it with pytest (needs Chromium). `CHROMIUM` is the browser, `PICTURES`
the folder into which pictures are written.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.support.commands import command, end, run

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
PICTURES = Path(os.environ.get("PICTURES", ROOT / "docs" / "pictures"))
pytestmark = pytest.mark.skipif(not os.path.exists(CHROMIUM), reason=f"no browser at {CHROMIUM}")
HOSTILE = "</script><img src=x onerror=alert(1)>"
ONE = "fn main() -> Int {\n    1\n}\n"
SLOW = "fn main() -> Int {\n    let mut n: Int = 0\n    while n < 900000 {\n        n = n + 1\n    }\n    n\n}\n"
TEXT = f'fn main() -> String {{\n    "{HOSTILE}"\n}}\n'
GATE = {"kind": "approval_gate", "required_role": "editor"}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def problems() -> Iterator[list[str]]:
    """Errors that the browser reports; there must be none."""
    found: list[str] = []
    yield found
    assert found == []


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))
    return str(tmp_path / "data")


def step(source: str, *after: str, **more: Any) -> dict[str, Any]:
    return {"kind": "source", "source": source, "depends_on": list(after), **more}


RELEASE = {
    "fetch": step("one.ax"),
    "lint": step("one.ax", "fetch"),
    "unit tests": step("one.ax", "fetch"),
    "translate": step("one.ax", "fetch"),
    "package": step("one.ax", "lint", "unit tests"),
    "sign off": {**GATE, "depends_on": ["package", "translate"]},
    "publish": step("slow.ax", "sign off"),
    "announce": step("one.ax", "publish"),
    "mirror": step("one.ax", "publish", "package"),
}


def begun(folder: Path, data: str, steps: dict[str, Any], status: str = "Paused") -> str:
    """The id of a run of these steps, which has come to a state."""
    folder.mkdir(exist_ok=True)
    for name, text in (("one.ax", ONE), ("slow.ax", SLOW), ("text.ax", TEXT)):
        (folder / name).write_text(text)
    document = {"schema_version": 1, "name": "release", "version": "4.2", "steps": steps, "edges": []}
    (folder / "workflow.json").write_text(json.dumps(document))
    output = run("workflow", "run", str(folder), "--data-dir", data, timeout=300).stdout
    assert f"run: {status}" in output
    return str(re.findall(r"run_id: (\w+)", output)[0])


@contextmanager
def shown(chromium: Any, data: str, run_id: str, problems: list[str], **options: Any) -> Iterator[Page]:
    line = [command("boruna-ls"), "workflow", "watch", run_id, "--web", "--as", "ann", "--data-dir", data]
    process = subprocess.Popen(line, stdout=subprocess.PIPE)
    context = chromium.new_context(viewport={"width": 1280, "height": 720}, **options)
    try:
        assert process.stdout is not None
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.goto(process.stdout.readline().decode().rpartition(" ")[2].strip())
        page.wait_for_selector("#graph .step")
        yield page
    finally:
        context.close()
        end(process)


def state(page: Page, name: str) -> Any:
    return page.locator(f'#graph .step[data-step="{name}"]')


def picture(page: Page, name: str) -> None:
    PICTURES.mkdir(exist_ok=True)
    page.screenshot(path=str(PICTURES / name))


def test_a_person_approves_and_sees_the_run_go_on(chromium: Any, data: str, tmp_path: Path, problems: list[str]) -> None:
    run_id = begun(tmp_path / "flow", data, RELEASE)
    with shown(chromium, data, run_id, problems) as page:
        expect(page.locator("#state")).to_have_text("? paused")
        expect(state(page, "package")).to_have_attribute("data-state", "completed")
        expect(state(page, "publish")).to_have_attribute("data-state", "pending")
        expect(state(page, "sign off").locator(".word")).to_have_text("? waits for approval")
        state(page, "package").click()
        expect(page.locator("#step dd.output")).to_have_text('{"Int":1}')
        expect(page.locator("#log li").first).to_contain_text("WorkflowStarted")
        picture(page, "workflow-run.png")
        page.get_by_label("Comment").fill("read it")
        page.get_by_role("button", name="Approve").click()
        expect(page.locator("#gates")).to_be_hidden(timeout=60_000)
        expect(state(page, "publish")).to_have_attribute("data-state", "running", timeout=60_000)
        expect(page.locator("#state")).to_have_text("✓ completed", timeout=120_000)
        expect(page.locator("#times .bar")).to_have_count(len(RELEASE))
        state(page, "sign off").press("Enter")
        expect(page.locator("#step")).to_contain_text("approved by ann: read it")
        expect(page.locator("#cancel")).to_be_hidden()
    shown_run = json.loads(run("workflow", "show", run_id, "--json", "--data-dir", data).stdout)
    assert [(one["step_id"], one["decision"], one["reason"]) for one in shown_run["approvals"]] == [
        ("sign off", "approved", "read it")
    ]


def test_a_rejection_ends_the_run_and_a_late_decision_says_so(
    chromium: Any, data: str, tmp_path: Path, problems: list[str]
) -> None:
    run_id = begun(tmp_path / "flow", data, {"a": step("one.ax"), "g": {**GATE, "depends_on": ["a"]}, "b": step("one.ax", "g")})
    with shown(chromium, data, run_id, problems) as page, shown(chromium, data, run_id, []) as other:
        expect(page.locator("#state")).to_have_text("? paused")
        other.evaluate("window.stop()")  # this page hears of nothing any more
        page.get_by_role("button", name="Reject").click()
        expect(page.locator("#state")).to_have_text("✗ failed", timeout=60_000)
        expect(state(page, "g")).to_have_attribute("data-state", "failed")
        other.get_by_role("button", name="Approve").click()
        expect(other.locator("#note")).to_contain_text(re.compile("already rejected|is failed"))


def test_texts_of_programs_stay_texts(chromium: Any, data: str, tmp_path: Path, problems: list[str]) -> None:
    steps = {HOSTILE: step("text.ax"), "g\u202e": {"kind": "approval_gate", "required_role": HOSTILE, "depends_on": [HOSTILE]}}
    run_id = begun(tmp_path / "flow", data, steps)
    with shown(chromium, data, run_id, problems, color_scheme="dark") as page:
        expect(page.locator("#gate-list .about")).to_have_text(f"g\\u{{202e}} (role: {HOSTILE})")
        page.locator("#graph .step").first.click()
        expect(page.locator("#step dd.output")).to_contain_text(HOSTILE)
        assert page.locator("img").count() == 0


def test_cancelled_from_the_page(chromium: Any, data: str, tmp_path: Path, problems: list[str]) -> None:
    run_id = begun(tmp_path / "flow", data, {"g": GATE, "b": step("one.ax", "g")})
    with shown(chromium, data, run_id, problems) as page:
        page.get_by_role("button", name="Cancel run").click()
        expect(page.locator("#state")).to_have_text("✗ cancelled")
        expect(page.locator("#gates")).to_be_hidden()


def test_a_graph_of_a_thousand_steps_is_drawn(chromium: Any, data: str, tmp_path: Path, problems: list[str]) -> None:
    steps: dict[str, Any] = {"gate": GATE}
    for number in range(999):
        before = [f"s{number - 10 - (number * 7) % 5}"] if number > 20 else ["gate"]
        steps[f"s{number}"] = step("one.ax", *before)
    run_id = begun(tmp_path / "flow", data, steps)
    with shown(chromium, data, run_id, problems) as page:
        expect(page.locator("#graph .step")).to_have_count(1000)
        expect(state(page, "gate")).to_have_attribute("data-state", "awaiting_approval")
