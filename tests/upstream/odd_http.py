"""A server of the 2025 protocol over HTTP on a thread of this process, hostile in the way that its mode names."""

from __future__ import annotations

import contextlib
import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ADD = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]}
NOTE = b'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n'
FLOODS = {"flood": NOTE * 50, "comments": b": x\n" * 50, "events": b"event: \x1b[31m\r\ndata: 1\r\n\r\n" * 50}
LONG = 3_900_000


class OddHttp:
    """The server; `asked` are the methods of the messages that it got."""

    def __init__(self) -> None:
        self.mode = ""
        self.asked: list[str] = []
        self.sent = 0
        self.release = threading.Event()

    def listing(self, cursor: str) -> dict[str, Any]:
        """A page of tools."""
        add = [{"name": "add", "inputSchema": ADD}]
        if self.mode == "same page":
            return {"tools": add, "nextCursor": "again"}
        if self.mode != "pages":
            return {"tools": add}
        number = int(cursor or 0)
        tool = {"name": f"t{number}", "description": "d" * LONG, "inputSchema": ADD}
        return {"tools": [tool, *(add if not number else [])], "nextCursor": str(number + 1)}

    def answer(self, handler: Handler, message: dict[str, Any]) -> None:
        """The answer of a call."""
        text = {"content": [{"type": "text", "text": "5"}]}
        match self.mode:
            case "bomb":
                body = gzip.compress(json.dumps(result(message, text)).encode() + b" " * (20 << 20))
                handler.reply(body, {"Content-Encoding": "gzip"})
            case "error":
                error = {"code": -32000, "message": "issue 5 is closed"}
                handler.reply_json({"jsonrpc": "2.0", "id": message["id"], "error": error})
            case "same words":
                error = {"code": -32000, "message": "Connection closed"}
                handler.reply_json({"jsonrpc": "2.0", "id": message["id"], "error": error})
            case "garbage":
                handler.reply(b"<html>\x1b[31mnot this")
            case "flood" | "comments" | "events":
                with contextlib.suppress(OSError):
                    handler.begin_stream()
                    while True:
                        handler.chunk(FLOODS[self.mode])
                        self.sent += 50
            case _:
                handler.reply_json(result(message, text))


def result(message: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """The response to a request."""
    return {"jsonrpc": "2.0", "id": message["id"], "result": value}


class Handler(BaseHTTPRequestHandler):
    """Requests of one connection."""

    protocol_version = "HTTP/1.1"
    odd: OddHttp

    def log_message(self, format: str, *arguments: Any) -> None:
        """Prints nothing."""

    def reply(self, body: bytes, headers: dict[str, str] | None = None, status: int = 200) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def reply_json(self, value: dict[str, Any]) -> None:
        self.reply(json.dumps(value).encode())

    def begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))

    def do_GET(self) -> None:
        self.reply(b"", status=405)

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        method = message["method"]
        self.odd.asked.append(method)
        if "id" not in message:
            if method == "notifications/cancelled" and self.odd.mode == "silent then gone":
                # Ends the connection without an answer.
                self.close_connection = True
                return
            self.reply(b"", status=202)
        elif method == "initialize":
            info = {"name": "odd", "version": "1"}
            told = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
            self.reply_json(result(message, told))
        elif method == "tools/list":
            self.reply_json(result(message, self.odd.listing(message.get("params", {}).get("cursor") or "")))
        elif method == "tools/call" and self.odd.mode.startswith("silent"):
            self.odd.release.wait(10)
        elif method == "tools/call":
            self.odd.answer(self, message)
        else:
            self.reply_json({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no such method"}})


@contextlib.contextmanager
def served() -> Iterator[tuple[OddHttp, str]]:
    """The server and its URL."""
    odd = OddHttp()
    handler = type("OddHandler", (Handler,), {"odd": odd})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield odd, f"http://127.0.0.1:{server.server_port}/mcp"
    finally:
        odd.release.set()
        server.shutdown()
        server.server_close()
        thread.join()
