"""Random messages to real language servers: every request is answered, and a well-formed one is answered right to the end."""

from __future__ import annotations

import json
import time
from random import Random
from typing import Any, Final

from tests.fuzz.cases import any_text
from tests.fuzz.messages import no_message, request_id, spoilt, value
from tests.fuzz.running import SECONDS
from tests.support.lsp import ALONE, NoAnswer, RawClient, edit

_URI: Final = "file:///fuzz/a.ax"
_POSITION: Final = {"textDocument": {"uri": _URI}, "position": {"line": 1, "character": 4}}
_RANGE: Final = {"start": {"line": 0, "character": 0}, "end": {"line": 3, "character": 1}}
_REQUESTS: Final[dict[str, Any]] = {
    "textDocument/hover": _POSITION,
    "textDocument/definition": _POSITION,
    "textDocument/documentHighlight": _POSITION,
    "textDocument/references": {**_POSITION, "context": {"includeDeclaration": True}},
    "textDocument/prepareRename": _POSITION,
    "textDocument/rename": {**_POSITION, "newName": "fresh"},
    "textDocument/documentSymbol": {"textDocument": {"uri": _URI}},
    "textDocument/foldingRange": {"textDocument": {"uri": _URI}},
    "textDocument/selectionRange": {"textDocument": {"uri": _URI}, "positions": [{"line": 0, "character": 3}]},
    "textDocument/semanticTokens/full": {"textDocument": {"uri": _URI}},
    "textDocument/semanticTokens/range": {"textDocument": {"uri": _URI}, "range": _RANGE},
    "textDocument/formatting": {"textDocument": {"uri": _URI}, "options": {"tabSize": 4, "insertSpaces": True}},
    "textDocument/codeAction": {"textDocument": {"uri": _URI}, "range": _RANGE, "context": {"diagnostics": []}},
    "textDocument/diagnostic": {"textDocument": {"uri": _URI}},
    "workspace/diagnostic": {"previousResultIds": []},
    "workspace/executeCommand": {"command": "x", "arguments": []},
    "initialize": {"processId": None, "rootUri": None, "capabilities": {}},
    "no/suchMethod": {},
    "$/unknown": {},
}
_NOTIFICATIONS: Final[dict[str, Any]] = {
    "textDocument/didOpen": {"textDocument": {"uri": _URI, "languageId": "ax", "version": 1, "text": "fn f() {}\n"}},
    "textDocument/didChange": {"textDocument": {"uri": _URI, "version": 2}, "contentChanges": [{"text": "fn g() {\n"}]},
    "textDocument/didSave": {"textDocument": {"uri": _URI}},
    "textDocument/didClose": {"textDocument": {"uri": _URI}},
    "workspace/didChangeConfiguration": {"settings": {}},
    "workspace/didChangeWatchedFiles": {"changes": [{"uri": _URI, "type": 2}]},
    "workspace/didChangeWorkspaceFolders": {"event": {"added": [], "removed": []}},
    "$/cancelRequest": {"id": 1},
    "$/setTrace": {"value": "off"},
    "window/workDoneProgress/cancel": {"token": 1},
    "initialized": {},
    "no/suchNotification": {},
}


def test_every_request_is_answered_whatever_its_params(seed: int) -> None:
    def talk(client: RawClient, chosen: Random) -> None:
        waiting: dict[str, Any] = {}
        for number in range(1, 150):
            _send_random(client, chosen, number, waiting)
        while waiting:
            try:
                message = client.receive()
            except NoAnswer as error:
                raise AssertionError(f"no answer to {list(waiting.values())}") from error
            if "method" not in message:
                waiting.pop(json.dumps(message.get("id")), None)

    _sessions(seed, "lsp-requests", talk)


def _send_random(client: RawClient, chosen: Random, number: int, waiting: dict[str, Any]) -> None:
    kind = chosen.randrange(10)
    if kind == 0:
        client.frame(no_message(chosen))
    elif kind <= 4:
        method = chosen.choice(sorted(_NOTIFICATIONS))
        client.notify(method, _params(_NOTIFICATIONS[method], chosen))
    elif kind == 5:
        changes = [_wild_edit(chosen) for _ in range(chosen.randrange(1, 4))]
        client.change(_URI, chosen.randrange(100), *changes)
    else:
        method = chosen.choice(sorted(_REQUESTS))
        id_ = request_id(chosen, number)
        message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": _params(_REQUESTS[method], chosen)}
        waiting[json.dumps(id_)] = message
        client.frame(json.dumps(message).encode())


def _params(valid: Any, chosen: Random) -> Any:
    match chosen.randrange(4):
        case 0:
            return value(chosen)
        case 1:
            return valid
        case _:
            return spoilt(valid, chosen)


