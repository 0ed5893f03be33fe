"""Data that a host shares with all its snapshots: caches of the disk, unique numbers, and listeners.

None of it is part of a state (`state.py`): a cache holds what was true when it was read, with stamps that show the time.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from analysis.data_classes import dataclass, field
from boruna_ls.workspace.disk import Disk
from boruna_ls.workspace.names import Names
from boruna_ls.workspace.precedence import Precedence
from boruna_ls.workspace.programs import Walker

if TYPE_CHECKING:
    from boruna_ls.workspace.applying import Editor
    from boruna_ls.workspace.watching import Watching


@dataclass(slots=True)
class Shared:
    """`libs` is the folder of libraries of clients that bring none, "" for none."""

    libs: str
    epoch: str = field(default_factory=lambda: os.urandom(4).hex())
    """Another one in each process, so that revisions of two processes never have one name."""
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    """One count for all workspaces and snapshots, so that no two states have one name."""
    client_numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    disk: Disk = field(default_factory=Disk)
    walker: Walker = field(default_factory=Walker)
    names: Names = field(default_factory=Names)
    editors: dict[int, Editor] = field(default_factory=dict)
    """By client, the editors that can be sent edits."""
    precedence: Precedence = field(default_factory=Precedence)
    """Precedence of an editor's keystrokes over agents' requests."""
    watching: Watching | None = None
    """Watches the disk while there are clients."""
