"""Documents with a cursor, `<|>`, edits applied as an editor applies them, and a client that forgets no notification."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

from analysis.text.source import Encoding, Source

CURSOR: Final = "<|>"
PATIENCE: Final = 60.0
"""Seconds after which a notification that is missing is a failure."""
_numbers = itertools.count(1)
T = TypeVar("T")


class RecordingClient(LanguageClient):
    """Keeps what was published. The library's own waiting sees only the first of two notifications that come together."""

    def __init__(self) -> None:
        super().__init__(converter_factory=default_converter)
        self.history: defaultdict[str, list[types.PublishDiagnosticsParams]] = defaultdict(list)
        features: dict[str, Any] = {**DEFAULT_CLIENT_FEATURES, types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: _record}
        register_lsp_features(self, features)


def _record(client: RecordingClient, params: types.PublishDiagnosticsParams) -> None:
    client.history[params.uri].append(params)


async def eventually(what: str, look: Callable[[], T | None]) -> T:
    """First result of `look` that is not None."""
    ends = time.monotonic() + PATIENCE
    while (found := look()) is None:
        assert time.monotonic() < ends, f"waited in vain for {what}"
        await asyncio.sleep(0.002)
    return found


class Document:
    """An open document, its text without the cursor, and where the cursor was."""

    def __init__(self, client: LanguageClient, marked: str, uri: str | None = None) -> None:
        self.client = client
        self.uri = uri or f"file:///tests/document_{next(_numbers)}.ax"
        at = marked.find(CURSOR)
        self.text = marked.replace(CURSOR, "")
        assert client.capabilities is not None
        self.encoding = Encoding(ServerCapabilitiesBuilder.choose_position_encoding(client.capabilities))
        self.cursor = self.position(max(at, 0))
        self.version = 1
        self._read = 0
        self.id = types.TextDocumentIdentifier(self.uri)
        item = types.TextDocumentItem(self.uri, "ax", 1, self.text)
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def position(self, offset: int) -> types.Position:
        return types.Position(*Source.from_text(self.text).lsp_position(offset, self.encoding))

    def range(self, piece: str, number: int = 0) -> types.Range:
        """The range of the nth occurrence of a piece of text."""
        at = -1
        for _ in range(number + 1):
            at = self.text.index(piece, at + 1)
        return types.Range(self.position(at), self.position(at + len(piece)))

    def at(self, place: types.Range) -> str:
        """The text of a range."""
        source = Source.from_text(self.text)
        start, end = (source.lsp_offset(each.line, each.character, self.encoding) for each in (place.start, place.end))
        return self.text[start:end]

    def edited(self, edits: Sequence[types.TextEdit]) -> str:
        """The text after edits that do not overlap."""
        source = Source.from_text(self.text)
        spans = []
        for edit in edits:
            ends = (edit.range.start, edit.range.end)
            start, end = (source.lsp_offset(each.line, each.character, self.encoding) for each in ends)
            spans.append((start, end, edit.new_text))
        text = self.text
        for start, end, new in sorted(spans, reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def change(self, start: types.Position, end: types.Position, new: str) -> None:
        """Replaces a range, here and at the server."""
        self.text = self.edited([types.TextEdit(types.Range(start, end), new)])
        self.version += 1
        change = types.TextDocumentContentChangePartial(types.Range(start, end), new)
        identifier = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))

    def close(self) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.id))

    async def published(self) -> list[types.Diagnostic]:
        """The diagnostics that come next for this document."""
        while True:
            params = await self.publication()
            if params.version == self.version:
                return list(params.diagnostics)

    async def publication(self) -> types.PublishDiagnosticsParams:
        """Next publication about this document, whatever its version."""
        assert isinstance(self.client, RecordingClient)
        history = self.client.history[self.uri]
        params = await eventually("diagnostics", lambda: history[self._read] if self._read < len(history) else None)
        self._read += 1
        return params

    async def pulled(self, previous: str | None = None) -> types.DocumentDiagnosticReport:
        """The diagnostics, asked for."""
        params = types.DocumentDiagnosticParams(self.id, previous_result_id=previous)
        return await self.client.text_document_diagnostic_async(params)

    async def items(self) -> list[types.Diagnostic]:
        """The pulled diagnostics themselves."""
        report = await self.pulled()
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        return list(report.items)
