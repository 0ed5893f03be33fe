"""The same page inside other programs: the host of an MCP App around a real server, and the webview of an editor.

Part of `make test-preview`, like `browser.py`.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.support.daemon import Agent, editor
from tests.support.mcp_lines import initialize, request

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "todo.ax"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
pytestmark = pytest.mark.skipif(not os.path.exists(CHROMIUM), reason=f"no browser at {CHROMIUM}")
HOST_OF_APPS = """
<!doctype html><title>host</title><iframe sandbox="allow-scripts" style="width: 1000px; height: 640px"></iframe>
<script>
  let last = 0;
  const carried = async (given) => {
    if (!isPatient) return await called(given);
    await begun(++last, given);
    for (const id = last; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
      const result = await answered(id);
      if (result) return result;
    }
  };
  const frame = document.querySelector("iframe");
  const post = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
  addEventListener("message", async ({ data }) => {
    if (data.method === "ui/initialize") post({ id: data.id, result: { protocolVersion: "2026-01-26", hostCapabilities: {} } });
    else if (data.method === "ui/notifications/initialized")
      post({ method: "ui/notifications/tool-result", params: await carried({}) });
    else if (data.method === "tools/call") post({ id: data.id, result: await carried(data.params.arguments) });
  });
</script>
"""
WEBVIEW = """
window.acquireVsCodeApi = () => ({ postMessage: (message) => window.said(message) });
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "boruna.toml").touch()
    return Path(shutil.copy(EXAMPLE, tmp_path / "todo.ax"))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any) -> Iterator[Page]:
    found: list[str] = []
    page = chromium.new_page(viewport={"width": 1040, "height": 700})
    page.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    yield page
    page.close()
    assert found == []


@pytest.mark.parametrize("is_patient", [True, False], ids=["many calls at once", "one call at a time"])
def test_a_host_of_mcp_apps_shows_the_page_and_carries_its_calls(page: Page, path: Path, is_patient: bool) -> None:
    agent = Agent(path.parent)
    try:
        agent.ask(initialize(version="2025-11-25"))
        agent.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        (content,) = agent.ask(request("page", "resources/read", {"uri": "ui://boruna/preview"}))["result"]["contents"]

        answers: dict[Any, Any] = {}

        def message(number: int, arguments: dict[str, Any]) -> dict[str, Any]:
            params = {"name": "boruna_preview", "arguments": arguments or {"path": "todo.ax"}}
            return request(number, "tools/call", params)

        def answered(number: int) -> Any:
            with contextlib.suppress(queue.Empty):
                while answer := agent.receive(timeout=0.01):
                    answers[answer.get("id")] = answer.get("result")
            return answers.pop(number, None)

        page.expose_function("called", lambda arguments: agent.ask(message(0, arguments))["result"])
        page.expose_function("begun", lambda number, arguments: agent.send(message(number, arguments)))
        page.expose_function("answered", answered)
        page.set_content(HOST_OF_APPS.replace("<script>", f"<script>\n  const isPatient = {json.dumps(is_patient)};"))
        page.evaluate("(html) => { document.querySelector('iframe').srcdoc = html }", content["text"])
        shown = page.frame_locator("iframe")
        expect(shown.locator("#stage h3")).to_have_text("To do")
        shown.get_by_label("New item").fill("Buy milk")
        shown.get_by_label("New item").press("Enter")
        shown.locator("#stage").get_by_role("button", name="Add").click()
        expect(shown.locator("#stage")).to_contain_text("Buy milk")
        path.write_text(path.read_text("utf-8").replace('"To do"', '"Things"'), "utf-8")
        # A call of the page waits for the edit, as no host tells it of one.
        expect(shown.locator("#stage h3")).to_have_text("Things", timeout=15_000)
        expect(shown.locator("#stage")).to_contain_text("Buy milk")
        assert agent.end()[0] == 0
    finally:
        agent.__exit__()


def test_a_webview_shows_what_the_language_server_sends(page: Page, path: Path) -> None:
    with editor(path.parent) as client:
        client.initialize(rootUri=path.parent.as_uri())
        client.open(path.as_uri(), path.read_text("utf-8"))
        command = {"command": "boruna.preview", "arguments": [path.as_uri(), {"webview": True}]}
        opened = client.call("workspace/executeCommand", command)

        def said(message: dict[str, Any]) -> None:
            client.ask("boruna/preview/act", {"preview": opened["preview"], "action": message.get("action")})

        def until(words: str) -> None:
            while words not in json.dumps(message := client.receive()):
                continue
            page.evaluate("(update) => window.postMessage({ update })", message["params"]["update"])

        page.expose_function("said", said)
        page.add_init_script(WEBVIEW)
        page.route("http://webview.test/", lambda route: route.fulfill(body=opened["html"], content_type="text/html"))
        page.goto("http://webview.test/")
        until('"labels": ["init"]')
        expect(page.locator("#stage h3")).to_have_text("To do")
        page.locator("#stage").get_by_role("button", name="Save").click()
        page.wait_for_timeout(200)
        until('"saving"')
        expect(page.locator("#stage")).to_contain_text("saving")
