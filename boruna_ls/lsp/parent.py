"""Ends a server whose editor has died without saying so: servers left behind are what users complain about most."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from boruna_ls.rendezvous.processes import is_alive

INTERVAL: Final = 2.0
"""Seconds between two looks."""


async def watch_parent(process: int, gone: Callable[[], None]) -> None:
    """Calls `gone` once the process does not exist any more.

    A process that cannot be seen from the start (the editor runs outside of our container) is not watched.
    """
    if not is_alive(process):
        return
    while is_alive(process):
        await asyncio.sleep(INTERVAL)
    gone()
