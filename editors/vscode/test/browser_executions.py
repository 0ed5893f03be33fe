"""Open tasks of executions: the list, the page of a task, an answer that is refused, one that is taken, the end."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from code_server import SCRIPTS, Editor, editor
from playwright.sync_api import FrameLocator, expect

RATE = r"""fn main() -> String !{llm.call} {
    let name = llm_call("Suggest a name for a boat. <b>Short</b>, please.")
    llm_call_as("Rate the name " ++ name ++ " from 1 to 10.", "{\"type\": \"integer\"}")
}
"""


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    folder = tmp_path_factory.mktemp("executions").resolve()
    environment = {"BORUNA_LS_STATE": str(folder / "state")}
    with editor(folder, {"boat.ax": RATE}, environment=environment) as made:
        begin(made.workspace / "boat.ax", environment)
        made.open("boat.ax")
        yield made


def begin(program: Path, environment: dict[str, str]) -> None:
    """An execution of the command line that nobody answers there."""
    line = [str(SCRIPTS / "boruna-ls"), "exec", "run", str(program), "--id", "boat-1"]
    done = subprocess.run(line, stdin=subprocess.DEVNULL, env={**os.environ, **environment}, check=False, timeout=60)
    assert done.returncode == 1


def task_page(window: Editor) -> FrameLocator:
    return window.page.frame_locator("iframe.webview.ready").frame_locator("iframe#active-frame")


def test_a_task_is_answered(window: Editor) -> None:
    view = window.page.locator(".pane", has=window.page.locator(".pane-header", has_text="Open Tasks"))
    view.locator(".pane-header").click()
    rows = view.locator(".monaco-list-row")
    rows.filter(has_text="Suggest a name").click()
    page = task_page(window)
    # What a program wrote is text.
    expect(page.locator("#prompt")).to_have_text("Suggest a name for a boat. <b>Short</b>, please.")
    window.picture("task")
    page.locator("#answer").fill("Ada")
    page.locator("#submit").click()
    expect(page.locator("#prompt")).to_have_text("Rate the name Ada from 1 to 10.")
    expect(page.locator("#schema")).to_contain_text('"integer"')
    page.locator("#answer").fill("a lot")
    page.locator("#submit").click()
    expect(page.locator("#problem")).to_contain_text("The task stays open")
    window.picture("task-refused")
    expect(
        window.page.locator(".pane", has_text="Open Tasks").locator(".monaco-list-row", has_text="Rate the name")
    ).to_have_count(1)
    page.locator("#answer").fill("9")
    page.locator("#answer").press("Control+Enter")
    expect(page.locator("#end")).to_have_text("Completed: 9")
    expect(rows).to_have_count(0)
    window.picture("task-end")
