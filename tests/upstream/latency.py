"""An editor beside programs that call hostile servers: `python -m tests.upstream.latency [--seconds 6]`.

For each way in which a server can misbehave, two agents of the same daemon keep running programs that call eight such servers.
Measured is how long a key waits for its diagnostics, against the same editor alone, in turn. The file that is typed in uses
tools, too. The first row is that of programs that call no server: what the others have beyond it is the servers' doing.

A hostile server may not make the usual key (the median) wait twice as long as alone, nor one key in twenty twice as long as
alone, or, where programs without servers already do as much on this machine, a quarter longer than beside those.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple

from boruna_ls.rendezvous import places
from tests.faults.floods import percentile
from tests.support.commands import end
from tests.support.daemon import status, stopped
from tests.support.live import Agent, Editor
from tests.support.machine import Waiting
from tests.support.tool_programs import ODD_SERVER

NO_SERVERS: Final = "none"
MODES: Final = ("odd", "flood", "endless", "garbage", "large", "many", "names", "dies", "late", "silent")
SERVERS: Final = 8
"""Of each kind: one that failed is left alone for a while."""
AGENTS: Final = 2
FACTOR: Final = 2.0
BEYOND_NONE: Final = 1.25
ROUNDS: Final = 4
"""Of alone and beside, in turn: whatever else the machine does falls on both."""
_TIMEOUT: Final = 2.0
_SHORT: Final = 0.3
"""Seconds that a call of a server may take that never answers: so that there are calls enough."""
_SAMPLES: Final = 400
_PAUSE: Final = 0.02


def workspace(folder: Path, config: Path) -> None:
    """A workspace with servers of all kinds, which the owner allows, and a program for each."""
    (folder / "boruna.toml").touch()
    servers = {}
    for mode in MODES:
        for number in range(SERVERS):
            name = f"{mode}{number}"
            line = ["-S", "-E", str(ODD_SERVER), mode, os.devnull]
            servers[name] = {"command": sys.executable, "args": line, "timeout": _SHORT if mode == "silent" else _TIMEOUT}
            tool = "tool_7(1, 2)" if mode == "many" else 'a_b("1")' if mode == "names" else 'echo_text("a")'
            (folder / f"{name}.ax").write_text(
                f"import mcp.{name}\nfn main() -> Bool !{{mcp.call}} {{ {name}::{tool}.is_error() }}\n"
            )
    for number in range(SERVERS):
        (folder / f"{NO_SERVERS}{number}.ax").write_text("fn main() -> Bool { false }\n")
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    trust = config / "boruna"
    trust.mkdir(parents=True, mode=0o700)
    (trust / "trust.toml").write_text(f'[workspace."{folder}"]\nmcp_servers = {json.dumps(list(servers))}\n')
    (trust / "trust.toml").chmod(0o600)


def typed(editor: Editor, path: Path, seconds: float) -> list[float]:
    """Types for so long; the seconds that each key waits for its diagnostics, but for those in which the machine stood still."""
    found: list[float] = []
    ends = time.monotonic() + seconds
    number = 0
    while time.monotonic() < ends:
        number += 1
        waiting = Waiting()
        editor.replace(
            path, f"import mcp.many0\nfn main() -> Int !{{mcp.call}} {{\n    missing_{number}(many0::tool_7(1, 2))\n}}\n"
        )
        while not any(f"missing_{number}" in one["message"] for one in editor.shown.get(path, ())):
            editor.receive()
        found.append(waiting.took())
        time.sleep(_PAUSE)
    return found


class Calls:
    """Agents that keep calling servers of one kind."""

    def __init__(self, agents: list[Agent], folder: Path, mode: str) -> None:
        self.results: Counter[str] = Counter()
        self._stop = threading.Event()
        self._agents, self._folder, self._mode = agents, folder, mode
        self._threads: list[threading.Thread] = []
        self._next = list(range(len(agents)))
        """By agent, the number of the server that is called next."""

    def __enter__(self) -> Calls:
        self._stop.clear()
        self._threads = [threading.Thread(target=self._call, args=row) for row in enumerate(self._agents)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _call(self, number: int, agent: Agent) -> None:
        while not self._stop.is_set():
            path = str(self._folder / f"{self._mode}{self._next[number] % SERVERS}.ax")
            answer = agent.answer(agent.begin("boruna_run_live", path=path, policy="allow-all"))
            told = answer["structuredContent"]
            self.results[f"{told.get('result', told)}"[:1000]] += 1
            self._next[number] += AGENTS


class Row(NamedTuple):
    """What keys waited, in seconds: medians and 95th percentiles, and where nine tenths of the latter's ratios in samples lie."""

    alone: tuple[float, float]
    beside: tuple[float, float]
    range: tuple[float, float]

    @property
    def ratios(self) -> tuple[float, float]:
        """What programs that call servers do to the usual key, and to one in twenty."""
        return self.beside[0] / self.alone[0], self.beside[1] / self.alone[1]

    def is_slow(self, none: Row | None) -> bool:
        """True if keys wait too long beside these programs; `none`: the row of programs without servers, if it was measured."""
        usual, late = self.ratios
        is_theirs = none is None or self.beside[1] > BEYOND_NONE * none.beside[1]
        return usual > FACTOR or (late > FACTOR and is_theirs)


