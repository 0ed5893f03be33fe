"""The state of an editor's session that a new daemon needs, learnt from the bytes that pass. Pure: bytes in, bytes out.

A fresh daemon gets the editor's own `initialize`, its settings and folders, each open document as it is now, and the
requests that are owed. The editor is only notified that progress has ended and that registrations are removed.
"""

from __future__ import annotations

import json
import re
import time

from boruna_ls.forwarder.documents import Document, key_of
from boruna_ls.forwarder.memory import MOST_DEATHS, Id, Memory, Request, head_of, is_id, parsed
from boruna_ls.rendezvous.wire import SERVES, TOUCHED
from boruna_ls.wire.frames import Frames, Piece, framed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CONTENT_MODIFIED = -32801
REQUEST_CANCELLED = -32800
REQUEST_FAILED = -32803
INVALID_REQUEST = -32600
_PUBLISHED = re.compile(
    rb'\{"jsonrpc": ?"2\.0", ?"method": ?"textDocument/publishDiagnostics", ?"params": ?'
    rb'\{"uri": ?("(?:[^"\\]|\\.)*"), ?(?:"version": ?[0-9]+, ?)?"diagnostics": ?(\[\])?'
)
_FOLDERS = "workspace/didChangeWorkspaceFolders"
_PUBLISH = "textDocument/publishDiagnostics"
_KEPT = ("initialized", "$/setTrace", "workspace/didChangeConfiguration")
"""Notifications whose last one a fresh daemon must get."""


