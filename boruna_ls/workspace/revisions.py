"""Names of states: each change gives a workspace a new one and notifies listeners."""

from __future__ import annotations

from collections.abc import Callable

from boruna_ls.workspace.events import Change, Kind
from boruna_ls.workspace.shared import Shared
from boruna_ls.workspace.state import State


class Revisions:
    """The revisions of a host's workspaces."""

    def __init__(self, state: State, shared: Shared) -> None:
        self.listeners: list[Callable[[Change], None]] = []
        """Called, on any thread, after something changed; they must return at once."""
        self._state = state
        self._shared = shared

    def of(self, workspace: str) -> str:
        """Names the present state of a workspace: another one after every change of a text, a setting or a library."""
        return f"{self._shared.epoch}-{self._state.revisions.get(workspace, 0)}"

    def latest(self) -> str:
        """Names the present state of all workspaces together."""
        return f"{self._shared.epoch}-{max(list(self._state.revisions.values()), default=0)}"

    def changed(self, change: Change, silently: bool = False) -> None:
        """A workspace has a new revision. Listeners are not notified of facts that were merely unknown before."""
        self._tell(change, silently)
        if silently:
            return
        # The diagnostics of a document can depend on each file that it names.
        about = {
            document.workspace
            for document, named in self._state.named.items()
            if (change.path in named.places if change.path else change.workspace == document.workspace)
        }
        for workspace in about:
            self._tell(Change(workspace, Kind.NAMED, change.path))

    def _tell(self, change: Change, silently: bool = False) -> None:
        self._state.revisions[change.workspace] = next(self._shared.numbers)
        if not silently:
            for listener in list(self.listeners):
                listener(change)
