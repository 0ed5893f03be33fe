"""Chaos: `python -m tests.faults.chaos --minutes 10 --seed N`. Everybody at once on one workspace and one daemon, then a pause in
which all channels must agree with a fresh process.

Two editors (one is pushed to, one pulls) type in files of their own and in one that both have open; four agents check, run, try
and ask about the workspace, now and then with a hostile source (`--http`: two of them over HTTP; `--live`: also with real
effects); a shell writes files and switches branches; agents die in the middle of runs; the daemon is killed. What is measured
away from kills: how long a key waits for its diagnostics, and whether an answer is later than its deadline plus a second. Keys
typed while a daemon ends or its successor starts are counted apart: they wait for the start of a process.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boruna_ls.rendezvous import places
from tests.support.commands import end
from tests.support.daemon import status, stopped
from tests.support.http_agent import HttpAgent
from tests.support.http_server import http_server
from tests.support.kills import kill
from tests.support.live import Editor
from tests.support.lsp import NoAnswer
from tests.support.mcp_lines import INITIALIZED, LineServer, call, initialize, line_server

DEADLINE = 5.0
PHASE = 8.0
"""Seconds between two pauses."""
_OUTSIDE = 2
"""Actors in the other process."""
_DISTURBED = 5.0
"""Seconds around the end of a daemon in which nobody's time is measured."""
_ENDLESS = "fn main() -> Int { let mut n = 0 while true { n = n + 1 } n }"
_READS = 'fn main() -> Result<String, String> { fs_read("written_0.ax") }'
"""Without a ceiling nobody may: the answer is a denial."""
_HOSTILE: tuple[Callable[[], str], ...] = (
    lambda: "fn main() -> Int {\n" + "".join(f"    let a{n} = missing_{n}\n" for n in range(300)) + "    0\n}\n",
    lambda: "fn main() -> Int { " + "+".join(["1"] * 20_000) + " }",
    lambda: "fn main() -> Int { " + "(" * 2_000 + "1" + ")" * 2_000 + " }",
    lambda: "".join(f"fn f{n}() -> Int {{ g{n}() }}\n" for n in range(1_000)),
    lambda: 'fn main() -> String { "' + "x" * 200_000,
    lambda: "enum E { " + ", ".join(f"A{n}" for n in range(500)) + " }\nfn f(e: E) -> Int { match e { A0 => 1 } }",
)


def program(dice: random.Random, label: str) -> str:
    """A small program with some mistakes that name the label."""
    wrong = "".join(f"fn wrong_{n}() -> Int {{\n    missing_{label}_{n}\n}}\n\n" for n in range(dice.randrange(3)))
    return f"{wrong}fn main() -> Int {{\n    {dice.randrange(1000)}\n}}\n"


class Phases:
    """When the actors of this process and of another one act, rest and end."""

    def __init__(self) -> None:
        processes = multiprocessing.get_context("spawn")
        self.runs, self.is_over = processes.Event(), processes.Event()
        self.resting = processes.Semaphore(0)
        self.failures = processes.SimpleQueue()

    def take_part(self, actor: Callable[[random.Random], None], dice: random.Random) -> None:
        """Lets an actor act again and again, until the end."""
        while True:
            self.runs.wait()
            while self.runs.is_set() and not self.is_over.is_set():
                try:
                    actor(dice)
                except Exception as error:
                    self.failures.put(f"{actor.__name__}: {type(error).__name__}: {error}")
                    break
            self.resting.release()
            while self.runs.is_set() and not self.is_over.is_set():
                time.sleep(0.01)
            if self.is_over.is_set():
                return


@dataclass
class Figures:
    """Measurements, and failures."""

    keys: list[float] = field(default_factory=list)
    disturbed: list[float] = field(default_factory=list)
    """Keys that were typed, or waited, within _DISTURBED seconds of the end of a daemon."""
    answers: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    kills: int = 0
    pauses: int = 0

    def summary(self) -> str:
        """One line for each."""

        def spread(values: list[float]) -> str:
            ordered = sorted(values) or [0.0]
            p50, p95 = (ordered[int(len(ordered) * part)] for part in (0.5, 0.95))
            return f"{len(values)}: p50 {p50 * 1000:.1f} ms, p95 {p95 * 1000:.1f} ms, max {ordered[-1] * 1000:.0f} ms"

        lines = [
            f"keys {spread(self.keys)}",
            f"keys around kills {spread(self.disturbed)}",
            f"answers {spread(self.answers)}",
            f"kills {self.kills}, pauses {self.pauses}",
        ]
        lines.append(f"memory at the pauses, MB: {[size >> 20 for size in self.memory]}")
        return "\n".join([*lines, *(f"WRONG: {one}" for one in self.wrong)])


