"""Interface of a session to its editor's connection: messages to the editor, and the parts that follow its documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from lsprotocol import types
    from pygls.progress import Progress

    from boruna_ls.lsp.diagnostics import Diagnostics


class Connection(Protocol):
    """One editor. All of it is called on the event loop."""

    @property
    def diagnostics(self) -> Diagnostics:
        """The diagnostics of the editor's documents."""

    @property
    def progress(self) -> Progress:
        """Shows work that takes a while."""

    def send(self, message: bytes) -> None:
        """Sends a message that is JSON already."""

    def log(self, text: str) -> None:
        """A line in the editor's log of this server."""

    def show(self, kind: types.MessageType, text: str) -> None:
        """A message to the person in front of the editor."""

    async def apply(self, params: types.ApplyWorkspaceEditParams) -> bool:
        """Apply edits in the editor; True if it made all of them."""

    async def ask(self, params: types.ShowMessageRequestParams) -> Any:
        """Asks the person in front of the editor."""

    async def open_outside(self, url: str) -> None:
        """Open a URL in the browser of the editor's user."""

    def refresh_views(self) -> None:
        """Asks the editor to look at diagnostics and lenses again."""

    def opened(self, path: str, root: str) -> None:
        """A document was opened; `root` is that of its workspace."""

    def changed(self, path: str) -> None:
        """A document was opened or changed."""

    def closed(self, path: str) -> None:
        """A document was closed."""
