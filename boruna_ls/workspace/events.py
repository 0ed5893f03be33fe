"""Events of the host for its listeners: something in a workspace has changed."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """The part of the workspace that changed."""

    TEXT = "text"
    """A buffer was opened, edited or closed."""
    DISK = "disk"
    """A file was written, made, renamed or deleted; without a path: which files there are."""
    LIBRARY = "library"
    """The text of a library, or which libraries there are."""
    SETTINGS = "settings"
    """`boruna.toml`."""
    NAMED = "named"
    """A file that a document names, such as a program of a workflow: the document's diagnostics may be others."""


class Change(NamedTuple):
    """`workspace` is the root of the workspace in which something changed, "" for files outside any workspace.

    `path` is canonical, "" where no single file is meant; `client` is the number of the editing client, 0 for none.
    """

    workspace: str
    kind: Kind
    path: str = ""
    client: int = 0
