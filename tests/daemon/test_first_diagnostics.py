"""An editor that comes to a fresh daemon has the diagnostics of the document edited last before the server is loaded."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.rendezvous.wire import SERVES, TOUCHED
from boruna_ls.wire.frames import framed
from tests.support.daemon import Agent, editor, stopped
from tests.support.lsp import OPTIONS, RawClient, edit
from tests.support.mcp_lines import request

Message = dict[str, Any]
PUBLISH = "textDocument/publishDiagnostics"
FORWARDER = """
import os, sys, threading
from boruna_ls.rendezvous import start, wire

def passed_on():
    while data := os.read(0, 1 << 16):
        connection.sendall(data)

said = os.read(0, 1 << 16)
connection, secret = start.connect(sys.argv[1], "lsp")
connection.sendall(wire.hello("lsp", secret, resumed=True) + said)
threading.Thread(target=passed_on, daemon=True).start()
received = b""
while b"\\n" not in received:
    received += connection.recv(1 << 16)
received = received.partition(b"\\n")[2]
while received or (received := connection.recv(1 << 16)):
    os.write(1, received)
    received = b""
"""
"""Passes on what it is given, and what the daemon says to the editor and to forwarders."""


def params(folder: Path, **capabilities: Any) -> Message:
    """Parameters of an editor's `initialize`."""
    options = {"processId": None, "initializationOptions": OPTIONS}
    return {"capabilities": capabilities, **options, "rootUri": folder.as_uri()}


def opened(path: Path, text: str, touched: int) -> Message:
    """A document, as a forwarder opens it again."""
    document = {"uri": path.as_uri(), "languageId": "ax", "version": 7, "text": text}
    return {"method": "textDocument/didOpen", "params": {"textDocument": document, TOUCHED: touched}}


@contextmanager
def fresh(place: Path, folder: Path, said: list[Message], **capabilities: Any) -> Iterator[RawClient]:
    """The connection to a daemon that greets such an editor and is not loaded, once everything was said to it."""
    with editor(folder) as earlier:
        earlier.call("initialize", params(folder, **capabilities))
    stopped(place)
    first: list[Message] = [{"id": "first", "method": "initialize", "params": params(folder, **capabilities)}]
    first += [{"method": "initialized", "params": {}}]
    with RawClient(folder, [sys.executable, "-c", FORWARDER, str(place)]) as client:
        client.send_bytes(b"".join(framed(json.dumps({"jsonrpc": "2.0", **one}).encode()) for one in first + said))
        assert client.receive()["id"] == "first"
        yield client


def before_it_serves(client: RawClient) -> list[Message]:
    """Messages from the daemon while it loads the server."""
    found = [client.receive()]
    while found[-1].get("method") != SERVES:
        found.append(client.receive())
    return found[:-1]


def test_the_document_edited_last_is_checked_first_and_once(place: Path, tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.ax" for name in ("one", "last", "other")]
    for path in paths:
        path.write_text("fn main() -> Int { 1 }\n")
    texts = [f"fn main() -> Int {{\n    nobody_{number}\n}}\n" for number in range(3)]
    said = [opened(path, text, touched) for path, text, touched in zip(paths, texts, (1, 3, 2), strict=True)]
    last = paths[1].as_uri()
    said.append({"id": "then", "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": paths[2].as_uri()}}})
    with fresh(place, tmp_path, said) as client:
        seen = before_it_serves(client)
        assert [(one["method"], one["params"]["uri"], one["params"]["version"]) for one in seen] == [(PUBLISH, last, 7)]
        assert "nobody_1" in seen[0]["params"]["diagnostics"][0]["message"]
        while len(seen) < 4:
            seen.append(client.receive())
        uris = sorted(one["params"]["uri"] for one in seen if one.get("method") == PUBLISH)
        assert uris == sorted(path.as_uri() for path in paths)
        # Everything is as if the server had seen it alone: edits, what agents see, the end.
        client.change(last, 8, {"text": "fn main() -> Int { nobody_4 }\n"})
        assert "nobody_4" in client.published(last, 8)[0]["message"]
        agent = Agent(tmp_path).open()
        answer = agent.ask(request(1, "resources/read", {"uri": f"boruna://file/{paths[1].name}"}))
        assert "nobody_4" in answer["result"]["contents"][0]["text"]
        client.notify("textDocument/didClose", {"textDocument": {"uri": last}})
        assert client.receive()["params"] == {"uri": last, "diagnostics": []}
        answer = agent.ask(request(2, "resources/read", {"uri": f"boruna://file/{paths[1].name}"}))
        assert "{ 1 }" in answer["result"]["contents"][0]["text"]
        agent.leave()


