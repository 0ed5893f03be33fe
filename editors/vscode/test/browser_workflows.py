"""A workflow from its document to its end: lenses, the page of a run with states and gates, approvals, rejections, commands."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from code_server import SCRIPTS, Editor, editor
from playwright.sync_api import FrameLocator, Locator, expect

DOCUMENT = """{
  "schema_version": 1,
  "name": "release",
  "version": "4.2",
  "steps": {
    "build": { "kind": "source", "source": "build.ax" },
    "check": { "kind": "source", "source": "check.ax", "inputs": { "parts": "build.result" }, "depends_on": ["build"] },
    "sign_off": { "kind": "approval_gate", "required_role": "lead", "depends_on": ["check"] },
    "publish": { "kind": "source", "source": "build.ax", "depends_on": ["sign_off"] }
  },
  "edges": []
}
"""
BUILD = "fn main() -> Int {\n    41 + 1\n}\n"
CHECK = """fn main() -> Bool !{step.input} {
    let parts = step_input("parts")
    parts == "{\\"Int\\":42}"
}
"""


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state").resolve()


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory, state: Path) -> Iterator[Editor]:
    files = {"release/workflow.json": DOCUMENT, "release/build.ax": BUILD, "release/check.ax": CHECK}
    folder = tmp_path_factory.mktemp("workflows").resolve()
    with editor(folder, files, environment={"BORUNA_LS_STATE": str(state)}) as made:
        made.open("workflow.json")
        yield made


def lens(window: Editor, title: str) -> Locator:
    return window.page.locator(".codelens-decoration a", has_text=title).first


def run_page(window: Editor) -> FrameLocator:
    return window.page.frame_locator("iframe.webview.ready").frame_locator("iframe#active-frame")


def step(page: FrameLocator, name: str) -> Locator:
    return page.locator(f'#graph .step[data-step="{name}"]')


def shared(state: Path, *line: str) -> Any:
    done = subprocess.run(
        [str(SCRIPTS / "boruna-ls"), "workflow", *line, "--shared", "--json"],
        env={**os.environ, "BORUNA_LS_STATE": str(state)},
        capture_output=True,
        check=True,
        timeout=60,
    )
    return json.loads(done.stdout)


def close_page(window: Editor) -> None:
    """Closes the page of a run; the document stays."""
    window.page.locator(".tab", has_text="release").last.click()
    window.page.keyboard.press("Control+w")
    expect(window.page.locator("iframe.webview.ready")).to_have_count(0)


def test_a_run_from_its_lens_is_approved_on_its_page(window: Editor, state: Path) -> None:
    lens(window, "Run").click()
    page = run_page(window)
    expect(page.locator("#state")).to_have_text("? paused")
    for name, found in (
        ("build", "completed"),
        ("check", "completed"),
        ("sign_off", "awaiting_approval"),
        ("publish", "pending"),
    ):
        expect(step(page, name)).to_have_attribute("data-state", found)
    expect(page.locator("#gate-list .about")).to_have_text("sign_off (role: lead)")
    step(page, "check").click()
    expect(page.locator("#step dd.output")).to_have_text('{"Bool":true}')
    window.picture("workflow-paused")
    page.get_by_label("Comment").fill("read it")
    page.get_by_role("button", name="Approve").click()
    expect(page.locator("#state")).to_have_text("✓ completed")
    expect(step(page, "publish")).to_have_attribute("data-state", "completed")
    expect(page.locator("#gates")).to_be_hidden()
    window.picture("workflow-approved")
    (run,) = shared(state, "list")
    (decision,) = shared(state, "show", run["run_id"])["approvals"]
    assert (run["status"], decision["step_id"], decision["decision"], decision["reason"]) == (
        "completed",
        "sign_off",
        "approved",
        "read it",
    )
    close_page(window)


def test_lenses_follow_a_run_that_waits(window: Editor, state: Path) -> None:
    lens(window, "Run").click()
    expect(run_page(window).locator("#state")).to_have_text("? paused")
    expect(lens(window, "Resume")).to_be_visible()
    expect(lens(window, "Reject (")).to_be_visible()
    window.picture("workflow-lenses")
    lens(window, "Approve (").click()
    expect(run_page(window).locator("#state")).to_have_text("✓ completed")
    expect(window.page.locator(".codelens-decoration a", has_text="Approve (")).to_have_count(0)
    close_page(window)


def test_a_command_rejects_with_a_reason(window: Editor, state: Path) -> None:
    window.command("Boruna: Run Workflow")
    expect(run_page(window).locator("#state")).to_have_text("? paused")
    window.command("Boruna: Reject at a Workflow Gate")
    box = window.page.locator(".quick-input-widget", has_text="Reject sign_off")
    expect(box).to_be_visible()
    window.page.locator(".quick-input-box input").fill("not today")
    window.page.keyboard.press("Enter")
    page = run_page(window)
    expect(page.locator("#state")).to_have_text("✗ failed")
    expect(step(page, "sign_off")).to_have_attribute("data-state", "failed")
    expect(step(page, "publish")).to_have_attribute("data-state", "pending")
    step(page, "sign_off").click()
    expect(page.locator("#step")).to_contain_text("not today")
    # The command line decided: the lenses follow it all the same.
    expect(window.page.locator(".codelens-decoration a", has_text="Reject (")).to_have_count(0)
    window.picture("workflow-rejected")
    (failed,) = shared(state, "list", "--status", "failed")
    assert shared(state, "show", failed["run_id"])["approvals"][0]["reason"] == "not today"
    close_page(window)


def test_a_run_of_a_terminal_is_watched(window: Editor, state: Path) -> None:
    """A process beside the editor drives and decides; the page follows it."""
    line = [str(SCRIPTS / "boruna-ls"), "workflow"]
    environment = {**os.environ, "BORUNA_LS_STATE": str(state)}
    subprocess.run([*line, "run", str(window.workspace / "release"), "--shared"], env=environment, check=True, timeout=60)
    (run,) = shared(state, "list", "--status", "paused")
    window.command("Boruna: Watch a Workflow Run")
    window.page.locator(".quick-input-list .monaco-list-row", has_text="paused").first.click()
    page = run_page(window)
    expect(page.locator("#state")).to_have_text("? paused")
    for word in (["approve", run["run_id"], "sign_off"], ["resume", run["run_id"]]):
        subprocess.run([*line, *word, "--shared"], env=environment, check=True, timeout=60)
    expect(page.locator("#state")).to_have_text("✓ completed")
    close_page(window)