def _wild_edit(chosen: Random) -> dict[str, Any]:
    def place() -> tuple[int, int]:
        return chosen.choice((0, 1, 3, 1_000, 2**31 - 1)), chosen.choice((0, 1, 5, 1_000, 2**31 - 1))

    return edit(place(), place(), any_text(chosen)) if chosen.random() < 0.8 else {"text": any_text(chosen)}


def test_frames_are_found_again_behind_anything(seed: int) -> None:
    def talk(client: RawClient, chosen: Random) -> None:
        for _ in range(60):
            body = json.dumps({"jsonrpc": "2.0", "method": "no/suchNotification", "params": value(chosen)}).encode()
            match chosen.randrange(6):
                case 0:
                    client.send_bytes(chosen.randbytes(chosen.randrange(200)))
                case 1:
                    wrong = max(0, len(body) + chosen.choice((-20, -1, 1, 20, 300)))
                    client.send_bytes(b"Content-Length: %d\r\n\r\n%b" % (wrong, body))
                case 2:
                    client.send_bytes(
                        chosen.choice((b"\r\n\r\n", b"\n", b"Content-Length: x\r\n\r\n", b"Content-Type: a\r\n\r\n"))
                    )
                case 3:
                    client.send_bytes(b"content-length:%d\r\nContent-Type: text\r\n\r\n%b" % (len(body), body))
                case 4:
                    client.send_bytes(body)
                case _:
                    client.frame(body)

    _sessions(seed, "lsp-frames", talk)


def test_life_cycle_in_any_order(seed: int) -> None:
    chosen = Random(f"{seed}/lsp-life")
    deadline = time.monotonic() + SECONDS / 2
    number = 0
    while time.monotonic() < deadline or number < 2:
        number += 1
        with RawClient(line=ALONE) as client:
            state = "new"
            for _ in range(20):
                state = _life_step(client, chosen, state)
            client.notify("exit")
            assert client.process.wait(20) == (0 if state == "down" else 1)


def _life_step(client: RawClient, chosen: Random, state: str) -> str:
    refusal = {"new": -32002, "down": -32600}.get(state)
    match chosen.choice(("initialize", "bad initialize", "initialized", "hover", "unknown", "open", "shutdown", "response")):
        case "initialize":
            answer = client.answer(client.ask("initialize", _REQUESTS["initialize"]))
            assert ("result" in answer) == (state == "new")
            return "up" if state == "new" else state
        case "bad initialize":
            assert client.refused("initialize", {"capabilities": 5}) == (-32602 if state == "new" else -32600)
        case "initialized":
            client.notify("initialized", {})
        case "open":
            client.open(_URI, "fn f() {\n")
        case "response":
            client.frame(b'{"jsonrpc":"2.0","id":77,"result":null}')
        case "hover":
            answer = client.answer(client.ask("textDocument/hover", _POSITION))
            assert answer.get("error", {}).get("code") == refusal
        case "unknown":
            assert client.refused("no/suchMethod") == (refusal or -32601)
        case "shutdown" if chosen.random() < 0.3:
            answer = client.answer(client.ask("shutdown"))
            assert answer.get("error", {}).get("code") == refusal
            return "down" if state == "up" else state
    return state


def _sessions(seed: int, name: str, talk: Any) -> None:
    deadline = time.monotonic() + SECONDS
    number = 0
    while time.monotonic() < deadline or not number:
        key = f"{seed}/{name}/{number}"
        number += 1
        with RawClient(line=ALONE) as client:
            try:
                client.initialize()
                talk(client, Random(key))
                _answers_rightly(client)
            except (AssertionError, NoAnswer, BrokenPipeError) as error:
                raise AssertionError(f"{key}: {error!r}; stderr: {client.errors()}") from error


def _answers_rightly(client: RawClient) -> None:
    """A document is opened and its diagnostics and symbols are those of its text; asked again where bytes swallowed it."""
    for attempt in range(12):
        uri = f"file:///fuzz/last{attempt}.ax"
        client.open(uri, "fn main() -> Int {\n    missing\n}\n")
        try:
            symbols = client.answer(
                client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}}), patience=1.5 + attempt
            )
        except NoAnswer:
            continue
        if symbols.get("result"):
            break
    assert [symbol["name"] for symbol in symbols["result"]] == ["main"]
    uri = "file:///fuzz/verylast.ax"
    client.open(uri, "fn main() -> Int {\n    missing\n}\n")
    found = client.published(uri)
    assert [(row["code"], row["range"]["start"]) for row in found] == [("E003", {"line": 1, "character": 4})]
