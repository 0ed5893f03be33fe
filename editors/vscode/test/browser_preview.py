"""An application previewed in a window: drawn in a webview beside its text, driven by hand, live while it is typed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from code_server import Editor, editor
from playwright.sync_api import FrameLocator, expect

EXAMPLE = (Path(__file__).resolve().parents[3] / "docs" / "examples" / "todo.ax").read_text("utf-8")


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    with editor(tmp_path_factory.mktemp("preview").resolve(), {"todo.ax": EXAMPLE}) as made:
        made.open("todo.ax")
        yield made


def shown(window: Editor) -> FrameLocator:
    return window.page.frame_locator("iframe.webview.ready").frame_locator("iframe#active-frame")


def test_a_preview_beside_its_text(window: Editor) -> None:
    page = window.page
    expect(page.locator(".codelens-decoration a", has_text="Preview").first).to_be_attached()
    window.command("Boruna: Preview Application")
    frame = shown(window)
    expect(frame.locator("#stage h3")).to_have_text("To do")
    frame.locator("#stage").get_by_role("button", name="Save").click()
    expect(frame.locator("#stage")).to_contain_text("saving")
    window.picture("preview")

    # What is typed and not saved is in the preview at once, and the state stays.
    line = EXAMPLE[: EXAMPLE.index('"To do"')].count("\n") + 1
    page.locator(".view-line").first.click()
    page.keyboard.press("Control+g")
    page.locator(".quick-input-box input").fill(f":{line}:{EXAMPLE.splitlines()[line - 1].index('To do') + 1}")
    page.keyboard.press("Enter")
    page.keyboard.type("Things ")
    expect(frame.locator("#stage h3")).to_have_text("Things To do")
    expect(frame.locator("#stage")).to_contain_text("saving")

    # Another daemon knows nothing of the preview: it begins anew by itself.
    window.command("Boruna: Restart Daemon")

    def begins_anew() -> bool:
        # A message that comes in time is still taken by the daemon before.
        frame.locator("#messages").get_by_role("button", name="clear").click()
        return "the preview begins anew" in window.output()

    window.until(begins_anew)
    frame.locator("#messages").get_by_role("button", name="save", exact=True).click()
    expect(frame.locator("#stage")).to_contain_text("saving")
    window.picture("preview-after-restart")
