"""Follows changes of the disk, reported or polled, and drops idle workspaces.

Its methods may be called from any thread; those that look at much give way to more urgent jobs.
"""

from __future__ import annotations

import os
import time
from collections import deque
from contextlib import suppress
from functools import partial
from typing import Final

from boruna_ls.workspace.buffers import Buffer
from boruna_ls.workspace.disk import FileUnavailable
from boruna_ls.workspace.events import Change, Kind
from boruna_ls.workspace.jobs import locked
from boruna_ls.workspace.keeper import TextKeeper
from boruna_ls.workspace.libraries import Scope
from boruna_ls.workspace.library_keeper import LibraryKeeper
from boruna_ls.workspace.parts import Ground
from boruna_ls.workspace.programs import Programs
from boruna_ls.workspace.roots import DiskView, is_inside
from boruna_ls.workspace.settings_keeper import SettingsKeeper

IDLE: Final = 600.0
"""Seconds without a request after which an unused workspace is evicted."""
LEFT: Final = 30.0
"""The same once a client has left: it may have been the only one that asked, and what it caused goes with it."""


class Upkeep:
    """The disk under a host's workspaces."""

    def __init__(self, ground: Ground, settings: SettingsKeeper, libraries: LibraryKeeper, texts: TextKeeper) -> None:
        self._ground = ground
        self._state = ground.state
        self._settings = settings
        self._libraries = libraries
        self._texts = texts

    # ---- what changed -------------------------------------------------------------------------------------------

    def programs(self, root: str) -> Programs:
        """The files below a canonical folder that are not ignored; changed folders are listed again."""
        shared = self._ground.shared
        jobs, look = self._ground.jobs, self._ground.jobs.look()
        if (cached := look.listed.get(root)) is not None:
            return cached
        workspace = look.root(os.path.join(root, "_")) or root
        self._texts.look_at(workspace, shared.libs, look)
        locked(jobs, look, lambda: self._texts.refresh(workspace, shared.libs, look))
        # Outside of the lock: a keystroke must not wait for a walk.
        walked = shared.walker.walk(root, self._settings.of(workspace).selection, workspace, jobs.checkpoint)
        look.add(root, walked)
        # What is gone is looked at now, whatever the job has seen before.
        fresh = DiskView(shared.names)

        def note() -> None:
            before = self._state.listed.get(root)
            listed = (*walked.files, *walked.documents)
            if before != listed:
                gone = set(before or ()).difference(listed)
                for file in [file for file in self._state.texts.of(workspace, "disk") if file.path in gone]:
                    self._texts.read_again(fresh, file)
                self._state.listed[root] = listed
                self._ground.revisions.changed(Change(workspace, Kind.DISK), silently=before is None)

        locked(jobs, fresh, note)
        return walked

    def look_again(self, path: str) -> None:
        """A file on disk has changed, or may have: what is known of it is read again."""
        # Another look than the job's, which may have begun before the change.
        jobs, look = self._ground.jobs, DiskView(self._ground.shared.names)
        canonical = look.canonical(path)
        workspace = look.root(canonical)
        if self.is_known(canonical):
            with suppress(FileUnavailable):
                # Without the lock, and not in one go: the text may be long.
                look.file(self._ground.shared.disk, canonical, jobs.checkpoint)

        def note() -> None:
            files = self._state.texts.at(canonical)
            for file in (*files, *(self._state.texts.at(path) if path != canonical else ())):
                self._texts.read_again(look, file)
            self._libraries.show(canonical, look)
            if not files:
                self._ground.revisions.changed(Change(workspace, Kind.DISK, canonical))

        locked(jobs, look, note)

    def is_known(self, path: str) -> bool:
        """True if the text of a file on disk is known; its path is canonical."""
        with self._ground.jobs.lock:
            return bool(self._state.texts.at(path))

    def read_ahead(self, path: str) -> bool:
        """Reads a known file that has changed on disk before a job looks at it, which would begin again at each keystroke.

        False if it is not known. For a background thread: while somebody types, it has a part of the time.
        """
        canonical = DiskView(self._ground.shared.names).canonical(path)
        is_known, disk = self.is_known(canonical), self._ground.shared.disk
        if is_known and disk.unchanged(canonical) is None:
            with suppress(FileUnavailable):
                disk.read(canonical, self._ground.shared.precedence.pacing())
        return is_known

    def noticed(self, paths: deque[str]) -> None:
        """A job for files reported as changed on disk; each checked file leaves the queue."""
        while paths:
            self._ground.jobs.checkpoint()
            self.look_again(paths[0])
            paths.popleft()
        self.settle()
        for root in list(self._state.listed):
            self.programs(root)

    def settle(self) -> None:
        """Looks whether open buffers are still where they were, and at all settings and libraries."""
        jobs, state = self._ground.jobs, self._state
        # The lock is taken again for each: a keystroke does not wait for all of them.
        look = jobs.look()
        for client in list(state.clients.values()):
            client.work_in(client.named, look)
        for buffer in state.buffers.all():
            jobs.checkpoint()
            locked(jobs, look, partial(self._settle, look, buffer))
        for workspace, libs in state.libraries.scopes():
            jobs.checkpoint()
            self._texts.look_at(workspace, libs, look)
            locked(jobs, look, partial(self._refresh, look, (workspace, libs)))

    def _settle(self, look: DiskView, buffer: Buffer) -> None:
        if self._state.buffers.get(buffer.client, buffer.named) is buffer:
            self._texts.settle(look, buffer)

    def _refresh(self, look: DiskView, scope: Scope) -> None:
        if scope in self._state.libraries.scopes():
            self._texts.refresh(*scope, look)

    def read_paths(self, root: str) -> list[str]:
        """The files below a folder that were read from the disk."""
        return [path for path in self._state.texts.paths() if is_inside(path, root)]

    # ---- what is in use -----------------------------------------------------------------------------------------

    def roots_in_use(self) -> set[str]:
        """The workspaces that were asked about of late, and the folders of libraries that clients brought along."""
        with self._ground.jobs.lock:
            brought = {client.libs for client in self._state.clients.values() if client.libs}
            return {workspace for workspace in self._state.last_requests if workspace} | brought

    def forget_idle(self, seconds: float = IDLE) -> bool:
        """Drops workspaces without edits and questions for that long; whether there were any."""
        with self._ground.jobs.lock:
            now = time.monotonic()
            idle = [workspace for workspace, last_asked in self._unused() if now - last_asked >= seconds]
            for workspace in idle:
                self.forget_workspace(workspace)
        return bool(idle)

    def client_left(self) -> None:
        """Drops workspaces that no client is in sooner than others, unless they are asked about again."""
        with self._ground.jobs.lock:
            latest = time.monotonic() - (IDLE - LEFT)
            for workspace, last_asked in self._unused():
                self._state.last_requests[workspace] = min(last_asked, latest)

    def _unused(self) -> list[tuple[str, float]]:
        """The workspaces in which no client has a document or a folder, and when they were asked about."""
        used = {buffer.file.workspace for buffer in self._state.buffers.all()}
        folders = {folder for client in self._state.clients.values() for folder in client.folders}
        return [
            (workspace, last_asked)
            for workspace, last_asked in self._state.last_requests.items()
            if workspace not in used
            # Files in no workspace are in nobody's folder, though "" is the beginning of every path.
            and not (workspace and any(is_inside(workspace, folder) or is_inside(folder, workspace) for folder in folders))
        ]

    def forget_workspace(self, workspace: str) -> None:
        """Drops the texts of an idle workspace; they are read again on demand."""
        shared, state = self._ground.shared, self._state
        with self._ground.jobs.lock:
            for file in list(state.texts.of(workspace, "disk")):
                shared.disk.forget(file.path)
                state.texts.remove(file)
            for scope in state.libraries.scopes():
                if scope[0] == workspace:
                    self._libraries.forget(scope)
            state.last_requests.pop(workspace, None)
            self._settings.forget(workspace)
            for root in [root for root in state.listed if is_inside(root, workspace)]:
                del state.listed[root]
            shared.walker.forget(workspace)
            self._ground.revisions.changed(Change(workspace, Kind.DISK), silently=True)
