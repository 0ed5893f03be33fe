"""Chaos: `python -m tests.faults.chaos --minutes 10 --seed N`. Everybody at once on one workspace and one daemon, then a pause in
which all channels must agree with a fresh process.

Two editors (one is pushed to, one pulls) type in files of their own and in one that both have open; four agents check, run, try
and ask about the workspace, now and then with a hostile source (`--http`: two of them over HTTP; `--live`: also with real
effects); a shell writes files and switches branches; agents die in the middle of runs; the daemon is killed. Judged are all keys:
how long each waits for its diagnostics, without the time for which the machine stood still (`figures.py` has the limits);
whether an answer is later than its deadline plus a second; and the memory of the daemon.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path

from boruna_ls.rendezvous import places
from tests.faults.chaos_outside import Phases, Scene, Shown, act, agent_diagnostics, git, program
from tests.faults.figures import Figures, Key, Kill
from tests.support.commands import end
from tests.support.daemon import status, stopped, until
from tests.support.kills import kill, process_of
from tests.support.live import Editor
from tests.support.lsp import NoAnswer
from tests.support.machine import Waiting
from tests.support.mcp_lines import line_server

PHASE = 8.0
"""Seconds between two pauses."""
KEY_LIMIT = 0.1
"""Seconds that a key may wait."""
_SAMPLE = 0.2
"""Seconds between two looks at the memory."""
_ALONE = 20
"""Keys of each editor before everybody begins; the first half of them is not counted."""
_PATIENCE = 120.0
"""Seconds until the other process must have started, or answered."""


class Chaos:
    """One session."""

    def __init__(self, folder: Path, seed: int, figures: Figures, over_http: bool = False, live: bool = False) -> None:
        self.figures = figures
        self._seed = seed
        self._place = Path(os.environ[places.VARIABLE])
        self._root = folder / "ws"
        self._root.mkdir()
        self._phases = Phases()
        self._dead: list[int] = []
        self._opened: dict[Path, str] = {}
        """Texts that agents must see of files open in editors: the text that was typed last."""
        self._lock = threading.Lock()
        self._prepare()
        asked = (*self._written, *self._switched, self._shared, self._typed[0][0])
        self._scene = Scene(self._root, seed, tuple(self._written), asked, over_http, live)

    def _prepare(self) -> None:
        self._written = [self._root / f"written_{n}.ax" for n in range(3)]
        self._switched = [self._root / f"switched_{n}.ax" for n in range(4)]
        self._typed = [[self._root / f"typed_{n}_{m}.ax" for m in range(2)] for n in range(2)]
        self._shared = self._root / "shared.ax"
        dice = random.Random(self._seed)
        for path in (*self._written, *self._switched, *self._typed[0], *self._typed[1], self._shared):
            path.write_text(program(dice, "first"))
        git(self._root, "init", "--quiet", "--initial-branch", "one")
        git(self._root, "add", ".")
        git(self._root, "commit", "--quiet", "-m", "one")
        git(self._root, "checkout", "--quiet", "-b", "two")
        for path in self._switched:
            path.write_text(program(dice, "two"))
        git(self._root, "commit", "--quiet", "-a", "-m", "two")

    # ---- the session --------------------------------------------------------------------------------------------

    def run(self, seconds: float) -> None:
        """Goes on for so long, and ends with a pause."""
        with ExitStack() as stack:
            editors = [Editor(self._root, pulls=pulls) for pulls in (False, True)]
            for editor in editors:
                stack.callback(end, editor.process)
            typists = [self._typist(editor, number) for number, editor in enumerate(editors)]
            self._type_alone(editors)
            phases, expectations = self._phases, stack.enter_context(self._others())
            actors = [*typists, self._killer]
            threads = [
                threading.Thread(target=phases.take_part, args=(actor, random.Random(f"{self._seed} {number}")))
                for number, actor in enumerate(actors)
            ]
            for thread in (*threads, threading.Thread(target=self._watch_memory, daemon=True)):
                thread.start()
            ends = time.monotonic() + seconds
            try:
                while time.monotonic() < ends and not self.figures.wrong:
                    phases.runs.set()
                    time.sleep(min(PHASE, max(ends - time.monotonic(), 1.0)))
                    phases.runs.clear()
                    for _ in range(len(threads) + self._scene.actors):
                        if not phases.resting.acquire(timeout=90):
                            self.figures.wrong.append("an actor does not come to rest")
                            return
                    while not phases.failures.empty():
                        self.figures.wrong.append(phases.failures.get())
                    self._compare(editors, expectations)
            finally:
                phases.is_over.set()
                phases.runs.set()
                for thread in threads:
                    thread.join(30)

    @contextmanager
    def _others(self) -> Iterator[Connection]:
        """The other process, ready to begin."""
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(target=act, args=(self._phases, self._scene, theirs))
        process.start()
        assert ours.poll(_PATIENCE), "the other process does not start"
        ours.recv()
        try:
            yield ours
        finally:
            self._phases.is_over.set()
            self._phases.runs.set()
            ours.send(None)
            process.join(_PATIENCE)

    # ---- actors -------------------------------------------------------------------------------------------------

    def _typist(self, editor: Editor, number: int) -> Callable[[random.Random], None]:
        pulls = number == 1
        paths = [*self._typed[number], self._shared]
        for path in paths:
            self._opened[path] = path.read_text()
            editor.show(path, self._opened[path])

        def act(dice: random.Random) -> None:
            path = dice.choice(paths)
            text = program(dice, f"e{number}")
            if path == self._shared:
                # Answered before the other editor types there: so it is known whose edit was the last one.
                with self._lock:
                    self._key(editor, path, text, pulls)
            else:
                self._key(editor, path, text, pulls)
            time.sleep(dice.random() * 0.06)

        return act

    def _type_alone(self, editors: list[Editor]) -> None:
        """The baseline: keys while nobody else does anything."""
        dice = random.Random(self._seed)
        for turn in range(2 * _ALONE):
            number = turn % 2
            self._key(editors[number], self._typed[number][0], program(dice, "alone"), pulls=number == 1)
            time.sleep(0.02)
        self.figures.alone = [key.took for key in self.figures.keys[_ALONE:]]
        self.figures.keys.clear()

    def _key(self, editor: Editor, path: Path, text: str, pulls: bool) -> None:
        waiting = Waiting()
        version = self._type(editor, path, text)
        if pulls:
            editor.pull(path)
        else:
            editor.await_diagnostics(path, version)
        self.figures.keys.append(Key(waiting.began, time.monotonic(), waiting.took(), path == self._shared))

    def _type(self, editor: Editor, path: Path, text: str) -> int:
        """The version that the text has."""
        editor.shown.pop(path, None)
        version = editor.replace(path, text)
        self._opened[path] = text
        return version

    def _killer(self, dice: random.Random) -> None:
        time.sleep(PHASE * dice.random())
        if self._phases.goes_on() and dice.random() < 0.3:
            began = time.monotonic()
            self._phases.disturbed.value = began + 1.0
            self._dead.append(kill(self._place, *self._dead))
            self._phases.disturbed.value = time.monotonic()
            until(lambda: process_of(self._place) not in (None, *self._dead))
            self.figures.kills.append(Kill(began, time.monotonic()))

    def _watch_memory(self) -> None:
        """The memory while everybody acts, too; read from the system, which does not disturb the daemon."""
        while not self._phases.is_over.wait(_SAMPLE):
            process = process_of(self._place)
            with suppress(OSError, ValueError):
                pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
                self.figures.peak = max(self.figures.peak, pages * os.sysconf("SC_PAGE_SIZE"))

    # ---- pauses -------------------------------------------------------------------------------------------------

    def _compare(self, editors: list[Editor], expectations: Connection) -> None:
        """All channels against a process that has seen nothing of all this."""
        self.figures.pauses += 1
        expected: dict[Path, Shown] = {}
        with line_server() as fresh:
            fresh.open()
            for path in sorted(self._root.glob("*.ax")):
                text = self._opened.get(path, path.read_text())
                expected[path] = agent_diagnostics(fresh, {"source": text})
                for number, editor in enumerate(editors):
                    if editor.texts.get(path) == text:
                        self._expect(expected[path], self._shown_in(editor, path, pulls=number == 1), f"editor {number}", path)
        expectations.send(expected)
        assert expectations.poll(_PATIENCE), "the other process does not answer"
        report = expectations.recv()
        self.figures.answers += report.answers
        self.figures.wrong += report.wrong
        until(lambda: process_of(self._place) not in (None, *self._dead))
        self.figures.memory.append(status(self._place)["memory"])

    def _expect(self, expected: Shown, found: Shown, who: str, path: Path) -> None:
        if found != expected:
            self.figures.wrong.append(f"{who} on {path.name}: {found} instead of {expected}")

    def _shown_in(self, editor: Editor, path: Path, pulls: bool) -> Shown:
        editor.settle()
        if pulls:
            items = editor.pull(path)
        else:
            ends = time.monotonic() + 10
            while path not in editor.shown and time.monotonic() < ends:
                try:
                    editor.receive(1.0)
                except NoAnswer:
                    continue
            items = editor.shown.get(path, [])
        return sorted((str(item["code"]), item["range"]["start"]["line"] + 1) for item in items)


def session(seconds: float, seed: int, figures: Figures, over_http: bool = False, live: bool = False) -> Figures:
    """One session in a folder and with a daemon of its own (`BORUNA_LS_DIR` is set already): the figures, judged."""
    with tempfile.TemporaryDirectory(prefix="boruna-chaos-") as folder:
        chaos = Chaos(Path(folder).resolve(), seed, figures, over_http, live)
        chaos.run(seconds)
        figures.judge()
        return figures


def main() -> int:
    """The exit status: 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.chaos", description="Everybody at once, with kills.")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--key-limit", type=float, default=KEY_LIMIT, metavar="SECONDS", help="a key that waits longer is wrong")
    parser.add_argument("--http", action="store_true", help="two of the four agents are over HTTP")
    parser.add_argument("--live", action="store_true", help="agents run programs with real effects, too")
    options = parser.parse_args()
    # The other actors must not delay the threads that type.
    sys.setswitchinterval(0.0005)
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="boruna-chaos-") as folder:
        os.environ[places.VARIABLE] = folder
        os.environ["XDG_STATE_HOME"] = f"{folder}/state"
        try:
            figures = session(options.minutes * 60, options.seed, Figures(options.key_limit), options.http, options.live)
        finally:
            stopped(folder)
    print(figures.summary())
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
