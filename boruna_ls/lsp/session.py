"""Open documents of one editor, and the conversion of its positions and URIs to offsets and files.

A session belongs to one connection. Documents are changed on the event loop, in the order of the messages;
all computation runs on the host's worker, and an answer about a text that has changed meanwhile is
"content modified".
"""

from __future__ import annotations

import copy
import time
from array import array
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import filterfalse
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar, runtime_checkable

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.exceptions import JsonRpcContentModified

from analysis.documents.file_names import is_document
from analysis.inputs import FileId, source
from analysis.text.edits import Edit, Span
from analysis.text.source import Encoding, Source
from boruna_ls.lsp.content_changes import changed
from boruna_ls.lsp.runs import Runs
from boruna_ls.lsp.settings import EditorSettings, settings_of
from boruna_ls.rendezvous.wire import TOUCHED
from boruna_ls.runtime.fair_queue import Share
from boruna_ls.threads import for_editor
from boruna_ls.workspace import Client, FileUnavailable, Host, Priority, ask_and_wait
from boruna_ls.workspace.uris import path_of, uri_of

if TYPE_CHECKING:
    from boruna_ls.lsp.connection import Connection

T = TypeVar("T")
P = TypeVar("P")

MOST_OPEN: Final = 64_000_000
"""Characters that one editor may have open."""


class Typed(NamedTuple):
    """The last change of a document: its path and text, the end of the typed text (-1 if it was not typing), and its time."""

    path: str
    text: Source | None
    end: int
    when: float


NOTHING_TYPED: Final = Typed("", None, -1, 0.0)


@runtime_checkable
class Ending(Protocol):
    """A part of a session that ends with it."""

    async def end(self) -> None:
        """The editor has disconnected."""


