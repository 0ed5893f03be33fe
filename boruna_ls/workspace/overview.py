"""Figures of a host, for the status of the daemon. Read-only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boruna_ls.workspace.host import Host


def overview(host: Host) -> list[dict[str, Any]]:
    """For each workspace: its root ("" for texts that stand alone), its revision, how many texts of it are held and how many
    of them an editor has open, and how changes on disk come to be known (`Host.watching`).
    """
    with host.jobs.lock:
        files = host.state.texts.files()
        roots = sorted({*host.state.revisions, *(file.workspace for file in files)})
        return [
            {
                "root": root,
                "revision": host.revision(root),
                "files": len({file.path for file in files if file.workspace == root and file.layer != "library"}),
                "watching": host.watching(root),
                "open": len({file.path for file in files if file.workspace == root and file.layer.startswith("editor:")}),
            }
            for root in roots
        ]
