"""Puts a connection together: protocol, session, features; runs it over stdio or any pair of streams.

Features are looked up in one table (`features/__init__.py`); the library makes the server's capabilities from it.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from functools import cache, partial
from typing import Any, Final

from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.progress import Progress

from analysis.documents.file_names import is_document
from analysis.documents.kinds import KINDS
from boruna_ls import __version__
from boruna_ls.lsp.applying import apply_changes
from boruna_ls.lsp.changes import Changes
from boruna_ls.lsp.diagnostics import Diagnostics
from boruna_ls.lsp.features import FEATURES, Feature, commands, status
from boruna_ls.lsp.features.rename_files import OPTIONS as PROGRAMS
from boruna_ls.lsp.greeting import Begun
from boruna_ls.lsp.idle import Idle
from boruna_ls.lsp.others import Others
from boruna_ls.lsp.parent import watch_parent
from boruna_ls.lsp.protocol import INTERNAL_ERROR, PARSE_ERROR, Answer, Protocol
from boruna_ls.lsp.session import Session
from boruna_ls.pace import OF_EDITORS, Pace
from boruna_ls.threads import for_editor
from boruna_ls.wire.frames import Frames
from boruna_ls.workspace import Client, Host, Priority
from boruna_ls.workspace.applying import editor_of
from boruna_ls.workspace.uris import is_file, path_of

log = logging.getLogger(__name__)

# Making one takes longer than everything else that a connection begins with; it holds nothing of a connection.
_converter = cache(get_converter)
Connected = Callable[[Client], None] | None

READ_SIZE: Final = 1 << 18
_WATCHED: Final = ("**/*.ax", *(f"**/{pattern}" for kind in KINDS for pattern in kind.patterns), "**/.gitignore")
"""Patterns of the files that an editor is asked to watch; the host watches, too, where it can."""


class Server(LanguageServer):
    """One connection's server object."""

    protocol: Protocol

    def __init__(self, host: Host, libs_dir: str | None = None, begun: Begun | None = None) -> None:
        """`libs_dir` is the editor's own folder of libraries; without one it has the host's. `begun` is what went on before."""
        super().__init__("boruna-ls", __version__, protocol_cls=Protocol, converter_factory=_converter)
        self._begun = begun or Begun()
        self._reader: asyncio.StreamReader | None = None
        self._parent: asyncio.Future[None] | None = None
        self.session = Session(host, _Connection(self), libs_dir, self._begun.client)
        self.diagnostics = Diagnostics(self.session, self.protocol, self._begun.shown)
        self.others = Others(self.session, self.diagnostics, self.protocol.send_bytes)
        self.idle = Idle(self)
        self.changes = Changes(self)
        self._problem = ""
        self._register_life_cycle()
        self._register_features()

    def _register_life_cycle(self) -> None:
        self.feature(types.INITIALIZE)(partial(self._initialize))
        self.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(partial(self._change_folders))
        self.feature(types.INITIALIZED)(partial(self._initialized))
        self.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(partial(self._files_changed))
        self.feature(types.TEXT_DOCUMENT_DID_SAVE)(partial(self._saved))
        self.feature(types.WORKSPACE_DID_RENAME_FILES, PROGRAMS)(partial(self._files_renamed))
        self.feature(types.WORKSPACE_DID_DELETE_FILES, PROGRAMS)(partial(self._files_deleted))
        self.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(partial(self._configured))

    def _register_features(self) -> None:
        """The library makes the capabilities from what it is told here; the protocol answers the requests."""
        session = self.session
        for name in commands.COMMANDS:
            self.command(name)(partial(commands.execute, session))
        for feature in FEATURES:
            self.feature(feature.method, feature.options)(partial(feature.function))
        self.protocol.handle(
            documents={
                types.TEXT_DOCUMENT_DID_OPEN: session.did_open,
                types.TEXT_DOCUMENT_DID_CHANGE: session.did_change,
                types.TEXT_DOCUMENT_DID_CLOSE: session.did_close,
            },
            answers={feature.method: self._starter(feature) for feature in FEATURES}
            | {types.WORKSPACE_EXECUTE_COMMAND: partial(commands.execute, session)},
            own={name: partial(request, session) for name, request in commands.REQUESTS.items()}
            | {status.METHOD: partial(status.status, session)},
        )

    def _starter(self, feature: Feature) -> Answer:
        if asyncio.iscoroutinefunction(feature.function):
            return partial(feature.function, self.session)
        return partial(self._answer, feature)

    def _answer(self, feature: Feature, params: Any) -> Coroutine[Any, Any, Any]:
        document = getattr(params, "text_document", None)
        function = feature.function
        if document is not None and is_document(path_of(document.uri)):
            function = feature.of_documents or _nothing
            if asyncio.iscoroutinefunction(function):
                answer: Coroutine[Any, Any, Any] = function(self.session, params)
                return answer
        return self.session.answer(function, feature.is_wide, params)

    def _initialize(self, params: types.InitializeParams) -> None:
        self.session.greeted(params.capabilities)
        folders = [path_of(folder.uri) for folder in params.workspace_folders or []]
        if not folders and params.root_uri:
            folders = [path_of(params.root_uri)]
        if not folders and params.root_path:
            folders = [params.root_path]
        self._work_in([folder for folder in folders if is_file(folder)])
        self._problem = self.session.configure(params.initialization_options)
        if params.process_id is not None:
            self._parent = asyncio.ensure_future(watch_parent(params.process_id, self.stop))

    def _change_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        gone = {path_of(folder.uri) for folder in params.event.removed}
        new = [path_of(folder.uri) for folder in params.event.added]
        client = self.session.client
        folders = [folder for folder in client.named if folder not in gone] + [folder for folder in new if is_file(folder)]
        self._work_in(folders)

    def _work_in(self, folders: list[str]) -> None:
        self.protocol.finish_first(for_editor(self.session.host.work_in, self.session.client, folders))

    def _initialized(self, _: types.InitializedParams) -> None:
        self._tell_problem()
        workspace = self.session.capabilities.workspace
        watching = workspace.did_change_watched_files if workspace is not None else None
        if watching is not None and watching.dynamic_registration:
            options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(pattern) for pattern in _WATCHED])
            name = f"boruna-disk-{secrets.token_hex(4)}"
            registration = types.Registration(name, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            self.protocol.send_request(types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams([registration]))

    def _saved(self, params: types.DidSaveTextDocumentParams) -> None:
        self._noticed([params.text_document.uri])

    def _files_changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        self._noticed([change.uri for change in params.changes])

    def _files_renamed(self, params: types.RenameFilesParams) -> None:
        self._noticed([uri for file in params.files for uri in (file.old_uri, file.new_uri)])

    def _files_deleted(self, params: types.DeleteFilesParams) -> None:
        self._noticed([file.uri for file in params.files])

    def _noticed(self, uris: Iterable[str]) -> None:
        """The editor says that files changed on disk: that counts for the requests that follow."""
        paths = [path for path in map(path_of, uris) if is_file(path)]
        self.session.host.worker.launch(partial(self.session.host.upkeep.noticed, deque(paths)), Priority.REQUEST)

    def _configured(self, params: types.DidChangeConfigurationParams) -> None:
        self._problem = self.session.configure(params.settings)
        self._tell_problem()
        self.idle.publish()

    def _tell_problem(self) -> None:
        """Show once what is wrong with the editor's settings."""
        if self._problem:
            self.session.connection.show(types.MessageType.Warning, self._problem)
        self._problem = ""

    def stop(self) -> None:
        """Ends the connection as if its input had ended."""
        if self._reader is not None:
            self._reader.feed_eof()

    # ---- the connection ------------------------------------------------------------------------------------------

    async def serve(self, reader: asyncio.StreamReader, writer: Any) -> int:
        """Serves the editor until it leaves; the exit status that a process of its own would have."""
        self._reader = reader
        self.protocol.connect(writer, self._begun)
        self.changes.listen()
        try:
            with editor_of(self.session.host, self.session.client, partial(apply_changes, self.session)):
                await self._receive(reader)
        except (ConnectionError, BrokenPipeError):
            log.info("the client closed the connection")
        finally:
            await self._end()
        return self.protocol.exit_status or 0

    async def _receive(self, reader: asyncio.StreamReader) -> None:
        protocol, frames, pace, data = self.protocol, Frames(), Pace(OF_EDITORS), self._begun.read
        while protocol.exit_status is None and (data := data or await reader.read(READ_SIZE)):
            for piece in frames.feed(data):
                began = time.thread_time()
                if piece.body is None:
                    if piece.reason:
                        protocol.send_error(None, PARSE_ERROR, f"Parse error: {piece.reason}")
                elif not protocol.receive(piece.body):
                    frames.give_back(piece.raw, piece.body)
                await pace.wait_turn(len(piece.raw), time.thread_time() - began)
                await protocol.finished()
                if protocol.exit_status is not None:
                    break
            data = b""

    async def _end(self) -> None:
        session = self.session
        self.changes.end()
        self.idle.end()
        await session.end_parts()
        if self._parent is not None:
            self._parent.cancel()
        self.protocol.cancel_requests()
        await for_editor(session.close)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Write internal errors to the log instead of showing a window to the user."""
        if isinstance(error, JsonRpcException) and error.code != INTERNAL_ERROR:
            return
        data = getattr(error, "data", None)
        trace = data.get("traceback", []) if isinstance(data, dict) else []
        log.error("%s: %s\n%s", getattr(source, "__name__", source), error, "".join(trace))


def _nothing(session: Session, params: Any) -> None:
    """Answer of a program feature for a document: null."""


class _Connection:
    """See `connection.Connection`."""

    def __init__(self, server: Server) -> None:
        self._server = server

    @property
    def diagnostics(self) -> Diagnostics:
        return self._server.diagnostics

    @property
    def progress(self) -> Progress:
        return self._server.work_done_progress

    def send(self, message: bytes) -> None:
        self._server.protocol.send_bytes(message)

    def log(self, text: str) -> None:
        self._server.protocol.log_to_client(text)

    def show(self, kind: types.MessageType, text: str) -> None:
        self._server.window_show_message(types.ShowMessageParams(kind, text))

    async def apply(self, params: types.ApplyWorkspaceEditParams) -> bool:
        answer: Any = await self._server.workspace_apply_edit_async(params)
        # What an editor answers is data: its shape is not relied on.
        return (answer.get("applied") if isinstance(answer, dict) else getattr(answer, "applied", None)) is True

    async def ask(self, params: types.ShowMessageRequestParams) -> Any:
        return await self._server.window_show_message_request_async(params)

    async def open_outside(self, url: str) -> None:
        await self._server.window_show_document_async(types.ShowDocumentParams(url, external=True))

    def refresh_views(self) -> None:
        self._server.changes.refresh_views()

    def opened(self, path: str, root: str) -> None:
        self._server.others.opened(path)
        self._server.idle.opened(root)

    def changed(self, path: str) -> None:
        self._server.diagnostics.changed(path)

    def closed(self, path: str) -> None:
        self._server.diagnostics.closed(path)
        self._server.idle.publish()


async def run_connection(
    host: Host,
    reader: asyncio.StreamReader,
    writer: Any,
    libs_dir: str | None = None,
    connected: Connected = None,
    begun: Begun | None = None,
) -> int:
    """Serves one editor until it leaves; the exit status that a process of its own would have.

    `libs_dir` is the editor's own folder of libraries; without one it has the host's. `connected` is called with the client.
    `begun` is what went on before.
    """
    server = Server(host, libs_dir, begun)
    if connected is not None:
        connected(server.session.client)
    return await server.serve(reader, writer)