class LspMemory(Memory):
    """An editor's session."""

    def __init__(self) -> None:
        super().__init__(Frames(), Frames())
        self._initialize: Request | None = None
        self._encoding = ""
        self._kept: dict[str, bytes] = {}
        self._first_folders: dict[str, Any] = {}
        self._folders: dict[str, Any] = {}
        self._documents: dict[str, Document] = {}
        """By `key_of` their URI: an editor may spell it in several ways."""
        self._full: list[Document] = []
        self._edits = 0
        self._is_shut = False
        self._shown: set[str] = set()
        self._progress: dict[Any, None] = {}
        self._registered: dict[str, str] = {}

    def settle(self) -> None:
        super().settle()
        while self._full:
            self._full.pop().settle(self._encoding or "utf-16")

    def needs_daemon(self) -> bool:
        # A client that sends everything at once and closes still gets the server's capabilities.
        return (self.exit_status is None and not self._is_shut) or self._is_greeting()

    # ---- from the editor ----------------------------------------------------------------------------------------

    def _request(self, message: dict[str, Any], raw: bytes) -> None:
        request = self._owe(message, raw)
        if request is None:
            return
        if request.method == "initialize" and self._initialize is None:
            self._begin(request)
        elif self._is_shut and not self.is_connected:
            self._refuse(request.id, INVALID_REQUEST, "Invalid request: the server was shut down")
        elif request.method == "shutdown":
            self._is_shut = True
            if not self.is_connected:
                self._wind_up()
        document = request.params.get("textDocument")
        uri = document.get("uri") if isinstance(document, dict) else None
        if isinstance(uri, str) and (key := key_of(uri)) in self._documents:
            request.document, request.edited = key, self._documents[key].edited

    def _begin(self, request: Request) -> None:
        self._initialize, params = request, request.params
        process = params.get("processId")
        self.process = process if isinstance(process, int) and not isinstance(process, bool) else 0
        self._first_folders = _by_uri(params.get("workspaceFolders"))
        self._folders = dict(self._first_folders)

    def _notification(self, method: str, message: dict[str, Any], raw: bytes) -> None:
        given = message.get("params")
        params = given if isinstance(given, dict) else {}
        if method == "exit":
            self.exit_status = 0 if self._is_shut else 1
        elif method == "$/cancelRequest":
            self._cancel(params.get("id"))
        elif method in _KEPT:
            self._kept[method] = raw
        elif method == _FOLDERS:
            self._change_folders(params.get("event"))
        elif method.startswith("textDocument/did"):
            self._sync(method, params, len(raw))

    def _sync(self, method: str, params: dict[str, Any], size: int) -> None:
        """Opening, changing and closing; what the daemon ignores is ignored."""
        given = params.get("textDocument")
        uri = given.get("uri") if isinstance(given, dict) else None
        if not isinstance(given, dict) or not isinstance(uri, str):
            return
        uri = key_of(uri)
        if method == "textDocument/didOpen":
            if isinstance(given.get("text"), str):
                # The same one again takes the place of the older, and stands last.
                self._documents.pop(uri, None)
                self._documents[uri] = Document(given)
                self._edited(uri)
        elif method == "textDocument/didClose":
            self._documents.pop(uri, None)
        elif method == "textDocument/didChange":
            document, changes = self._documents.get(uri), params.get("contentChanges")
            if document is not None and isinstance(changes, list):
                document.change(changes, given.get("version"), size)
                self._edited(uri)
                if document.is_full():
                    self._full.append(document)

    def _edited(self, uri: str) -> None:
        """Another text: requests about the one before are not about this one, also if it was closed and opened meanwhile."""
        self._edits += 1
        self._documents[uri].edited = self._edits
        self._documents[uri].touched = time.monotonic_ns()

    def _change_folders(self, event: Any) -> None:
        if isinstance(event, dict):
            for uri in _by_uri(event.get("removed")):
                self._folders.pop(uri, None)
            self._folders |= _by_uri(event.get("added"))

    def _cancel(self, id_: Any) -> None:
        request = self._owed.get(id_) if is_id(id_) else None
        if request is not None:
            request.is_cancelled = True
            if not self.is_connected:
                self._refuse_cancelled(request)

    # ---- from the daemon ----------------------------------------------------------------------------------------

    def _passes(self, piece: Piece) -> bool:
        if (published := _PUBLISHED.match(piece.raw, piece.start)) is not None:
            self._publishes(published[1], bool(published[2]))
            return True
        body = piece.body or b""
        head = head_of(body)
        if head.method is None:
            return self._answers(head.id, body)
        message = head.message
        if message is None:
            return True
        if "id" in message:
            return self._requests(message)
        params = message.get("params")
        if head.method == SERVES:
            self.is_served = True
            return False
        if head.method == "$/progress" and isinstance(params, dict):
            self._note_progress(params)
        elif head.method == _PUBLISH and isinstance(params, dict) and isinstance(params.get("uri"), str):
            (self._shown.add if params.get("diagnostics") else self._shown.discard)(params["uri"])
        return True

    def _publishes(self, quoted: bytes, is_empty: bool) -> None:
        uri = json.loads(quoted)
        (self._shown.discard if is_empty else self._shown.add)(uri)

    def _answers(self, id_: Any, body: bytes) -> bool:
        if not is_id(id_):
            return True
        if isinstance(id_, str) and id_ in self._own:
            if self._own.pop(id_) == "initialize":
                self._greeted(body, is_again=True)
            return False
        request = self._owed.pop(id_, None)
        if request is not None and request is self._initialize:
            self._greeted(body, is_again=False)
        return True

    def _greeted(self, body: bytes, is_again: bool) -> None:
        """The answer to `initialize`: what was negotiated must stay what it is."""
        result = (parsed(body) or {}).get("result")
        if not isinstance(result, dict):
            if is_again:
                self.problem = "the new daemon refuses the session of this editor"
            else:
                self._initialize = None
            return
        capabilities = result.get("capabilities")
        chosen = capabilities.get("positionEncoding") if isinstance(capabilities, dict) else None
        encoding = chosen if chosen in ("utf-8", "utf-32") else "utf-16"
        if is_again and self._encoding and encoding != self._encoding:
            self.problem = "the new daemon counts positions in another way"
        self._encoding = encoding

    def _requests(self, message: dict[str, Any]) -> bool:
        params = message.get("params")
        if message["method"] in ("client/registerCapability", "client/unregisterCapability") and isinstance(params, dict):
            # The protocol has misspelt the second of the two names.
            for each in params.get("registrations") or params.get("unregisterations") or ():
                if message["method"] == "client/registerCapability":
                    self._registered[str(each.get("id"))] = str(each.get("method"))
                else:
                    self._registered.pop(str(each.get("id")), None)
        return self._asks(message)

    def _note_progress(self, params: dict[str, Any]) -> None:
        token, value = params.get("token"), params.get("value")
        if not is_id(token):
            return
        kind = value.get("kind") if isinstance(value, dict) else None
        if kind == "begin":
            self._progress[token] = None
        elif kind == "end":
            self._progress.pop(token, None)
        elif kind != "report":
            for request in self._owed.values():
                if request.params.get("partialResultToken") == token:
                    request.has_begun = True

    # ---- between two daemons --------------------------------------------------------------------------------------

    def lost(self) -> None:
        super().lost()
        for token in self._progress:
            self._tell("$/progress", {"token": token, "value": {"kind": "end"}})
        self._progress.clear()
        if self._is_shut:
            self._wind_up()

    def _is_greeting(self) -> bool:
        """True if the editor's `initialize` has no answer yet."""
        return self._initialize is not None and self._owed.get(self._initialize.id) is self._initialize

    def _wind_up(self) -> None:
        """There is no daemon, and an editor that was shut down needs no other one: what is owed is answered here."""
        if not self._is_greeting():
            for request in list(self._owed.values()):
                self._interrupted(request)

    def _interrupted(self, request: Request) -> None:
        if self._is_shut and not self._is_greeting():
            if request.method == "shutdown":
                self.to_client += self._encoded({"jsonrpc": "2.0", "id": request.id, "result": None})
                self._owed.pop(request.id)
            else:
                self._refuse(request.id, INVALID_REQUEST, "Invalid request: the server was shut down")
        elif request.is_cancelled:
            self._refuse_cancelled(request)
        elif request.method == "workspace/executeCommand":
            name = request.params.get("command")
            text = f"the daemon ended while it ran {name}: it may or may not have finished; do it again if that is safe"
            self._refuse(request.id, REQUEST_FAILED, text)
        elif request.has_begun and request.method != "workspace/diagnostic":
            # A part of the answer has been given: the rest would repeat it.
            self._refuse(request.id, CONTENT_MODIFIED, "the daemon ended after a part of the answer")
        elif request.deaths >= MOST_DEATHS:
            text = f"the daemon has ended {MOST_DEATHS} times while it worked on this request: the request is not repeated"
            self._refuse(request.id, REQUEST_FAILED, text)

    def _is_askable(self, request: Request) -> bool:
        document = self._documents.get(request.document)
        if request.document and (document is None or document.edited != request.edited):
            # The text that it was about is not there any more.
            self._refuse(request.id, CONTENT_MODIFIED, "the document was changed meanwhile")
            return False
        return True

    def _replay(self) -> None:
        first = self._initialize
        if first is None:
            return
        if self._is_greeting():
            self._send(first.raw)
            first.is_sent = True
        else:
            self._ask("initialize", first.message.get("params"), "initialize")
            self._clear_what_the_daemon_left(first)
        for method in _KEPT:
            self._send(self._kept.get(method, b""))
        added = [folder for uri, folder in self._folders.items() if uri not in self._first_folders]
        removed = [folder for uri, folder in self._first_folders.items() if uri not in self._folders]
        if added or removed:
            self._notify(_FOLDERS, {"event": {"added": added, "removed": removed}})
        for document in self._documents.values():
            opened = document.opened(self._encoding or "utf-16")
            self._notify("textDocument/didOpen", {"textDocument": opened, TOUCHED: document.touched})

    def _clear_what_the_daemon_left(self, first: Request) -> None:
        """Remove from the editor what an ended daemon has registered or shown and a fresh one does not know of."""
        if self._registered:
            gone = [{"id": id_, "method": method} for id_, method in self._registered.items()]
            self._ask_client("client/unregisterCapability", {"unregisterations": gone})
            self._registered.clear()
        closed = {uri for uri in self._shown if key_of(uri) not in self._documents}
        for uri in sorted(closed):
            self._tell(_PUBLISH, {"uri": uri, "diagnostics": []})
        self._shown -= closed
        if _value(first.params, "capabilities", "workspace", "diagnostics", "refreshSupport") is True:
            # Editors that ask for diagnostics do so again: files may have changed while no daemon ran.
            self._ask_client("workspace/diagnostic/refresh", None)

    def _ask_client(self, method: str, params: Any) -> None:
        """Send a request of our own to the editor; its answer is ignored."""
        id_ = self._own_id()
        self._stale.add(id_)
        self.to_client += self._encoded({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})

    def _notify(self, method: str, params: Any) -> None:
        self._send(self._encoded({"jsonrpc": "2.0", "method": method, "params": params}))

    def _refuse(self, id_: Id, code: int, text: str, data: Any = None) -> None:
        if self._initialize is not None and self._owed.get(id_) is self._initialize:
            self._initialize = None
        super()._refuse(id_, code, text, data)

    def _refuse_cancelled(self, request: Request) -> None:
        self._refuse(request.id, REQUEST_CANCELLED, "Request cancelled")

    def _encoded(self, message: dict[str, Any]) -> bytes:
        return framed(json.dumps(message).encode())


def _by_uri(folders: Any) -> dict[str, Any]:
    """Workspace folders by their URIs, as far as they are any."""
    listed = folders if isinstance(folders, list) else []
    return {each["uri"]: each for each in listed if isinstance(each, dict) and isinstance(each.get("uri"), str)}


def _value(tree: Any, *names: str) -> Any:
    for name in names:
        tree = tree.get(name) if isinstance(tree, dict) else None
    return tree
