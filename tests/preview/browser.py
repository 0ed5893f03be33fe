"""The preview in a real browser: what is drawn, what is typed and clicked, an edit of an editor, hostile texts, a thousand steps.

Not part of the quick run: `make test-preview` runs it with pytest (needs Chromium). `CHROMIUM` is the browser, `PICTURES` the
folder into which pictures are written.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.support.apps import COUNTER
from tests.support.commands import command, end
from tests.support.daemon import editor

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "todo.ax"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
PICTURES = Path(os.environ.get("PICTURES", ROOT / "docs" / "pictures"))
pytestmark = pytest.mark.skipif(not os.path.exists(CHROMIUM), reason=f"no browser at {CHROMIUM}")
HOSTILE = "</script><img src=x onerror=alert(1)>"
SECONDS = 0.3
"""From a keystroke to the screen."""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("preview")
    (folder / "boruna.toml").touch()
    return folder


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


@contextmanager
def shown(chromium: Any, path: Path, problems: list[str], **options: Any) -> Iterator[Page]:
    process = subprocess.Popen([command("boruna-ls"), "preview", path.name], cwd=path.parent, stdout=subprocess.PIPE)
    context = chromium.new_context(viewport={"width": 1100, "height": 720}, **options)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().decode().rpartition(" ")[2].strip()
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.goto(url)
        page.wait_for_selector("#stage > *")
        yield page
    finally:
        context.close()
        end(process)


def picture(page: Page, name: str) -> None:
    PICTURES.mkdir(exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png")


def test_an_application_is_drawn_and_driven(chromium: Any, workspace: Path, problems: list[str]) -> None:
    path = Path(shutil.copy(EXAMPLE, workspace / "todo.ax"))
    with shown(chromium, path, problems) as page:
        field = page.get_by_label("New item")
        field.fill("Buy milk")
        field.press("Enter")
        stage = page.locator("#stage")
        stage.get_by_role("button", name="Add").click()
        expect(stage.get_by_text("Buy milk")).to_be_visible()
        expect(field).to_have_value("")
        stage.get_by_role("button", name="Save").click()
        expect(stage.get_by_text("saving")).to_be_visible()
        expect(page.locator("#changes")).to_contain_text("status")
        picture(page, "preview")
        page.locator(".effect input").fill("saved at noon")
        page.locator(".effect").get_by_role("button", name="Answer").click()
        expect(stage.get_by_text("saved at noon")).to_be_visible()
        page.get_by_role("button", name="Step back").click()
        expect(stage.get_by_text("saving")).to_be_visible()
        page.locator("#effects").get_by_role("button", name=re.compile("Mock")).click()
        expect(page.locator("#note")).to_contain_text("1 later step was dropped")
        page.locator("#steps button", has_text="init").click()
        expect(stage.get_by_text("Buy milk")).to_have_count(0)
        page.get_by_role("button", name="Replay").click()
        expect(stage.get_by_text("Buy milk")).to_be_visible()
        page.locator("#messages").get_by_role("button", name="clear").click()
        expect(stage.get_by_text("Buy milk")).to_have_count(0)


def test_everything_can_be_reached_by_keys_and_has_a_name(chromium: Any, workspace: Path, problems: list[str]) -> None:
    path = Path(shutil.copy(EXAMPLE, workspace / "todo.ax"))
    with shown(chromium, path, problems) as page:
        nameless = page.evaluate(
            """() => [...document.querySelectorAll("button, input, select")]
                 .filter((each) => !each.labels?.length && !each.getAttribute("aria-label") && !each.textContent.trim())
                 .map((each) => each.outerHTML)"""
        )
        assert nameless == []
        page.locator("#messages").get_by_role("button", name="add", exact=True).focus()
        page.keyboard.press("Enter")
        expect(page.locator("#where")).to_have_text("1 of 1: add")
        page.locator("#slider").focus()
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#where")).to_have_text("0 of 1: init")


def test_a_keystroke_is_on_screen_in_time_and_the_state_stays(chromium: Any, workspace: Path, problems: list[str]) -> None:
    path = Path(shutil.copy(EXAMPLE, workspace / "todo.ax"))
    text = path.read_text("utf-8")
    with shown(chromium, path, problems) as page, editor(workspace) as client:
        page.locator("#messages").get_by_role("button", name="save", exact=True).click()
        expect(page.locator("#stage")).to_contain_text("saving")
        client.initialize(rootUri=workspace.as_uri())
        client.open(path.as_uri(), text)
        page.evaluate(
            """() => new MutationObserver(() => { window.seen = [Date.now(), document.querySelector("#stage h3").textContent]; })
                 .observe(document.querySelector("#stage"), { subtree: true, childList: true, characterData: true })"""
        )
        spent = []
        for number in range(10):
            begun = time.time()
            client.change(path.as_uri(), number + 2, {"text": text.replace('"To do"', f'"Version {number}"')})
            page.wait_for_function(f"() => window.seen && window.seen[1] === 'Version {number}'", polling=5)
            spent.append(page.evaluate("() => window.seen[0]") / 1000 - begun)
        print(f"keystroke to screen: {[round(seconds * 1000) for seconds in spent]} ms")
        expect(page.locator("#stage")).to_contain_text("saving")
        assert sorted(spent)[len(spent) // 2] < SECONDS
        client.change(path.as_uri(), 20, {"text": text.replace("fn view(", "fn view")})
        expect(page.locator("#problems")).to_contain_text("does not compile")
        expect(page.locator("#problems")).to_contain_text("line ")
        picture(page, "preview-broken-edit")
        client.change(path.as_uri(), 21, {"text": text.replace("status: String", "state: String").replace("status:", "state:")})


def test_hostile_texts_are_shown_and_do_nothing(chromium: Any, workspace: Path, problems: list[str]) -> None:
    path = workspace / "hostile.ax"
    view = COUNTER.replace('"count " ++', f'"{HOSTILE} a\u202eb\u0007c " ++')
    path.write_text(view.replace('msg.tag == "ask"', f'msg.tag == "{HOSTILE}"', 1), "utf-8")
    with shown(chromium, path, problems) as page:
        stage = page.locator("#stage")
        expect(stage).to_contain_text(HOSTILE)
        expect(stage).to_contain_text("a\\u{202e}b\\u{7}c")
        expect(page.locator("img")).to_have_count(0)
        page.locator("#messages").get_by_role("button", name=HOSTILE).click()
        expect(page.locator("#where")).to_contain_text(HOSTILE)


def test_a_hundred_thousand_nodes_leave_the_page_alive(chromium: Any, workspace: Path, problems: list[str]) -> None:
    path = workspace / "many.ax"
    many = "fn view(state: State) -> List<String> {\n    let mut nodes: List<String> = []\n    let mut at = 0\n"
    many += '    while at < 100000 {\n        nodes = list_push(nodes, "node")\n        at = at + 1\n    }\n    nodes\n}\n'
    path.write_text(COUNTER[: COUNTER.index("fn view")] + many, "utf-8")
    with shown(chromium, path, problems) as page:
        expect(page.locator(".left-out")).to_contain_text("95,001 more are not drawn")
        page.locator("#other-tag").fill("inc")
        page.locator("#other").get_by_role("button").click()
        expect(page.locator("#where")).to_contain_text("1 of 1")


def test_a_loop_can_be_stopped(chromium: Any, workspace: Path, problems: list[str]) -> None:
    path = workspace / "loop.ax"
    loop = "fn spin(left: Int) -> Int { let mut n = left while n > 0 { n = n - 1 } n }\n"
    path.write_text(loop + COUNTER.replace("{ 0 } else { msg.payload }", "{ 0 } else { spin(900000) + spin(900000) }"), "utf-8")
    with shown(chromium, path, problems) as page:
        page.locator("#other-tag").fill("inc")
        page.locator("#other-payload").fill("1")
        page.locator("#other").get_by_role("button").click()
        expect(page.locator("#failure")).to_be_visible(timeout=20_000)


def test_a_thousand_messages_are_stepped_without_delay(chromium: Any, workspace: Path, problems: list[str]) -> None:
    path = workspace / "thousand.ax"
    path.write_text(COUNTER, "utf-8")
    with shown(chromium, path, problems) as page:
        page.evaluate(
            """async () => { for (let i = 0; i < 1000; i++) await fetch("act", { method: "POST",
                 headers: { "Content-Type": "application/json" },
                 body: JSON.stringify({ do: "send", tag: "inc", payload: 1 }) }) }"""
        )
        expect(page.locator("#stage")).to_have_text("count 1000")
        spent = page.evaluate(
            """async () => {
                 const stage = document.querySelector("#stage"), slider = document.querySelector("#slider"), spent = [];
                 for (const to of [0, 999, 500, 501, 502, 10, 1000, 1, 750, 749]) {
                   const begun = performance.now();
                   slider.value = to;
                   slider.dispatchEvent(new Event("input"));
                   while (stage.textContent !== `count ${to}`) await new Promise(requestAnimationFrame);
                   spent.push(Math.round(performance.now() - begun));
                 }
                 return spent;
               }"""
        )
        print(f"a step among 1,000: {spent} ms")
        assert sorted(spent)[len(spent) // 2] < 100
        picture(page, "preview-thousand")


def test_the_page_comes_back_when_another_daemon_takes_over(chromium: Any, workspace: Path, problems: list[str]) -> None:
    path = Path(shutil.copy(EXAMPLE, workspace / "todo.ax"))
    with shown(chromium, path, problems) as page:
        page.locator("#messages").get_by_role("button", name="save", exact=True).click()
        expect(page.locator("#where")).to_have_text("1 of 1: save")
        subprocess.run([command("boruna-ls"), "daemon", "stop"], check=True, capture_output=True)
        expect(page.locator("#where")).to_have_text("0 of 0: init", timeout=30_000)
        problems.clear()


def test_a_dark_and_narrow_page(chromium: Any, workspace: Path, problems: list[str]) -> None:
    path = Path(shutil.copy(EXAMPLE, workspace / "todo.ax"))
    with shown(chromium, path, problems, color_scheme="dark") as page:
        page.locator("#messages").get_by_role("button", name="save", exact=True).click()
        expect(page.locator("#stage")).to_contain_text("saving")
        page.set_viewport_size({"width": 380, "height": 800})
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 380
        # What is done below does not scroll the application away.
        page.locator("#slider").focus()
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#where")).to_have_text("0 of 1: init")
        assert page.evaluate("() => [scrollY, document.querySelector('#slider').getBoundingClientRect().bottom < 800]") == [
            0,
            True,
        ]


def test_events_are_small_however_long_the_time_line(chromium: Any, workspace: Path, problems: list[str]) -> None:
    path = workspace / "small.ax"
    path.write_text(COUNTER, "utf-8")
    with shown(chromium, path, problems) as page:
        sizes = page.evaluate(
            """async () => {
                 const sizes = [], events = new EventSource("events");
                 events.onmessage = (event) => sizes.push(event.data.length);
                 for (let i = 0; i < 300; i++) await fetch("act", { method: "POST",
                   headers: { "Content-Type": "application/json" }, body: JSON.stringify({ do: "send", tag: "inc" }) });
                 events.close();
                 return sizes;
               }"""
        )
        assert max(sizes[1:]) < 2_000, json.dumps(sizes[-5:])
