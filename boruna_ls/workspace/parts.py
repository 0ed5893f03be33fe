"""Common base of a host's parts: one state, the rules of jobs about it, what is shared, and its revisions."""

from __future__ import annotations

from typing import NamedTuple

from boruna_ls.workspace.jobs import JobRules
from boruna_ls.workspace.revisions import Revisions
from boruna_ls.workspace.shared import Shared
from boruna_ls.workspace.state import State


class Ground(NamedTuple):
    """Given to every part; a part that needs another part gets that, too. None knows the host."""

    jobs: JobRules
    state: State
    shared: Shared
    revisions: Revisions