def git(folder: Path, *arguments: str) -> None:
    """One git command."""
    identity = ["-c", "user.name=tests", "-c", "user.email=tests@example.invalid"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


class Outside:
    """A shell, and agents that die. In a process of its own: starting one stops all threads of the process that starts it, 0.2 s
    were seen on two busy processors, and a key must not wait for that."""

    def __init__(self, root: Path, written: list[Path]) -> None:
        self._root, self._written = root, written

    def shell(self, dice: random.Random) -> None:
        if dice.random() < 0.2:
            for path in self._written:
                git(self._root, "checkout", "--quiet", "--", path.name)
            git(self._root, "checkout", "--quiet", "-f", dice.choice(["one", "two"]))
        else:
            dice.choice(self._written).write_text(program(dice, "shell"))
        time.sleep(dice.random() * 0.3)

    def mortal(self, dice: random.Random) -> None:
        """An agent that dies in the middle of a run."""
        agent = LineServer("mcp", program="boruna-ls", cwd=str(self._root))
        agent.send(initialize(), INITIALIZED, call(1, "boruna_run", source=_ENDLESS, max_steps=10**12))
        time.sleep(dice.random())
        end(agent.process)
        time.sleep(dice.random() * 2)


def outside(phases: Phases, root: Path, written: list[Path], seed: int) -> None:
    """What the other process does."""
    actors = Outside(root, written)
    threads = [
        threading.Thread(target=phases.take_part, args=(actor, random.Random(f"{seed} {actor.__name__}")))
        for actor in (actors.shell, actors.mortal)
    ]
    for thread in threads:
        thread.start()


class Chaos:
    """One session."""

    def __init__(self, folder: Path, seed: int, key_limit: float, over_http: bool = False, live: bool = False) -> None:
        self._over_http, self._live = over_http, live
        self.figures = Figures()
        self._seed = seed
        self._key_limit = key_limit
        self._place = Path(os.environ[places.VARIABLE])
        self._root = folder / "ws"
        self._root.mkdir()
        self._phases = Phases()
        self._disturbed = 0.0
        self._dead: list[int] = []
        self._opened: dict[Path, str] = {}
        """Texts that agents must see of files open in editors: the text that was typed last."""
        self._lock = threading.Lock()
        self._prepare()

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
            agents: list[LineServer | HttpAgent] = [
                stack.enter_context(self._agent()) for _ in range(2 if self._over_http else 4)
            ]
            if self._over_http:
                server = stack.enter_context(http_server("--deadline", str(int(DEADLINE)), cwd=self._root))
                agents += [HttpAgent(server) for _ in range(2)]
            actors: list[Callable[[random.Random], None]] = [
                *(self._typist(editor, number) for number, editor in enumerate(editors)),
                *(self._asker(agent) for agent in agents),
                self._killer,
            ]
            dices = [random.Random(f"{self._seed} {number}") for number in range(len(actors))]
            actions = zip(actors, dices, strict=True)
            phases = self._phases
            threads = [threading.Thread(target=phases.take_part, args=action) for action in actions]
            others = multiprocessing.get_context("spawn").Process(
                target=outside, args=(phases, self._root, self._written, self._seed)
            )
            for thread in threads:
                thread.start()
            others.start()
            ends = time.monotonic() + seconds
            try:
                while time.monotonic() < ends and not self.figures.wrong:
                    phases.runs.set()
                    time.sleep(min(PHASE, max(ends - time.monotonic(), 1.0)))
                    phases.runs.clear()
                    for _ in range(len(threads) + _OUTSIDE):
                        if not phases.resting.acquire(timeout=90):
                            self.figures.wrong.append("an actor does not come to rest")
                            return
                    while not phases.failures.empty():
                        self.figures.wrong.append(phases.failures.get())
                    self._compare(editors, agents)
            finally:
                phases.is_over.set()
                phases.runs.set()
                for thread in threads:
                    thread.join(30)
                others.join(30)

    @contextmanager
    def _agent(self) -> Iterator[LineServer]:
        with LineServer("mcp", "--deadline", str(int(DEADLINE)), program="boruna-ls", cwd=str(self._root)) as agent:
            yield agent.open()

    def _is_quiet_since(self, began: float) -> bool:
        return began - self._disturbed > _DISTURBED

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
            began = time.monotonic()
            if path == self._shared:
                with self._lock:
                    # Acknowledged before the other editor types there: so it is known whose edit was the last one.
                    self._type(editor, path, text)
                    editor.settle()
            else:
                version = self._type(editor, path, text)
                if pulls:
                    editor.pull(path)
                else:
                    editor.await_diagnostics(path, version)
                self._note_key(began, time.monotonic())
            time.sleep(dice.random() * 0.06)

        return act

    def _type(self, editor: Editor, path: Path, text: str) -> int:
        """The version that the text has."""
        editor.shown.pop(path, None)
        version = editor.replace(path, text)
        self._opened[path] = text
        return version

    def _note_key(self, began: float, ended: float) -> None:
        took = ended - began
        if not (self._is_quiet_since(began) and self._is_quiet_since(ended)):
            self.figures.disturbed.append(took)
            return
        self.figures.keys.append(took)
        if took > self._key_limit:
            self.figures.wrong.append(f"a key waited for {took:.3f} s")

    def _asker(self, agent: LineServer | HttpAgent) -> Callable[[random.Random], None]:
        count = 0

        def act(dice: random.Random) -> None:
            nonlocal count
            count += 1
            name, arguments = self._question(dice, count)
            began = time.monotonic()
            if isinstance(agent, HttpAgent):
                agent.tool(name, arguments)
            else:
                agent.send(call(f"q{count}", name, **arguments))
                while agent.receive(90).get("id") != f"q{count}":
                    continue
            took = time.monotonic() - began
            if self._is_quiet_since(began):
                self.figures.answers.append(took)
                if took > DEADLINE + 1 and self._is_quiet_since(time.monotonic()):
                    self.figures.wrong.append(f"{name} took {took:.1f} s: {str(arguments)[:100]}")
            time.sleep(dice.random() * 0.1)

        return act

    def _question(self, dice: random.Random, count: int) -> tuple[str, dict[str, Any]]:
        path = str(dice.choice([*self._written, *self._switched, self._shared, self._typed[0][0]]))
        if count % 9 == 0:
            return "boruna_check", {"source": dice.choice(_HOSTILE)()}
        if count % 13 == 0:
            return "boruna_run", {"source": _ENDLESS, "max_steps": 10**12}
        candidates = [{"label": str(n), "text": program(dice, f"try_{n}")} for n in range(20)]
        questions: list[tuple[str, dict[str, Any]]] = [
            ("boruna_check", {"path": path}),
            ("boruna_check", {"source": program(dice, "inline")}),
            ("boruna_run", {"source": "fn main() -> Int { 7 }"}),
            ("boruna_symbols", {"path": path}),
            ("try_edits", {"path": path, "candidates": candidates}),
            ("workspace_diagnostics", {}),
        ]
        if self._live:
            text = dice.choice(("time_now()", "if random() < 2.0 { 1 } else { 0 }"))
            questions += [
                ("boruna_run_live", {"source": f"fn main() -> Int {{ {text} }}"}),
                ("boruna_run_live", {"source": _READS}),
            ]
        return dice.choice(questions)

    def _killer(self, dice: random.Random) -> None:
        time.sleep(PHASE * dice.random())
        if self._phases.runs.is_set() and not self._phases.is_over.is_set() and dice.random() < 0.3:
            self._disturbed = time.monotonic() + 1.0
            self._dead.append(kill(self._place, *self._dead))
            self._disturbed = time.monotonic()
            self.figures.kills += 1

    # ---- pauses -------------------------------------------------------------------------------------------------

    def _compare(self, editors: list[Editor], agents: list[LineServer | HttpAgent]) -> None:
        """All channels against a process that has seen nothing of all this."""
        self.figures.pauses += 1
        with line_server() as fresh:
            fresh.open()
            for path in sorted(self._root.glob("*.ax")):
                text = self._opened.get(path, path.read_text())
                expected = _agent_diagnostics(fresh, {"source": text})
                for number, agent in enumerate(agents):
                    self._expect(expected, _agent_diagnostics(agent, {"path": str(path)}), f"agent {number}", path)
                for number, editor in enumerate(editors):
                    if editor.texts.get(path) == text:
                        self._expect(expected, self._shown_in(editor, path, pulls=number == 1), f"editor {number}", path)
        self.figures.memory.append(status(self._place)["memory"])

    def _expect(self, expected: list[tuple[str, int]], found: list[tuple[str, int]], who: str, path: Path) -> None:
        if found != expected:
            self.figures.wrong.append(f"{who} on {path.name}: {found} instead of {expected}")

    def _shown_in(self, editor: Editor, path: Path, pulls: bool) -> list[tuple[str, int]]:
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


def _agent_diagnostics(agent: LineServer | HttpAgent, arguments: dict[str, Any]) -> list[tuple[str, int]]:
    if isinstance(agent, HttpAgent):
        diagnostics = agent.tool("boruna_check", arguments)["diagnostics"]
    else:
        agent.send(call("compare", "boruna_check", **arguments))
        while (message := agent.receive(60)).get("id") != "compare":
            continue
        diagnostics = message["result"]["structuredContent"]["diagnostics"]
    return sorted((one["id"], one["location"]["line"]) for one in diagnostics)


def session(seconds: float, seed: int, key_limit: float, over_http: bool = False, live: bool = False) -> Figures:
    """One session in a folder and with a daemon of its own (`BORUNA_LS_DIR` is set already)."""
    with tempfile.TemporaryDirectory(prefix="boruna-chaos-") as folder:
        chaos = Chaos(Path(folder).resolve(), seed, key_limit, over_http, live)
        chaos.run(seconds)
        return chaos.figures


def main() -> int:
    """The exit status: 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.chaos", description="Everybody at once, with kills.")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--key-limit", type=float, default=0.1, metavar="SECONDS", help="a key that waits longer is wrong")
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
            figures = session(options.minutes * 60, options.seed, options.key_limit, options.http, options.live)
        finally:
            stopped(folder)
    print(figures.summary())
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
