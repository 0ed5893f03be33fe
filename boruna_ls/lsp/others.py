"""Diagnostics of files that an editor has not open, pushed if it wants those of the whole workspace.

What was published is remembered by digest: a file is published again when its diagnostics are others, and cleared when it is
clean, gone, or not to be shown any more.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from analysis.inputs import FileId
from boruna_ls.answers.digest import EVERY, digest
from boruna_ls.lsp.publication import publication
from boruna_ls.lsp.session import Session
from boruna_ls.lsp.settings import WORKSPACE
from boruna_ls.workspace import FileUnavailable, Host, Priority

if TYPE_CHECKING:
    from boruna_ls.lsp.diagnostics import Diagnostics


class Others:
    """The files that one editor has not open."""

    def __init__(self, session: Session, diagnostics: Diagnostics, send: Callable[[bytes], None]) -> None:
        self._session = session
        self._diagnostics = diagnostics
        self._send = send
        self._published: dict[str, str] = {}
        self._is_busy = False
        self._is_outdated = False

    def opened(self, path: str) -> None:
        """Drop the record of publications about a file that the editor has opened."""
        self._published.pop(path, None)

    async def publish(self) -> None:
        """Publishes what changed since the last time; further requests during the work cause one more run."""
        self._is_outdated = True
        if self._is_busy:
            return
        self._is_busy = True
        try:
            while self._is_outdated:
                self._is_outdated = False
                shows_workspace = self._diagnostics.is_pushing and self._session.settings.scope == WORKSPACE
                if not shows_workspace and not self._published:
                    return
                published = dict(self._published)
                changed: dict[str, bytes] = {}
                now: dict[str, str] = {}
                if shows_workspace:
                    changed, now = await self._session.computed(partial(self._news, published), Priority.BACKGROUND)
                self._deliver(changed, now, published)
        finally:
            self._is_busy = False

    def _deliver(self, changed: dict[str, bytes], now: dict[str, str], published: dict[str, str]) -> None:
        session = self._session
        # Removed files first: an editor may treat two names that differ in case as one file.
        for path in published:
            if path not in now and session.host.buffer(session.client, path) is None:
                self._send(publication(session.uri(path), None, b"[]"))
        for path, items in changed.items():
            if session.host.buffer(session.client, path) is None:
                self._send(publication(session.uri(path), None, items))
        self._published = now

    def _news(self, published: dict[str, str], host: Host) -> tuple[dict[str, bytes], dict[str, str]]:
        """On the worker: the JSON of what changed, and the digests of all files that have diagnostics."""
        session = self._session.at(host)
        opened = set(host.open_paths(session.client))
        files: dict[str, FileId] = {}
        for root in sorted({*host.roots(session.client), *session.workspaces()} - {""}):
            for path in (*host.files(root), *host.documents(root)):
                host.checkpoint()
                named = host.spelled(session.client, path)
                if named not in opened:
                    try:
                        files[named] = host.file_for_editor(session.client, path)
                    except FileUnavailable:
                        continue
        now, changed = {}, {}
        for path, file in files.items():
            host.checkpoint()
            file_digest = digest(host.db, file, EVERY)
            if file_digest.counts:
                now[path] = file_digest.name
                if published.get(path) != file_digest.name:
                    changed[path] = self._diagnostics.rendered(session, file)
        return changed, now
