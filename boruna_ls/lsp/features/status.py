"""boruna/status: which revision answers describe, how much of each workspace is checked, and what work waits.

A request of our own, without parameters, for status items of editors and for tests.
"""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.lsp.session import Session
from boruna_ls.workspace.overview import overview
from boruna_ls.workspace.warming import Warming

METHOD: Final = "boruna/status"


async def status(session: Session, params: Any) -> dict[str, Any]:
    """`workspaces` has for each root its revision, `coverage` of the checks made in idle time, and whether one is under way."""
    host = session.host
    warming = Warming.of(host)
    workspaces = []
    for workspace in overview(host):
        checked, total = warming.coverage(workspace["root"])
        coverage = {"checked": checked, "total": total}
        workspaces.append({**workspace, "coverage": coverage, "checking": warming.is_busy(workspace["root"])})
    pending = {priority.name.lower(): count for priority, count in host.worker.pending().items()}
    return {"epoch": host.shared.epoch, "scope": session.settings.scope, "workspaces": workspaces, "pending": pending}
