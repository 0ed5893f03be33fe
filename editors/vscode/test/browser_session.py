"""One window: a diagnostic, its page, its quick fix, hover, code lens, a run, the daemon, the walkthrough, with pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from code_server import PICTURES, Editor, editor
from playwright.sync_api import Locator, expect

PROGRAM = """type Item { name: String, count: Int }

fn low(items: List<Item>) -> Int {
    let mut found = 0
    for item in items {
        if item.count < 3 { found = found + 1 }
    }
    foun
}

fn main() -> Int {
    low([Item { name: "bolt", count: 2 }, Item { name: "nut", count: 40 }])
}
"""


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    with editor(tmp_path_factory.mktemp("session").resolve(), {"stock.ax": PROGRAM}) as made:
        made.open("stock.ax")
        yield made


def test_a_session(window: Editor) -> None:
    page = window.page
    expect(page.locator(".squiggly-error").first).to_be_visible()
    window.picture("diagnostic")

    window.answered()
    window.picture("code-lens")

    page.locator(".view-line span", has_text="foun").last.hover()
    code = page.locator(".monaco-hover a", has_text="E003").first
    expect(code).to_be_visible()
    code.click()
    preview = page.frame_locator("iframe.webview.ready").frame_locator("iframe#active-frame")
    expect(preview.locator("h1").first).to_contain_text("E003")
    window.picture("explained")
    page.keyboard.press("Control+w")

    page.locator(".view-line span", has_text="foun").last.click()
    page.keyboard.press("Control+.")
    expect(page.locator(".action-widget").get_by_text("rename 'foun' to 'found'")).to_be_visible()
    window.picture("quick-fix")
    # The picture of the README: docs/pictures/vscode.png is this one.
    page.screenshot(path=PICTURES / "readme.png", clip={"x": 348, "y": 72, "width": 782, "height": 288})
    # The preferred fix comes first; what lies behind the list takes no clicks.
    page.keyboard.press("Enter")
    expect(page.locator(".squiggly-error")).to_have_count(0)

    page.locator(".view-line span", has_text="low").last.hover()
    expect(page.locator(".monaco-hover").get_by_text("fn low(items: List<Item>) -> Int").first).to_be_visible()
    window.picture("hover")

    page.locator(".codelens-decoration a", has_text="Run").click()
    expect(window.shown("main: 1")).to_be_visible()
    window.picture("run")

    window.command("Boruna: Restart Daemon")

    def is_connected_again() -> bool:
        window.command("Boruna: Show Daemon Status")
        page.wait_for_timeout(1000)
        _, restarted, status = window.output().partition("instead of process")
        return bool(restarted) and "1 file open" in status

    window.until(is_connected_again)
    # The output is drawn with spaces that do not break.
    expect(page.locator(".part.panel").get_by_text(re.compile(r"1\s+file\s+open")).last).to_be_visible()
    # The fresh daemon knows what this window has open and has not saved.
    page.locator(".view-line span", has_text="low").last.dblclick()
    page.keyboard.type("lower")
    expect(page.locator(".squiggly-error").first).to_be_visible()
    window.picture("after-restart")


def test_the_steps_of_the_walkthrough_tick(window: Editor) -> None:
    """The session above had a server, and a program that was written and run. The list of problems was not looked at."""
    page = window.page
    window.command("Boruna: Get Started")

    def step(name: str) -> Locator:
        return page.locator(f"[data-done-step-id$='#start#{name}']").first

    for name in ("server", "write", "run"):
        expect(step(name)).to_have_attribute("aria-checked", "true")
    expect(step("repair")).to_have_attribute("aria-checked", "false")
    page.keyboard.press("Control+Shift+m")
    expect(step("repair")).to_have_attribute("aria-checked", "true")
    window.picture("walkthrough")
