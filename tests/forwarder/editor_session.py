"""An editor, a forwarder's memory and daemons that end at any byte, put together without processes.

The daemons read with the parts that the real one reads with (frames, texts); what they must never see is asserted where
they would see it.
"""

from __future__ import annotations

import json
from typing import Any

from analysis.text.source import Encoding, Source
from boruna_ls.forwarder.lsp_memory import LspMemory
from boruna_ls.wire.frames import Frames, framed
from tests.forwarder.client_session import ClientSession

CONTENT_MODIFIED = -32801


class EditorDaemon:
    """Holds documents, answers each request with the text that it is about, registers something, shows progress."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        self.documents: dict[str, tuple[Source, Any]] = {}
        self.folders: list[str] = []
        self.settings: Any = None
        self.commands = 0
        self.output = b""
        self._parser = Frames()
        self._asked: set[Any] = set()
        self._is_initialized = False
        self._later: list[Any] = []

    def take(self, data: bytes) -> None:
        for piece in self._parser.feed(data):
            assert piece.body is not None, piece.reason
            self._dispatch(json.loads(piece.body))

    def answer_later(self) -> None:
        """Answers what it has put off."""
        later, self._later = self._later, []
        for id_ in later:
            self._say({"id": id_, "result": "late"})

    def _dispatch(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method is None:
            assert message["id"] in self._asked, "an answer that nobody has asked for"
            self._asked.discard(message["id"])
            return
        assert self._is_initialized or method == "initialize", "the session has not begun"
        if "id" in message:
            self._request(message["id"], method, params)
        elif method == "initialized":
            for number, name in ((1, "client/registerCapability"), (2, "window/workDoneProgress/create")):
                self._asked.add(number)
                registration = {"registrations": [{"id": "watch", "method": "x"}]} if number == 1 else {"token": "t"}
                self._say({"id": number, "method": name, "params": registration})
            self._say({"method": "$/progress", "params": {"token": "t", "value": {"kind": "begin"}}})
        elif method == "textDocument/didOpen":
            given = params["textDocument"]
            self.documents[given["uri"]] = Source.from_text(given["text"]), given["version"]
            self._publish(given["uri"])
        elif method == "textDocument/didChange":
            uri = params["textDocument"]["uri"]
            source, _ = self.documents[uri]
            for change in params["contentChanges"]:
                source = changed(source, change, self.encoding)
            self.documents[uri] = source, params["textDocument"]["version"]
            self._publish(uri)
        elif method == "textDocument/didClose":
            del self.documents[params["textDocument"]["uri"]]
        elif method == "workspace/didChangeWorkspaceFolders":
            gone = [each["uri"] for each in params["event"]["removed"]]
            assert set(gone) <= set(self.folders)
            self.folders = [each for each in self.folders if each not in gone]
            self.folders += [each["uri"] for each in params["event"]["added"]]
        elif method == "workspace/didChangeConfiguration":
            self.settings = params["settings"]

    def _request(self, id_: Any, method: str, params: Any) -> None:
        if method == "initialize":
            assert not self._is_initialized
            self._is_initialized = True
            self.folders = [each["uri"] for each in params["workspaceFolders"]]
            self._say({"id": id_, "result": {"capabilities": {"positionEncoding": self.encoding}}})
        elif method == "workspace/executeCommand":
            self.commands += 1
            self._later.append(id_)
        else:
            source, version = self.documents[params["textDocument"]["uri"]]
            self._say({"id": id_, "result": {"text": source.text, "version": version}})

    def _publish(self, uri: str) -> None:
        source, version = self.documents[uri]
        params = {"uri": uri, "version": version, "diagnostics": [source.text]}
        self._say({"method": "textDocument/publishDiagnostics", "params": params})

    def _say(self, message: dict[str, Any]) -> None:
        self.output += framed(json.dumps({"jsonrpc": "2.0", **message}).encode())


def changed(source: Source, change: dict[str, Any], encoding: str) -> Source:
    """A text after a change, as `lsp/session.py` makes it."""
    if "range" not in change:
        return Source.from_text(change["text"])
    ends = [change["range"][end] for end in ("start", "end")]
    start, end = sorted(source.lsp_offset(each["line"], each["character"], Encoding(encoding)) for each in ends)
    return source.edited(start, end, change["text"])


class EditorSession(ClientSession[EditorDaemon]):
    """The editor's side: what it has sent, and what it may rightly expect."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        self.memory = LspMemory()
        self.documents: dict[str, tuple[Source, int]] = {}
        self.folders = ["file:///first"]
        self.settings: Any = None
        self.owed: dict[Any, Any] = {}
        self.given: list[Any] = []
        self.commands = 0
        self.shown: dict[str, Any] = {}
        self.registered: set[str] = set()
        self.progress: set[str] = set()
        self.questions: list[Any] = []
        self.lost_requests: set[Any] = set()
        self._parser = Frames()
        self._id = 0
        self.begin()

    def begin(self) -> None:
        self.revive()
        self.ask("initialize", {"capabilities": {}, "workspaceFolders": [{"uri": each, "name": ""} for each in self.folders]})
        self.deliver()
        self.tell("initialized", {})

    # ---- what the editor does ------------------------------------------------------------------------------------

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> int:
        self._id += 1
        uri = (params.get("textDocument") or {}).get("uri")
        self.owed[self._id] = (method, self.documents[uri][0].text if uri else None)
        self._send({"id": self._id, "method": method, "params": params})
        return self._id

    def open(self, uri: str, text: str) -> None:
        self.documents[uri] = Source.from_text(text), 1
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "boruna", "version": 1, "text": text}})

    def change(self, uri: str, changes: list[dict[str, Any]]) -> None:
        source, version = self.documents[uri]
        for change in changes:
            source = changed(source, change, self.encoding)
        self.documents[uri] = source, version + 1
        given = {"uri": uri, "version": version + 1}
        self.tell("textDocument/didChange", {"textDocument": given, "contentChanges": changes})

    def close(self, uri: str) -> None:
        del self.documents[uri]
        self.tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    def answer_question(self) -> None:
        """The editor gets round to what a daemon has asked."""
        if self.questions:
            self._send({"id": self.questions.pop(0), "result": None})

    def _send(self, message: dict[str, Any]) -> None:
        self.memory.from_client(framed(json.dumps({"jsonrpc": "2.0", **message}).encode()))

    # ---- what happens between -------------------------------------------------------------------------------------

    def made(self) -> EditorDaemon:
        return EditorDaemon(self.encoding)

    def remember(self, daemon: EditorDaemon) -> None:
        self.commands += daemon.commands

    def read(self) -> None:
        data, self.memory.to_client[:] = bytes(self.memory.to_client), b""
        for piece in self._parser.feed(data):
            assert piece.body is not None
            self._receive(json.loads(piece.body))

    def _receive(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method is None:
            expected = self.owed.pop(message["id"])
            self.given.append((*expected, message))
        elif "id" in message:
            assert message["id"] not in self.questions, "two questions with one id"
            self.questions.append(message["id"])
            if method == "client/registerCapability":
                for each in params["registrations"]:
                    assert each["id"] not in self.registered, "registered twice"
                    self.registered.add(each["id"])
            elif method == "client/unregisterCapability":
                for each in params["unregisterations"]:
                    self.registered.remove(each["id"])
        elif method == "textDocument/publishDiagnostics":
            self.shown[params["uri"]] = params["diagnostics"]
        elif method == "$/progress":
            (self.progress.add if params["value"]["kind"] == "begin" else self.progress.discard)(params["token"])
