"""The daemon's state as `boruna-ls daemon status` shows it."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Any

from boruna_ls.rendezvous import places

if TYPE_CHECKING:
    from boruna_ls.daemon.clients import Clients, Connection


def of(clients: Clients, now: float) -> dict[str, Any]:
    """The state as JSON; times in seconds, sizes in bytes. `now` is of the monotonic clock."""
    life = clients.life
    state: dict[str, Any] = {
        **life.about,
        "folder": life.folder,
        "log": places.log_path(life.folder),
        "idle": life.idle,
        "loaded": clients.views.has_loaded_all,
        "memory": memory(),
        "memory_limit": life.memory_limit,
        "retiring": life.successor,
        "clients": [
            _client(connection, now, clients)
            for connection in sorted(clients.connections, key=lambda connection: connection.since)
        ],
        "refused": clients.refused,
        "workspaces": [],
        "queue": 0,
        "runs": 0,
    }
    if clients.views.is_loaded:
        from boruna_ls.mounts import MOUNTS
        from boruna_ls.runtime.workers import shared_pool
        from boruna_ls.workspace.overview import overview

        host = clients.views.host
        state["silent_disks"] = MOUNTS.silent()
        state |= {"workspaces": overview(host), "queue": host.worker.load, "runs": shared_pool().waiting}
    return state


def memory() -> int:
    """Bytes of memory that the process holds, worker processes not counted; 0 where it cannot be told."""
    if sys.platform == "win32":
        from boruna_ls.runtime.memory import windows_counters

        return windows_counters().working_set
    with contextlib.suppress(OSError, ValueError), open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _client(connection: Connection, now: float, clients: Clients) -> dict[str, Any]:
    state: dict[str, Any] = {
        "protocol": connection.protocol,
        "pid": connection.pid,
        "version": connection.version,
        "cwd": connection.cwd,
        "seconds": round(now - connection.since, 1),
    }
    if connection.url:
        state["url"] = connection.url
    if connection.client is not None:
        state |= {"roots": list(connection.client.folders), "open": clients.views.host.open_paths(connection.client)}
        state |= {
            "characters": clients.views.host.held(connection.client),
            "jobs": clients.views.host.worker.jobs_of(connection.client.id),
        }
        state["refused"] = connection.client.refused
    return state
