"""A newer installation offers itself to the daemon that it found: it has its own daemon tried, which `daemon/trial.py` does.

Nothing is sent: what came of the trial is in the installation's start record, where the daemon reads it.
"""

from __future__ import annotations

import contextlib

from boruna_ls import __version__
from boruna_ls.rendezvous import installations, start


def offer(folder: str, daemon_version: str) -> None:
    """Starts a trial of this installation unless one was made, or the daemon that was found is as new. Never fails."""
    if not installations.is_newer(__version__, daemon_version):
        return
    ours = installations.own(__version__)
    with contextlib.suppress(OSError):
        if ours.is_there() and installations.record_of(folder, ours) is None:
            # From here on it counts as tried, whatever becomes of the trial.
            installations.record(folder, ours)
            start.detach([*ours.command(), "--try", folder], folder)
