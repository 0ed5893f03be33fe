"""`boruna-ls preview` as a browser meets it: the address, the door, events; an unsaved edit in an editor is on the page."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from boruna_ls.preview import pages
from tests.support.commands import command, end
from tests.support.daemon import editor

ROOT = Path(__file__).resolve().parents[2]
JSON = {"Content-Type": "application/json"}
EXAMPLE = ROOT / "docs" / "examples" / "todo.ax"


class Browser:
    """Asks as a browser that shows the page does."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.netloc, self.path = parts.netloc, parts.path
        self.origin = {"Origin": f"http://{self.netloc}"}

    def ask(
        self, name: str = "", method: str = "GET", body: bytes = b"", headers: dict[str, str] | None = None
    ) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(self.netloc, timeout=30)
        connection.request(method, name if name.startswith("/") else self.path + name, body or None, headers or {})
        return connection.getresponse()

    def act(self, **action: Any) -> int:
        return self.ask("act", "POST", json.dumps(action).encode(), JSON | self.origin).status

    def events(self) -> Iterator[dict[str, Any]]:
        response = self.ask("events")
        assert response.status == 200
        while line := response.readline():
            if line.startswith(b"data: "):
                yield json.loads(line[6:])


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("preview")
    (folder / "boruna.toml").touch()
    shutil.copy(EXAMPLE, folder / "todo.ax")
    return folder


@pytest.fixture(scope="module")
def browser(workspace: Path) -> Iterator[Browser]:
    line = [command("boruna-ls"), "preview", "todo.ax"]
    process = subprocess.Popen(line, cwd=workspace, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert process.stdout is not None
        said = process.stdout.readline().decode()
        found = re.fullmatch(r"preview of todo\.ax: (http://127\.0\.0\.1:\d+/[\w-]{32}/)\n", said)
        assert found, said
        yield Browser(found[1])
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    finally:
        end(process)


def test_the_page_holds_no_text_of_the_program_and_allows_its_own_scripts_only(browser: Browser) -> None:
    page = browser.ask()
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert "todo" not in page.read().decode()
    assert browser.ask("page.js").headers["Content-Type"].startswith("text/javascript")
    assert browser.ask("page.css").status == 200


def test_messages_come_back_as_events(browser: Browser) -> None:
    events = browser.events()
    shown = next(events)
    while not shown["length"]:
        shown = next(events)
    assert browser.act(do="send", tag="draft", payload="<script>") == 204
    while not shown["position"]:
        shown = next(events)
    assert shown["labels"] == ['draft: "<script>"']
    assert browser.act(do="restart") == 204


def test_an_unsaved_edit_is_shown_and_closing_the_file_takes_it_back(browser: Browser, workspace: Path) -> None:
    path = workspace / "todo.ax"
    text = path.read_text("utf-8")
    events = browser.events()
    with editor(workspace) as client:
        client.initialize(rootUri=workspace.as_uri())
        client.open(path.as_uri(), text)
        client.change(path.as_uri(), 2, {"text": text.replace('"To do"', '"Things"')})
        while "Things" not in json.dumps(shown := next(events)):
            continue
        assert shown["problems"] == []
        client.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
        while '"To do"' not in json.dumps(next(events)):
            continue


@pytest.mark.parametrize(
    ("name", "headers", "status"),
    [
        ("", {"Host": "evil.example"}, 421),
        ("", {"Host": "evil.example:80"}, 421),
        ("", {"Origin": "http://evil.example"}, 403),
        ("", {"Origin": "null"}, 403),
        ("/", {}, 404),
        ("/wrong/", {}, 404),
        ("../", {}, 404),
        ("page.js.map", {}, 404),
    ],
)
def test_who_is_not_let_in(browser: Browser, name: str, headers: dict[str, str], status: int) -> None:
    assert browser.ask(name, headers=headers).status == status


def test_actions_are_json_of_our_own_page_and_bounded(browser: Browser) -> None:
    action = b'{"do": "look"}'
    assert browser.ask("act", "POST", action, JSON).status == 403
    assert browser.ask("act", "POST", action, {"Content-Type": "text/plain"} | browser.origin).status == 415
    assert browser.ask("act", "POST", b"{", JSON | browser.origin).status == 400
    assert browser.ask("act", "POST", b" " * 300_000, JSON | browser.origin).status == 413
    assert browser.ask("act", "GET").status == 405
    assert browser.ask("", "OPTIONS", headers=browser.origin).status == 405


def test_connections_that_say_nothing_keep_the_page_from_nobody_for_long(browser: Browser) -> None:
    """Any user's programs reach the port, and need no secret for that."""
    host, port = browser.netloc.split(":")
    events = browser.events()
    next(events)
    with contextlib.ExitStack() as ends:
        for _ in range(300):
            ends.enter_context(socket.create_connection((host, int(port)), timeout=10))
        time.sleep(0.5)
        assert browser.ask().status == 503
        deadline = time.monotonic() + 30
        while browser.ask().status != 200:
            assert time.monotonic() < deadline
            time.sleep(0.5)
        # A stream of events is silent, too, and stays.
        assert browser.act(do="restart") == 204
        assert next(events)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = subprocess.run([command("boruna-ls"), "preview", "none.ax"], cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "error: none.ax: no such file\n")


def test_a_page_in_one_text_names_its_script_by_its_hash() -> None:
    page = pages.whole("vscode")
    assert page.count("<script>") == page.count("</script>") == 1
    assert page.count("</style>") == 1
    assert "script-src 'sha256-" in page
    assert 'data-transport="vscode"' in page
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function", pages.script())
