"""Choices of the user: hints and lenses, on and off while the window is open; and the task that fills the list of problems."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from code_server import Editor, editor
from playwright.sync_api import expect

PROGRAM = (
    "fn due(total: Int, fee: Int) -> Int {\n    total + fee\n}\n\nfn main() -> Int {\n    let sum = due(40, 2)\n    sum\n}\n"
)
BROKEN = "fn main() -> Int {\n    totl\n}\n"
OFF = {"boruna.inlayHints.types": False, "boruna.inlayHints.parameterNames": False}


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    files = {"due.ax": PROGRAM, "broken.ax": BROKEN, ".vscode/settings.json": "{}"}
    settings = {**OFF, "boruna.diagnostics.scope": "openFiles"}
    with editor(tmp_path_factory.mktemp("settings").resolve(), files, settings) as made:
        made.open("due.ax")
        yield made


def choose(window: Editor, **settings: bool) -> None:
    """Writes settings of the workspace, as the settings editor does."""
    file = window.workspace / ".vscode" / "settings.json"
    chosen = json.loads(file.read_text()) if file.exists() else {}
    window.write(
        ".vscode/settings.json", json.dumps(chosen | {f"boruna.{name.replace('_', '.')}": on for name, on in settings.items()})
    )


def test_hints_and_lenses(window: Editor) -> None:
    page = window.page
    call = page.locator(".view-line", has_text="let sum").first
    lens = page.locator(".codelens-decoration a", has_text="Run").first
    window.answered()
    page.wait_for_timeout(1000)
    expect(call).to_have_text(re.compile(r"let\s+sum\s+=\s+due\(40,\s+2\)"))
    choose(window, inlayHints_parameterNames=True)
    expect(call).to_have_text(re.compile(r"due\(total:\s*40,\s+fee:\s*2\)"))
    choose(window, inlayHints_parameterNames=False, inlayHints_types=True)
    expect(call).to_have_text(re.compile(r"let\s+sum:\s*Int\s+=\s+due\(40,\s+2\)"))
    choose(window, codeLens_run=False)
    expect(lens).to_have_count(0)
    choose(window, codeLens_run=True)
    expect(lens).to_be_visible()


def test_a_task_lists_the_problems_of_all_programs(window: Editor) -> None:
    page = window.page
    window.command("Tasks: Run Build Task")
    page.locator(".quick-input-list").get_by_text("check all programs").first.click()
    # The terminal of the task comes to the front until it has ended.
    expect(page.locator("#status\\.problems")).to_contain_text("1")
    page.keyboard.press("Control+Shift+m")
    problem = page.locator(".markers-panel").get_by_text("undefined variable: totl").first
    expect(problem).to_be_visible()
    window.picture("task-problems")
    problem.dblclick()
    expect(page.locator(".tab.active")).to_contain_text("broken.ax")
    expect(page.locator("#status\\.editor\\.selection")).to_contain_text("Ln 2, Col 5")
