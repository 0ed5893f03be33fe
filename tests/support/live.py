"""Editors and agents behind forwarders, for tests of several clients at once: what each has open, and what it was told."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.support.commands import command
from tests.support.lsp import RawClient
from tests.support.mcp_lines import LineServer, call, request


class Editor(RawClient):
    """A language client that keeps what it has open and what was published; one that `pulls` is published nothing."""

    def __init__(self, folder: Path, pulls: bool = False) -> None:
        super().__init__(folder, [command("boruna-ls"), "lsp"])
        self.texts: dict[Path, str] = {}
        self.shown: dict[Path, list[dict[str, Any]]] = {}
        self._versions = itertools.count(1)
        self._by_uri: dict[str, Path] = {}
        document: dict[str, Any] = {"diagnostic": {}} if pulls else {}
        self.initialize(
            {"general": {"positionEncodings": ["utf-8"]}, "textDocument": document},
            rootUri=folder.as_uri(),
            workspaceFolders=[{"uri": folder.as_uri(), "name": folder.name}],
        )

    def receive(self, patience: float = 60.0) -> dict[str, Any]:
        message = super().receive(patience)
        if message.get("method") == "textDocument/publishDiagnostics":
            path = self._by_uri.get(message["params"]["uri"])
            if path is not None:
                self.shown[path] = message["params"]["diagnostics"]
        elif "method" in message and "id" in message:
            self.frame(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": None}).encode())
        return message

    def show(self, path: Path, text: str) -> None:
        """Opens a file with a text."""
        self.texts[path] = text
        self._by_uri[path.as_uri()] = path
        self.open(path.as_uri(), text, next(self._versions))

    def type(self, path: Path, start: int, end: int, new: str) -> None:
        """Replaces a part of an open file, by offsets in code points; neither may lie between CR and LF."""
        text = self.texts[path]
        span = {"start": _position(text, start), "end": _position(text, end)}
        self.texts[path] = text[:start] + new + text[end:]
        self.change(path.as_uri(), next(self._versions), {"range": span, "text": new})

    def replace(self, path: Path, text: str) -> int:
        """Gives an open file another text; its version."""
        self.texts[path] = text
        version = next(self._versions)
        self.change(path.as_uri(), version, {"text": text})
        return version

    def await_diagnostics(self, path: Path, version: int) -> None:
        """Returns when the diagnostics of a version of a file, or of a later one, were published."""
        while True:
            params = self.receive().get("params") or {}
            if params.get("uri") == path.as_uri() and params.get("version", 0) >= version:
                return

    def save(self, path: Path) -> None:
        """Writes an open file to the disk."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.texts[path].encode("utf-8"))
        self.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})

    def shut(self, path: Path) -> None:
        """Closes a file without saving it."""
        del self.texts[path]
        self.shown.pop(path, None)
        self._by_uri.pop(path.as_uri())
        self.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})

    def settle(self) -> None:
        """Returns when the server has taken everything that was sent."""
        assert self.is_alive()

    def pull(self, path: Path) -> list[dict[str, Any]]:
        """The diagnostics of a file, asked for."""
        report = self.call("textDocument/diagnostic", {"textDocument": {"uri": path.as_uri()}})
        items: list[dict[str, Any]] = report["items"]
        return items


class Agent(LineServer):
    """An MCP client in a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__("mcp", program="boruna-ls", cwd=str(folder))
        self._ids = itertools.count(1)
        self.open()

    def tool(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Answer of a tool; a refusal is an AssertionError."""
        result = self.answer(self.begin(name, **arguments))
        assert not result.get("isError"), result
        return dict(result["structuredContent"])

    def begin(self, name: str, **arguments: Any) -> int:
        """Calls a tool without waiting; the number of the call."""
        number = next(self._ids)
        self.send(call(number, name, **arguments))
        return number

    def answer(self, number: int) -> dict[str, Any]:
        """The result of a request that waits; what comes in between is passed over."""
        while True:
            message = self.receive(60)
            if message.get("id") == number and "method" not in message:
                assert "error" not in message, message
                return dict(message["result"])

    def resource(self, kind: str, path: Path) -> str:
        """The text of `boruna://KIND/PATH`."""
        number = next(self._ids)
        self.send(request(number, "resources/read", {"uri": f"boruna://{kind}/{quote(str(path), safe='/')}"}))
        return str(self.answer(number)["contents"][0]["text"])

    def everything(self, **arguments: Any) -> tuple[dict[str, list[dict[str, Any]]], dict[str, int]]:
        """`workspace_diagnostics` of all severities, every page of it: diagnostics by path, and how many files were checked."""
        arguments = {"severity": "hint", **arguments}
        answer = self.tool("workspace_diagnostics", **arguments)
        files = list(answer["files"])
        while cursor := answer.get("next_cursor"):
            answer = self.tool("workspace_diagnostics", cursor=cursor, **arguments)
            files += answer["files"]
        return {one["file"]: one["diagnostics"] for one in files}, answer["freshness"]["coverage"]


def _position(text: str, offset: int) -> dict[str, int]:
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    ends = text.count("\n", 0, start) + text.count("\r", 0, start) - text.count("\r\n", 0, start)
    return {"line": ends, "character": len(text[start:offset].encode())}
