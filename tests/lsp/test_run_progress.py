"""Long runs in the editor: how far they are, and the button that ends them, through a real server process."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.workspace.uris import uri_of
from tests.support.lsp import RawClient

# Each turn copies a megabyte, so the steps that a run may take last for minutes.
ENDLESS = """fn main() -> Int {
    let mut s: String = "0123456789abcdef"
    let mut i: Int = 0
    while i < 16 {
        s = s ++ s
        i = i + 1
    }
    while s ++ "x" != s { i = i + 1 }
    i
}
"""
SHORT = "fn main() -> Int { 1 }\n"
PATIENCE = 60.0
CAPABILITIES = {"window": {"workDoneProgress": True}}


def progress(client: RawClient, kind: str) -> dict[str, Any]:
    """The next progress of a kind; requests of the server are answered on the way."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        message = client.receive(PATIENCE)
        if message.get("method") == "window/workDoneProgress/create":
            client.frame(f'{{"jsonrpc": "2.0", "id": {message["id"]!r}, "result": null}}'.replace("'", '"').encode())
        if message.get("method") == "$/progress" and message["params"]["value"]["kind"] == kind:
            params: dict[str, Any] = message["params"]
            return params
    raise AssertionError("no progress")


@pytest.mark.parametrize("command", ["boruna.run", "boruna.trace"])
@pytest.mark.parametrize("token", [None, "mine"])
def test_a_run_is_shown_and_stopped(tmp_path: Path, command: str, token: str | None) -> None:
    uri = uri_of(str(tmp_path / "endless.ax"))
    with RawClient(tmp_path) as client:
        client.initialize(CAPABILITIES)
        client.open(uri, ENDLESS)
        number = client.ask("workspace/executeCommand", {"command": command, "arguments": [uri], "workDoneToken": token})
        begun = progress(client, "begin")
        assert (begun["value"]["cancellable"], "endless.ax" in begun["value"]["title"]) == (True, True)
        assert token is None or begun["token"] == token
        if command == "boruna.run":
            assert progress(client, "report")["value"]["message"].endswith("steps")
        client.notify("window/workDoneProgress/cancel", {"token": begun["token"]})
        assert progress(client, "end")["token"] == begun["token"]
        result = client.answer(number)["result"]
        assert (result["success"], result["error_kind"]) == (False, "cancelled")
        # The next run gets a process at once, however many were stopped.
        client.change(uri, 2, {"text": SHORT})
        assert client.call("workspace/executeCommand", {"command": "boruna.run", "arguments": [uri]})["result"] == 1


def test_an_editor_without_progress_gets_none(tmp_path: Path) -> None:
    uri = uri_of(str(tmp_path / "loop.ax"))
    with RawClient(tmp_path) as client:
        client.initialize()
        client.open(uri, ENDLESS)
        number = client.ask("workspace/executeCommand", {"command": "boruna.run", "arguments": [uri]})
        time.sleep(1)
        client.notify("$/cancelRequest", {"id": number})
        seen = []
        while (message := client.receive(PATIENCE)).get("id") != number:
            seen.append(message.get("method"))
        assert message["error"]["code"] == -32800
        assert "$/progress" not in seen
        assert "window/workDoneProgress/create" not in seen
