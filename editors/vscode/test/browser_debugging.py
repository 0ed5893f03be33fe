"""The debugger in the window: a lens starts it, a breakpoint holds it, variables and the way back are shown."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from code_server import Editor, editor
from playwright.sync_api import expect

PROGRAM = """type Point { x: Int, y: Int }

fn scaled(p: Point, by: Int) -> Point {
    let x = p.x * by
    Point { x: x, y: p.y * by }
}

fn main() -> Int {
    let start = Point { x: 3, y: 4 }
    let end = scaled(start, 2)
    end.x + end.y
}
"""


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    with editor(tmp_path_factory.mktemp("debugging").resolve(), {"app.ax": PROGRAM}) as made:
        yield made


def test_a_program_is_debugged_forward_and_backward(window: Editor) -> None:
    window.open("app.ax")
    page = window.page
    expect(page.locator(".codelens-decoration a", has_text="Run").first).to_be_visible()
    page.locator(".view-line", has_text="Point { x: x").first.click()
    page.keyboard.press("F9")
    expect(page.locator(".codicon-debug-breakpoint").first).to_be_visible()
    page.locator(".codelens-decoration a", has_text="Debug").first.click()
    expect(page.locator(".debug-top-stack-frame-line").first).to_be_visible()
    variables = page.locator(".debug-variables")
    expect(variables.get_by_text("Point { x: 3, y: 4 }").first).to_be_visible()
    expect(page.locator(".debug-call-stack").get_by_text("scaled").first).to_be_visible()
    window.picture("debugger")
    page.locator(".debug-toolbar .codicon-debug-step-back").click()
    expect(page.locator(".debug-call-stack").get_by_text("4:5").first).to_be_visible()
    for _ in range(2):
        page.locator(".debug-toolbar .codicon-debug-continue").click()
    expect(page.locator(".debug-toolbar")).to_be_hidden()
