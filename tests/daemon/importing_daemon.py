"""A daemon that writes down what is imported where others wait: on its event loop, and on the thread of the jobs.

`python -P importing_daemon.py NOTES --folder DIR …`. A line: the place, the module, and whether it is for the first client, for
which nobody waits but itself; that is imported on a thread of its own.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from types import FrameType
from typing import Any

from boruna_ls.daemon.main import main

NOTES = sys.argv.pop(1)


def note(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook."""
    if event != "import":
        return
    try:
        asyncio.get_running_loop()
        place = "loop"
    except RuntimeError:
        place = threading.current_thread().name
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_name != "load_first":
        frame = frame.f_back
    if frame or place in ("loop", "analysis"):
        with open(NOTES, "a", encoding="utf-8") as notes:
            notes.write(f"{place} {arguments[0]} {'first' if frame else 'later'}\n")


if __name__ == "__main__":
    sys.addaudithook(note)
    sys.exit(main(sys.argv[1:]))