def spread(alone: list[float], beside: list[float]) -> tuple[float, float]:
    """Where the ratio of the 95th percentiles lies in nine of ten samples of what was measured, drawn with replacement."""
    draw = random.Random(0)

    def ratio() -> float:
        return percentile(draw.choices(beside, k=len(beside)), 0.95) / percentile(draw.choices(alone, k=len(alone)), 0.95)

    ratios = sorted(ratio() for _ in range(_SAMPLES))
    return ratios[_SAMPLES // 20], ratios[-_SAMPLES // 20]


def middle_and_late(waited: list[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    return percentile(waited, 0.5), percentile(waited, 0.95)


def main() -> int:
    """Prints a table; 1 if the editor had to wait for longer than that."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("modes", nargs="*", default=(NO_SERVERS, *MODES))
    options = parser.parse_args()
    slow = []
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        folder, home = Path(scratch) / "work", Path(scratch) / "home"
        folder.mkdir()
        workspace(folder, home / ".config")
        # The daemon takes no other place of the configuration from whoever starts it.
        os.environ |= {places.VARIABLE: f"{scratch}/daemon", "BORUNA_LS_STATE": f"{scratch}/state", "HOME": str(home)}
        editor = Editor(folder)
        stack.callback(lambda: stopped(f"{scratch}/daemon"))
        stack.callback(lambda: end(editor.process))
        agents = [stack.enter_context(Agent(folder)) for _ in range(AGENTS)]
        path = folder / "typed.ax"
        editor.show(path, "")
        typed(editor, path, 2.0)
        daemon = status(f"{scratch}/daemon")["pid"]
        titles = f"{'alone p50, p95':>17} {'beside p50, p95':>17} {'ratios':>11} {'90 % of p95':>12}"
        print(f"{'servers':<10} {'calls':>6} {titles}   results")
        none: Row | None = None
        for mode in options.modes:
            calls, alone, beside = Calls(agents, folder, mode), list[float](), list[float]()
            for _ in range(ROUNDS):
                alone += typed(editor, path, options.seconds / ROUNDS)
                with calls:
                    beside += typed(editor, path, options.seconds / ROUNDS)
            row = Row(middle_and_late(alone), middle_and_late(beside), spread(alone, beside))
            none = row if mode == NO_SERVERS else none
            told = ", ".join(f"{count} × {result}" for result, count in calls.results.most_common(3))
            least, most = row.range
            waited = "".join(f"{1000 * p50:>8.1f} {1000 * p95:>6.1f} ms" for p50, p95 in (row.alone, row.beside))
            usual, late = row.ratios
            figures = f"{waited} {usual:>5.2f} {late:>5.2f} {least:>6.2f} – {most:.2f}"
            print(f"{mode:<10} {calls.results.total():>6} {figures}   {told}", flush=True)
            slow += [mode] if mode != NO_SERVERS and row.is_slow(none) else []
        assert status(f"{scratch}/daemon")["pid"] == daemon, "the daemon has died"
    print(f"too long beside: {', '.join(slow)}" if slow else f"within {FACTOR:.0f} times beside all of them")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
