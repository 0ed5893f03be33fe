"""Features of the server in the editor's interface: completion, signatures, rename, formatting on save, imports, agents."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from code_server import Editor, editor
from playwright.sync_api import expect

PROGRAM = """type Order {
    total: Int,
    paid: Bool,
}

fn due(order: Order, fee: Int) -> Int {
    order.total + fee
}

fn main() -> Int {
    let first = Order { total: 1, paid: true }
    due(first, 2)
}
"""
REFACTORED = """fn main() -> Int {
    let a = 2
    a * 3 + other(a)
}

fn other(n: Int) -> Int {
    let mut m = n
    m = m + 1
    m
}
"""
MESSY = "fn main()->Int{\nlet a=1\n  a\n}\n"
IMPORTS = 'import "std-text"\nimport "std-math"\n\nfn main() -> Int {\n    int_max(1, 2)\n}\n'


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    files = {"order.ax": PROGRAM, "refactored.ax": REFACTORED, "messy.ax": MESSY, "imports.ax": IMPORTS}
    with editor(tmp_path_factory.mktemp("editing").resolve(), files, {"editor.formatOnSave": True}) as made:
        yield made


def put_cursor(window: Editor, line: int, column: int) -> None:
    window.page.keyboard.press("Control+g")
    window.page.locator(".quick-input-box input").fill(f":{line}:{column}")
    window.page.keyboard.press("Enter")
    expect(window.page.locator("#status\\.editor\\.selection")).to_contain_text(f"Ln {line}, Col {column}")


def test_completion_and_signatures(window: Editor) -> None:
    page = window.page
    window.open("order.ax")
    window.answered()
    put_cursor(window, 12, 18)
    page.keyboard.press("Enter")
    page.keyboard.type("first.", delay=50)
    rows = page.locator(".suggest-widget.visible .monaco-list-row")
    expect(rows.first).to_be_visible()
    assert {rows.nth(0).inner_text().split("\n")[0][:5], rows.nth(1).inner_text().split("\n")[0][:4]} == {"total", "paid"}
    window.picture("completion")
    page.keyboard.press("Escape")
    page.keyboard.type("total + due(", delay=50)
    hint = page.locator(".parameter-hints-widget.visible")
    expect(hint).to_contain_text("due(order: Order, fee: Int)")
    window.picture("signature")
    page.keyboard.press("Escape")
    window.command("File: Revert File")


def test_rename(window: Editor) -> None:
    page = window.page
    window.open("order.ax")
    put_cursor(window, 7, 12)
    page.keyboard.press("F2")
    box = page.locator(".rename-box input")
    expect(box).to_have_value("total")
    window.picture("rename")
    box.fill("amount")
    page.keyboard.press("Enter")
    expect(page.locator(".view-line", has_text="amount: 1")).to_be_visible()
    window.save()
    assert (window.workspace / "order.ax").read_text() == PROGRAM.replace("total", "amount")


def test_refactorings(window: Editor) -> None:
    page = window.page
    window.open("refactored.ax")
    window.answered()
    put_cursor(window, 3, 5)
    page.keyboard.press("Shift+End")
    page.keyboard.press("Control+Shift+r")
    menu = page.locator(".action-widget")
    expect(menu.get_by_text("Extract into a function").first).to_be_visible()
    window.picture("refactoring")
    # The first entry; a mouse is caught by what lies over the window meanwhile.
    expect(menu.get_by_text("Extract into a variable").first).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".view-line", has_text="let value = a * 3").first).to_be_visible()
    page.keyboard.press("Escape")
    # What does not apply says why.
    put_cursor(window, 8, 13)
    page.keyboard.press("Control+Shift+r")
    expect(menu.get_by_text("Inline the variable").first).to_be_visible()
    window.picture("refactoring-refused")
    page.keyboard.press("Escape")
    window.save()
    saved = (window.workspace / "refactored.ax").read_text()
    assert "    let value = a * 3" in saved
    assert saved.count("a * 3") == 1


def test_format_on_save(window: Editor) -> None:
    window.open("messy.ax")
    put_cursor(window, 3, 4)
    window.page.keyboard.type(" ")
    window.save()
    expect(window.page.locator(".view-line", has_text="let a = 1")).to_be_visible()
    assert (window.workspace / "messy.ax").read_text() == "fn main() -> Int {\n    let a = 1\n    a\n}\n"


def test_organise_imports(window: Editor) -> None:
    window.open("imports.ax")
    window.answered()
    put_cursor(window, 1, 1)
    window.page.keyboard.press("Shift+Alt+o")
    expect(window.page.locator(".view-line", has_text="std-text")).to_have_count(0)
    window.save()
    assert (window.workspace / "imports.ax").read_text().startswith('import "std-math"\n\nfn main')


def test_agents_are_offered_the_server(window: Editor) -> None:
    """VS Code 1.100 lists what extensions register, as later ones do."""
    window.command("MCP: List Servers")
    expect(window.page.locator(".quick-input-list").get_by_text("Boruna").first).to_be_visible()
    window.picture("agents")
    window.page.keyboard.press("Escape")
