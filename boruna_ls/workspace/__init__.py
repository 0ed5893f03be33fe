"""From the outside world to the inputs of the database: editors' buffers, the disk, inline text, libraries, settings.

`Host` is the one object that the views share; no protocol is known here. Start reading in `host.py`.
"""

from boruna_ls.workspace.events import Change, Kind
from boruna_ls.workspace.host import Client, FileUnavailable, Freshness, Host
from boruna_ls.workspace.snapshot import ask, ask_and_wait, snapshot_of
from boruna_ls.workspace.turns import Priority
from boruna_ls.workspace.worker import Worker

__all__ = [
    "Change",
    "Client",
    "FileUnavailable",
    "Freshness",
    "Host",
    "Kind",
    "Priority",
    "Worker",
    "ask",
    "ask_and_wait",
    "snapshot_of",
]
