"""Kills the daemon behind an agent's forwarder: `python -m tests.executions.daemon_kills [--count 24] [--seed N]`.

The agent keeps its connection; the forwarder starts another daemon and repeats the calls that may be repeated. The stories and
the checks are those of `kills.py`.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import statistics
import sys
import threading
from pathlib import Path
from typing import Any

from tests.executions.kills import LONGEST, Dead, Story, counting, kill_command, prepared
from tests.support.daemon import Agent, stopped
from tests.support.kills import process_of
from tests.support.mcp_lines import INITIALIZED, call, initialize


class Forwarded:
    """An agent whose daemon dies, in the place of a `kills.Server`."""

    def __init__(self, work: Path, folder: Path) -> None:
        self.agent = Agent(work, "--toolsets", "executions")
        self.kills = 0
        self._folder = folder
        self._number = 0
        self.agent.ask(initialize(version="2025-11-25"))
        self.agent.send(INITIALIZED)

    def kill_in(self, seconds: float) -> None:
        timer = threading.Timer(seconds, self._kill)
        timer.daemon = True
        timer.start()

    def _kill(self) -> None:
        process = process_of(self._folder)
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
                self.kills += 1

    def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Raises Dead for a call that the forwarder does not repeat."""
        self._number += 1
        message = self.agent.ask(call(self._number, tool, **arguments))
        if "result" not in message:
            raise Dead
        return dict(message["result"]["structuredContent"])


def killed(count: int, seed: int, scratch: Path) -> tuple[list[str], dict[str, int]]:
    """Problems after this number of kills, and counts of events. Uses the folders of the environment."""
    rng, number = random.Random(seed), 0
    work, folder = prepared(scratch), scratch / "daemon"
    os.environ["BORUNA_LS_DIR"] = str(folder)
    problems: list[str] = []
    pace = [0.2]
    server = Forwarded(work, folder)
    try:
        with counting(rng) as (port, counts):
            while server.kills < count:
                story, number = Story(f"e{number}", port), number + 1
                while story.result is None:
                    seconds = rng.uniform(0.0, LONGEST) * statistics.median([*pace, *story.pace][-20:])
                    with contextlib.suppress(Dead):
                        story.drive(server, seconds if server.kills < count else None)
                pace += story.pace
                problems += story.checked(server, counts)
            return problems, {"kills": server.kills, "executions": number, "effects": counts.total()}
    finally:
        server.agent.process.kill()
        server.agent.process.wait()
        stopped(folder)


if __name__ == "__main__":
    sys.exit(kill_command(__doc__, killed, 24))