class Session:
    """One editor: its client at the host, its position encoding, the URIs it uses."""

    def __init__(self, host: Host, connection: Connection, libs_dir: str | None = None, client: Client | None = None) -> None:
        """`client` is the editor's existing client at the host, if it has one."""
        self.host = host
        self.connection = connection
        self.db = host.db
        self.client = client or host.connect(libs_dir=libs_dir)
        self.share = Share(f"editor {self.client.id}", self.client.id)
        """Owner of its runs in the pool: each editor is a principal by itself."""
        self.encoding = Encoding.UTF16
        self.capabilities = types.ClientCapabilities()
        self.tokens: dict[str, tuple[str, array[int]]] = {}
        """By path, the semantic tokens that the editor received last, with the id of that result."""
        self._uris: dict[str, str] = {}
        self._sizes: dict[str, int] = {}
        """Characters of open documents, by path; `_characters` is their sum."""
        self._characters = 0
        self.runs = Runs()
        self._parts: dict[Callable[..., Any], Any] = {}
        self.settings = EditorSettings()
        self.typed = NOTHING_TYPED

    def greeted(self, capabilities: types.ClientCapabilities) -> None:
        """The editor has sent its capabilities."""
        self.capabilities = capabilities
        self.encoding = Encoding(ServerCapabilitiesBuilder.choose_position_encoding(capabilities))

    def configure(self, given: Any) -> str:
        """The editor sends its settings; returns what is wrong with them, or ""."""
        self.settings, problem = settings_of(given, self.settings)
        return problem

    def part(self, make: Callable[..., P], *given: Any) -> P:
        """A part that few editors need, such as previews; `make(*given)` creates it at first use."""
        if make not in self._parts:
            self._parts[make] = make(*given)
        part: P = self._parts[make]
        return part

    async def end_parts(self) -> None:
        """The editor has disconnected."""
        for part in self._parts.values():
            if isinstance(part, Ending):
                await part.end()

    # ---- documents ----------------------------------------------------------------------------------------------

    async def did_open(self, params: dict[str, Any]) -> None:
        """textDocument/didOpen, as parsed JSON. The disk is read on another thread."""
        try:
            document = params["textDocument"]
            uri, text, version = document["uri"], document["text"], document.get("version")
            if not (isinstance(uri, str) and isinstance(text, str)):
                raise TypeError("uri and text are strings")
        except (KeyError, TypeError, AttributeError) as error:
            return self.connection.log(f"textDocument/didOpen was ignored: {error!r}")
        path = path_of(uri)
        if self._is_too_much(path, text):
            return None
        self._uris[path] = uri
        touched = params.get(TOUCHED)
        numbers = (each if isinstance(each, int) else None for each in (version, touched))
        file = await for_editor(self.host.open, self.client, path, text, *numbers)
        self.connection.changed(path)
        return self.connection.opened(path, file.workspace)

    def did_change(self, params: dict[str, Any]) -> Coroutine[Any, Any, None] | None:
        """textDocument/didChange, as parsed JSON; applies all changes or none. Returns a coroutine to await, if necessary."""
        try:
            document = params["textDocument"]
            path, version = path_of(document["uri"]), document.get("version")
            buffer = self.host.buffer(self.client, path)
            if buffer is None:
                self.connection.log(f"textDocument/didChange was ignored: {document['uri']} is not open")
                return None
            text, end = buffer.source, -1
            for change in params["contentChanges"]:
                text, end = changed(text, change, self.encoding)
            if len(params["contentChanges"]) != 1:
                end = -1
        except (KeyError, TypeError, AttributeError) as error:
            self.connection.log(f"textDocument/didChange was ignored: {error!r}")
            return None
        if self._is_too_much(path, text.text):
            return for_editor(self._forget_document, path)
        # Before the text is set: the job that computes its diagnostics reads `typed`.
        self.typed = Typed(path, text, end, time.monotonic())
        self.host.change(self.client, path, text, version if isinstance(version, int) else None)
        self.connection.changed(path)
        return None

    async def did_close(self, params: dict[str, Any]) -> None:
        """textDocument/didClose, as parsed JSON. The disk is read on another thread."""
        try:
            path = path_of(params["textDocument"]["uri"])
        except (KeyError, TypeError, AttributeError) as error:
            return self.connection.log(f"textDocument/didClose was ignored: {error!r}")
        if self.host.buffer(self.client, path) is None:
            return self.connection.log(f"textDocument/didClose was ignored: {path} is not open")
        await for_editor(self._forget_document, path)
        self.connection.closed(path)
        return None

    def finish_typing(self, typed: Typed) -> bool:
        """True if this is still the last change; from now on it does not count as typing."""
        if self.typed is not typed:
            return False
        self.typed = typed._replace(end=-1)
        return True

    def _forget_document(self, path: str) -> None:
        self.host.close(self.client, path)
        self._characters -= self._sizes.pop(path, 0)
        self._uris.pop(path, None)
        self.tokens.pop(path, None)
        if self.typed.path == path:
            self.typed = NOTHING_TYPED

    def _is_too_much(self, path: str, text: str) -> bool:
        """True, with a message to the user, if this text takes the editor over its limit of open characters; else its size is
        recorded."""
        more = len(text) - self._sizes.get(path, 0)
        if self._characters + more <= MOST_OPEN:
            self._characters += more
            self._sizes[path] = len(text)
            return False
        self.client.refused += 1
        most = MOST_OPEN // 10**6
        message = f"{path} is not checked: its editor has more than {most} million characters open. Close some files."
        self.connection.show(types.MessageType.Warning, message)
        return True

    def close(self) -> None:
        """The connection has ended."""
        self.host.disconnect(self.client)

    # ---- files and positions -------------------------------------------------------------------------------------

    def file(self, uri: str) -> FileId:
        """The file that a request names, as this editor sees it. Raises FileUnavailable."""
        return self.host.file_for_editor(self.client, path_of(uri))

    def text(self, file: FileId) -> Source:
        """The text of a file, as the database has it."""
        return source(self.db, file)

    def offset(self, text: Source, position: types.Position) -> int:
        """The offset of a position; a position behind the text means its end."""
        return text.lsp_offset(position.line, position.character, self.encoding)

    def span(self, text: Source, range_: types.Range) -> Span:
        """The span of a range, its ends in order."""
        start, end = self.offset(text, range_.start), self.offset(text, range_.end)
        return (start, end) if start <= end else (end, start)

    def position(self, text: Source, offset: int) -> types.Position:
        """The position of an offset."""
        return types.Position(*text.lsp_position(offset, self.encoding))

    def range(self, text: Source, span: Span) -> types.Range:
        """The range of a span."""
        return types.Range(self.position(text, span[0]), self.position(text, span[1]))

    def location(self, file: FileId, span: Span) -> types.Location:
        """A place in any file."""
        return types.Location(self.uri(file.path), self.range(self.text(file), span))

    def uri(self, path: str) -> str:
        """The URI of a path, as the editor spells it if it has the file open."""
        if (uri := self._uris.get(path)) is not None:
            return uri
        named = self.host.spelled(self.client, path)
        return self._uris.get(named) or uri_of(named)

    def version(self, uri: str) -> int | None:
        """The editor's version of a document that it has open."""
        buffer = self.host.buffer(self.client, path_of(uri))
        return buffer.version if buffer is not None else None

    def workspaces(self) -> set[str]:
        """The workspaces of the files that the editor has open; "" for those that stand alone."""
        buffers = (self.host.buffer(self.client, path) for path in self.host.open_paths(self.client))
        return {buffer.file.workspace for buffer in buffers if buffer is not None}

    def others(self, file: FileId) -> Iterator[FileId]:
        """The other files of a file's workspace, as this editor sees them; each is read on demand."""
        for path in self.host.files(file.workspace) if file.workspace else ():
            self.host.checkpoint()
            if path != file.path:
                with suppress(FileUnavailable):
                    yield self.host.file_for_editor(self.client, path)

    def paths(self) -> list[str]:
        """All files that are open or lie in the editor's folders, as it names them, each once."""
        host = self.host
        paths = dict.fromkeys(host.open_paths(self.client))
        for folder in self.client.folders:
            files = (*host.files(folder), *host.documents(folder))
            paths |= dict.fromkeys(host.spelled(self.client, path) for path in files)
        return list(paths)

    def every_file(self) -> Iterator[FileId]:
        """The programs among them as files; each is read on demand; unreadable files are left out."""
        for path in filterfalse(is_document, self.paths()):
            self.host.checkpoint()
            with suppress(FileUnavailable):
                yield self.host.file_for_editor(self.client, path)

    def text_edit(self, text: Source, edit: Edit) -> types.TextEdit:
        """An edit of a text, with the line ends that the text has."""
        new = edit.new_text
        if text.has_crlf:
            new = new.replace("\r\n", "\n").replace("\n", "\r\n")
        return types.TextEdit(self.range(text, edit.span), new)

    def workspace_edit(self, edits: Mapping[FileId, Iterable[Edit]]) -> types.WorkspaceEdit:
        """Edits of files, with the versions that they are for where the editor looks at those."""
        by_path = {file.path: [self.text_edit(self.text(file), edit) for edit in each] for file, each in edits.items()}
        if not self.supports("workspace.workspace_edit.document_changes"):
            return types.WorkspaceEdit({self.uri(path): each for path, each in by_path.items()})
        changes = []
        for path, each in by_path.items():
            uri = self.uri(path)
            document = types.OptionalVersionedTextDocumentIdentifier(uri, self.version(uri))
            changes.append(types.TextDocumentEdit(document, list(each)))
        return types.WorkspaceEdit(document_changes=list(changes))

    def supports(self, capability: str) -> bool:
        """True if the editor has declared a capability: "text_document.definition.link_support"."""
        value: Any = self.capabilities
        for name in capability.split("."):
            value = getattr(value, name, None)
        return bool(value)

    def can_resolve_edits(self) -> bool:
        """True if the editor requests a code action's edit only when its user has chosen the action."""
        support = self.capabilities.text_document and self.capabilities.text_document.code_action
        return bool(support and support.resolve_support and "edit" in support.resolve_support.properties)

    # ---- answers ------------------------------------------------------------------------------------------------

    def answer(self, feature: Callable[[Session, P], T], is_wide: bool, params: P) -> Coroutine[Any, Any, T | None]:
        """Runs a feature on the worker; None if the file that it asks about cannot be read.

        A feature that `is_wide` looks at the whole workspace and yields to features about single files.

        A request uses the text at the time of this call, not at the time when the answer is awaited.
        Raises JsonRpcContentModified if it was changed while the request waited or ran.
        """
        document = getattr(params, "text_document", None)
        path = path_of(document.uri) if document is not None else ""
        buffer = self.host.buffer(self.client, path)
        edited = buffer.edited if buffer is not None else 0

        def job(host: Host) -> T | None:
            self._refuse_stale(path, edited)
            try:
                answer = feature(self.at(host), params)
            except FileUnavailable:
                return None
            self._refuse_stale(path, edited)
            return answer

        if is_wide:
            return self.computed(job, Priority.WORKSPACE)
        if not path or path != self.typed.path:
            return self.computed(job)
        return self._computed_first(job)

    async def _computed_first(self, job: Callable[[Host], T]) -> T:
        hold = self.host.shared.precedence.take()
        try:
            return await self.computed(job, Priority.TYPING)
        finally:
            hold.end()

    async def computed(self, job: Callable[[Host], T], priority: Priority = Priority.REQUEST) -> T:
        """Waits for a job of the worker; it ends with the wait."""
        return await ask_and_wait(self.host, job, priority, self.client.id)

    def at(self, host: Host) -> Session:
        """The same session on another host, its own snapshot."""
        if host is self.host:
            return self
        other = copy.copy(self)
        other.host, other.db = host, host.db
        return other

    def _refuse_stale(self, path: str, edited: int) -> None:
        buffer = self.host.buffer(self.client, path)
        if (buffer.edited if buffer is not None else 0) != edited:
            raise JsonRpcContentModified("the document was changed meanwhile")