@pytest.mark.parametrize(
    "unusual",
    [
        lambda uri: {"method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}},
        lambda uri: {"method": "workspace/didChangeWorkspaceFolders", "params": {"event": {"added": [], "removed": []}}},
    ],
    ids=["closed", "folders"],
)
def test_what_is_unusual_is_left_to_the_server(place: Path, tmp_path: Path, unusual: Callable[[str], Message]) -> None:
    path = tmp_path / "one.ax"
    with fresh(place, tmp_path, [opened(path, "fn main() -> Int { nobody }\n", 1), unusual(path.as_uri())]) as client:
        assert before_it_serves(client) == []
        client.open(path.as_uri(), "fn main() -> Int { somebody }\n", 9)
        assert "somebody" in client.published(path.as_uri(), 9)[0]["message"]


def test_an_editor_that_asks_for_diagnostics_is_sent_none(place: Path, tmp_path: Path) -> None:
    path = tmp_path / "one.ax"
    said = [opened(path, "fn main() -> Int { nobody }\n", 1)]
    with fresh(place, tmp_path, said, textDocument={"diagnostic": {}}) as client:
        assert before_it_serves(client) == []
        report = client.call("textDocument/diagnostic", {"textDocument": {"uri": path.as_uri()}})
        assert "nobody" in report["items"][0]["message"]


def test_an_editor_that_asks_has_its_answer_first_and_once(place: Path, tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.ax" for name in ("one", "last", "other")]
    said = [
        opened(path, f"fn main() -> Int {{ nobody_{path.stem} }}\n", touched)
        for path, touched in zip(paths, (1, 3, 2), strict=True)
    ]
    said += [{"id": f"of {path.stem}", **asked(path)} for path in paths[:2]]
    with fresh(place, tmp_path, said, textDocument={"diagnostic": {}}) as client:
        (first,) = before_it_serves(client)
        assert first["id"] == "of last"
        assert "nobody_last" in first["result"]["items"][0]["message"]
        assert "nobody_one" in client.receive()["result"]["items"][0]["message"]
        # The server says the same of it, and has the document.
        again = {"previousResultId": first["result"]["resultId"], **asked(paths[1])["params"]}
        assert client.call("textDocument/diagnostic", again) == {"kind": "unchanged", "resultId": first["result"]["resultId"]}
        client.change(paths[1].as_uri(), 8, {"text": "fn main() -> Int { 1 }\n"})
        assert client.call("textDocument/diagnostic", again)["items"] == []


def test_who_types_on_while_the_server_is_loaded_is_answered_before(place: Path, tmp_path: Path) -> None:
    path = tmp_path / "one.ax"
    uri = path.as_uri()
    with fresh(place, tmp_path, [opened(path, "fn main() -> Int { nobody_0 }\n", 1)]) as client:
        assert client.published(uri, 7)
        for version, letter in ((8, "a"), (9, "b")):
            client.change(uri, version, edit((0, 26), (0, 27), letter))
            seen = client.receive()
            assert (seen["method"], seen["params"]["version"]) == (PUBLISH, version), "the server was loaded before"
            assert f"nobody_{letter}" in seen["params"]["diagnostics"][0]["message"]
        # The server has the text of now and says nothing twice.
        assert before_it_serves(client) == []
        client.change(uri, 10, edit((0, 19), (0, 20), "N"))
        message = client.receive()
        assert message["params"]["version"] == 10
        assert "Nobody_b" in message["params"]["diagnostics"][0]["message"]
        agent = Agent(tmp_path).open()
        answer = agent.ask(request(1, "resources/read", {"uri": f"boruna://file/{path.name}"}))
        assert answer["result"]["contents"][0]["text"] == "fn main() -> Int { Nobody_b }\n"
        agent.leave()


def test_another_document_can_be_edited_while_the_server_is_loaded(place: Path, tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.ax" for name in ("last", "other")]
    said = [opened(path, "fn main() -> Int { nobody_0 }\n", touched) for path, touched in zip(paths, (2, 1), strict=True)]
    with fresh(place, tmp_path, said) as client:
        assert client.published(paths[0].as_uri(), 7)
        for version, path in ((8, paths[1]), (9, paths[0])):
            client.change(path.as_uri(), version, edit((0, 26), (0, 27), "a"))
            seen = client.receive()
            assert (seen["method"], seen["params"]["uri"]) == (PUBLISH, path.as_uri()), "the server was loaded before"
            assert "nobody_a" in seen["params"]["diagnostics"][0]["message"]
        assert before_it_serves(client) == []
        client.change(paths[1].as_uri(), 10, edit((0, 19), (0, 20), "N"))
        message = client.receive()
        assert (message["params"]["uri"], message["params"]["version"]) == (paths[1].as_uri(), 10)
        assert "Nobody_a" in message["params"]["diagnostics"][0]["message"]


def test_who_asks_while_the_server_is_loaded_is_answered_before(place: Path, tmp_path: Path) -> None:
    path = tmp_path / "one.ax"
    said = [opened(path, "fn main() -> Int { nobody_0 }\n", 1), {"id": "first one", **asked(path)}]
    with fresh(place, tmp_path, said, textDocument={"diagnostic": {}}) as client:
        assert client.receive()["id"] == "first one"
        for version, letter in ((8, "a"), (9, "b")):
            client.change(path.as_uri(), version, edit((0, 26), (0, 27), letter))
            assert f"nobody_{letter}" in client.call("textDocument/diagnostic", asked(path)["params"])["items"][0]["message"]
        assert before_it_serves(client) == []
        assert "nobody_b" in client.call("textDocument/diagnostic", asked(path)["params"])["items"][0]["message"]


def test_an_edit_behind_a_request_about_the_document_is_left_to_the_server(place: Path, tmp_path: Path) -> None:
    path = tmp_path / "one.ax"
    uri = path.as_uri()
    with fresh(place, tmp_path, [opened(path, "fn main() -> Int { nobody_0 }\n", 1)]) as client:
        assert client.published(uri, 7)
        symbols = {"id": "symbols", "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": uri}}}
        client.send_bytes(framed(json.dumps({"jsonrpc": "2.0", **symbols}).encode()))
        client.change(uri, 8, edit((0, 26), (0, 27), "a"))
        assert before_it_serves(client) == []
        seen = [client.receive(), client.receive()]
        assert {one.get("id", one.get("method")) for one in seen} == {"symbols", PUBLISH}
        (shown,) = (one["params"] for one in seen if one.get("method") == PUBLISH)
        assert (shown["version"], "nobody_a" in shown["diagnostics"][0]["message"]) == (8, True)


@pytest.mark.parametrize("unusual", ["changed", "cancelled", "related"])
def test_a_request_whose_answer_is_not_certain_is_left_to_the_server(place: Path, tmp_path: Path, unusual: str) -> None:
    path = tmp_path / "one.ax"
    text = 'import "std-list"\nfn main() -> Int { nobody }\n' if unusual == "related" else "fn main() -> Int { nobody }\n"
    said = [opened(path, text, 1), {"id": "asked", **asked(path)}]
    document = {"uri": path.as_uri(), "version": 8}
    if unusual == "changed":
        changes = [{"text": "fn main() -> Int { somebody }\n"}]
        said.append({"method": "textDocument/didChange", "params": {"textDocument": document, "contentChanges": changes}})
    if unusual == "cancelled":
        said.append({"method": "$/cancelRequest", "params": {"id": "asked"}})
    with fresh(place, tmp_path, said, textDocument={"diagnostic": {"relatedDocumentSupport": unusual == "related"}}) as client:
        assert before_it_serves(client) == []
        answer = client.receive()
        assert answer["id"] == "asked"
        assert ("error" in answer) == (unusual != "related")


def asked(path: Path) -> Message:
    return {"method": "textDocument/diagnostic", "params": {"textDocument": {"uri": path.as_uri()}}}


def test_no_library_of_the_protocol_is_loaded_for_them() -> None:
    script = "import sys, boruna_ls.lsp.first_diagnostics; print([name for name in sys.argv[1:] if name in sys.modules])"
    slow = ["lsprotocol", "pygls", "attr", "cattrs", "mcp", "pydantic"]
    done = subprocess.run([sys.executable, "-c", script, *slow], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
