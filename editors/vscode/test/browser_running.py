"""Runs, traces, tests, templates, agents: what is shown, and what a click does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from code_server import Editor, editor
from playwright.sync_api import expect

CARD = """type UINode {
    tag: String,
    children: List<UINode>,
}

fn main() -> UINode !{time.now} {
    let _now = time_now()
    UINode { tag: "card", children: [UINode { tag: "text", children: [] }] }
}
"""
FAILS = "fn half(n: Int) -> Int {\n    n / 0\n}\n\nfn main() -> Int {\n    half(3)\n}\n"
LONG = """fn main() -> Int {
    let mut total = 0
    while total < 112000 {
        total = total + 1
    }
    total
}
"""
TESTS = "fn test_good() -> Bool {\n    1 == 1\n}\n\nfn test_bad() -> Bool {\n    1 == 2\n}\n\nfn main() -> Int {\n    0\n}\n"
UNOPENED = "fn test_elsewhere() -> Bool {\n    true\n}\n"


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    files = {"card.ax": CARD, "fails.ax": FAILS, "long.ax": LONG, "tests.ax": TESTS, "unopened.ax": UNOPENED}
    with editor(tmp_path_factory.mktemp("running").resolve(), files) as made:
        yield made


def lens(window: Editor, title: str) -> None:
    made = window.page.locator(".codelens-decoration a", has_text=title).first
    expect(made).to_be_visible()
    made.click()


def test_a_result_has_the_names_of_its_types(window: Editor) -> None:
    window.open("card.ax")
    lens(window, "Run")
    expect(window.shown('main: UINode { tag: "card", children: [UINode { tag: "text", children: [] }] }')).to_be_visible()
    expect(window.page.locator(".codelens-decoration a", has_text="time.now mocked").first).to_be_visible()
    window.picture("run-named")


def test_a_failure_is_shown_where_it_happened(window: Editor) -> None:
    window.open("fails.ax")
    lens(window, "Run")
    expect(window.page.locator(".squiggly-error").first).to_be_visible()
    window.page.locator(".view-line span", has_text="0").first.hover()
    expect(window.page.locator(".monaco-hover").get_by_text("division by zero").first).to_be_visible()
    window.picture("run-failed")


def test_a_trace_of_a_million_steps(window: Editor) -> None:
    window.open("long.ax")
    lens(window, "Trace")
    page = window.page.frame_locator("iframe.webview.ready").frame_locator("iframe#active-frame")
    expect(page.locator("#summary")).to_contain_text("steps, ends well")
    total = int(page.locator("#summary").inner_text().split(" ")[0].replace(",", ""))
    assert total > 1_000_000
    expect(page.locator(".row").first).to_contain_text("let mut total = 0")
    page.locator("#instructions").check()
    expect(page.locator(".row .instruction").first).to_be_visible()
    window.picture("trace")
    # To the end, and a click on a step goes to its line.
    page.locator("#view").evaluate("view => view.scrollTop = view.scrollHeight")
    # The step that ends a run has no instruction of its own.
    last = page.locator(f'.row[data-step="{total - 1}"]')
    expect(last).to_be_visible()
    expect(last.locator(".place")).to_have_text("7", timeout=120_000)
    expect(page.locator(".row .value", has_text="112000").first).to_be_visible()
    assert page.locator(".row").count() < 100
    middle = page.locator(f'.row[data-step="{total - 9}"]')
    line = middle.locator(".place").inner_text()
    # The list keeps the focus, so that the arrow keys go on; Enter and a double click go to the text.
    middle.click()
    expect(window.page.locator(".editor-instance .line-numbers.active-line-number").first).to_have_text(line)
    expect(page.locator(".row.current")).to_have_attribute("data-step", str(total - 9))
    window.page.keyboard.press("ArrowUp")
    expect(page.locator(".row.current")).to_have_attribute("data-step", str(total - 10))
    middle.dblclick()
    expect(window.page.locator("#status\\.editor\\.selection")).to_contain_text(f"Ln {line}")
    window.picture("trace-end")


def test_the_test_explorer(window: Editor) -> None:
    window.command("View: Close All Editors")
    window.open("tests.ax")
    window.command("Test: Run All Tests")
    failed = window.page.locator(".testing-run-glyph.codicon-testing-failed-icon, .codicon-testing-failed-icon").first
    expect(failed).to_be_visible()
    expect(window.page.locator(".codicon-testing-passed-icon").first).to_be_visible()
    window.command("Testing: Focus on Test Explorer View")
    # All tests are those of files that nobody opened, too.
    unopened = window.page.locator(".test-explorer .monaco-list-row", has_text="unopened.ax").first
    expect(unopened.locator(".codicon-testing-passed-icon")).to_be_visible()
    window.picture("tests")


def test_a_template(window: Editor) -> None:
    window.command("Boruna: New Application from a Template")
    window.page.locator(".quick-input-list").get_by_text("auth-app").first.click()
    box = window.page.locator(".quick-input-box input")
    expect(window.page.locator(".quick-input-title")).to_contain_text("Folder of the application")
    box.fill("../evil")
    expect(window.page.locator(".quick-input-message")).to_contain_text("no path")
    box.fill("login")
    box.press("Enter")
    expect(window.page.locator(".quick-input-title")).to_contain_text("auth-app: app_name")
    window.picture("template")
    box.fill("Shop")
    box.press("Enter")
    expect(window.page.locator(".tab.active")).to_contain_text("app.ax")
    assert "Shop" in (window.workspace / "login" / "app.ax").read_text()
