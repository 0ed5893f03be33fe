"""Everybody of the chaos but the editors: agents, agents that die, a shell. They are in a process of their own, since starting
processes and reading large answers stops all threads of a process, 0.2 s were seen on two busy processors: no key waits for that.
"""

from __future__ import annotations

import multiprocessing
import random
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.support.commands import end
from tests.support.http_agent import HttpAgent
from tests.support.http_server import http_server
from tests.support.mcp_lines import INITIALIZED, LineServer, call, initialize

DEADLINE = 5.0
DISTURBED = 5.0
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

Shown = list[tuple[str, int]]
"""Codes and lines of diagnostics, in order."""


def program(dice: random.Random, label: str) -> str:
    """A small program with some mistakes that name the label."""
    wrong = "".join(f"fn wrong_{n}() -> Int {{\n    missing_{label}_{n}\n}}\n\n" for n in range(dice.randrange(3)))
    return f"{wrong}fn main() -> Int {{\n    {dice.randrange(1000)}\n}}\n"


def git(folder: Path, *arguments: str) -> None:
    """One git command."""
    identity = ["-c", "user.name=tests", "-c", "user.email=tests@example.invalid"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


class Phases:
    """When the actors of both processes act, rest and end, and when the daemon was killed."""

    def __init__(self) -> None:
        processes = multiprocessing.get_context("spawn")
        self.runs, self.is_over = processes.Event(), processes.Event()
        self.resting = processes.Semaphore(0)
        self.failures = processes.SimpleQueue()
        self.disturbed = processes.Value("d", 0.0)
        """Monotonic time of the latest end of a daemon; one that is in the future if it is being killed."""

    def take_part(self, actor: Callable[[random.Random], None], dice: random.Random) -> None:
        """Lets an actor act again and again, until the end."""
        while True:
            self.runs.wait()
            while self.goes_on():
                try:
                    actor(dice)
                except Exception as error:
                    self.failures.put(f"{actor.__name__}: {type(error).__name__}: {error}")
                    break
            self.resting.release()
            while self.goes_on():
                time.sleep(0.01)
            if self.is_over.is_set():
                return

    def goes_on(self) -> bool:
        """False in a pause and at the end."""
        return self.runs.is_set() and not self.is_over.is_set()

    def is_quiet_since(self, began: float) -> bool:
        """True if no daemon has ended shortly before a moment, or since."""
        return began - float(self.disturbed.value) > DISTURBED


@dataclass(frozen=True)
class Scene:
    """What both processes know of a session."""

    root: Path
    seed: int
    written: tuple[Path, ...]
    """Files that the shell writes."""
    asked: tuple[Path, ...]
    """Files that agents ask about."""
    over_http: bool
    live: bool

    @property
    def agents(self) -> int:
        """Number of agents that stay."""
        return 4

    @property
    def actors(self) -> int:
        """Number of actors of the other process."""
        return self.agents + 2


@dataclass
class Report:
    """What the other process tells at a pause."""

    answers: list[float] = field(default_factory=list)
    """Seconds that each answer took."""
    wrong: list[str] = field(default_factory=list)


class Outside:
    """The actors."""

    def __init__(self, phases: Phases, scene: Scene) -> None:
        self._phases, self._scene = phases, scene
        self.report = Report()

    def act(self, expectations: Connection) -> None:
        """Until the session is over. At each pause it receives the diagnostics of each file, and answers with a `Report`."""
        with ExitStack() as stack:
            agents: list[LineServer | HttpAgent] = [
                stack.enter_context(
                    LineServer("mcp", "--deadline", f"{DEADLINE:g}", program="boruna-ls", cwd=str(self._scene.root))
                )
                for _ in range(2 if self._scene.over_http else self._scene.agents)
            ]
            for agent in agents:
                if isinstance(agent, LineServer):
                    agent.open()
            if self._scene.over_http:
                server = stack.enter_context(http_server("--deadline", f"{DEADLINE:g}", cwd=self._scene.root))
                agents += [HttpAgent(server) for _ in range(2)]
            actors = [*map(self._asker, agents), self._shell, self._mortal]
            threads = [
                threading.Thread(
                    target=self._phases.take_part, args=(actor, random.Random(f"{self._scene.seed} outside {number}"))
                )
                for number, actor in enumerate(actors)
            ]
            for thread in threads:
                thread.start()
            expectations.send(None)
            while (expected := expectations.recv()) is not None:
                expectations.send(self._compared(agents, expected))
            for thread in threads:
                thread.join(30)

    def _compared(self, agents: list[LineServer | HttpAgent], expected: dict[Path, Shown]) -> Report:
        for path, diagnostics in expected.items():
            for number, agent in enumerate(agents):
                if (shown := agent_diagnostics(agent, {"path": str(path)})) != diagnostics:
                    self.report.wrong.append(f"agent {number} on {path.name}: {shown} instead of {diagnostics}")
        report, self.report = self.report, Report()
        return report

    def _asker(self, agent: LineServer | HttpAgent) -> Callable[[random.Random], None]:
        count = 0

        def ask(dice: random.Random) -> None:
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
            if self._phases.is_quiet_since(began):
                self.report.answers.append(took)
                if took > DEADLINE + 1 and self._phases.is_quiet_since(time.monotonic()):
                    self.report.wrong.append(f"{name} took {took:.1f} s: {str(arguments)[:100]}")
            time.sleep(dice.random() * 0.1)

        return ask

    def _question(self, dice: random.Random, count: int) -> tuple[str, dict[str, Any]]:
        path = str(dice.choice(self._scene.asked))
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
        if self._scene.live:
            text = dice.choice(("time_now()", "if random() < 2.0 { 1 } else { 0 }"))
            questions += [
                ("boruna_run_live", {"source": f"fn main() -> Int {{ {text} }}"}),
                ("boruna_run_live", {"source": _READS}),
            ]
        return dice.choice(questions)

    def _shell(self, dice: random.Random) -> None:
        root, written = self._scene.root, self._scene.written
        if dice.random() < 0.2:
            for path in written:
                git(root, "checkout", "--quiet", "--", path.name)
            git(root, "checkout", "--quiet", "-f", dice.choice(["one", "two"]))
        else:
            dice.choice(written).write_text(program(dice, "shell"))
        time.sleep(dice.random() * 0.3)

    def _mortal(self, dice: random.Random) -> None:
        """An agent that dies in the middle of a run."""
        agent = LineServer("mcp", program="boruna-ls", cwd=str(self._scene.root))
        agent.send(initialize(), INITIALIZED, call(1, "boruna_run", source=_ENDLESS, max_steps=10**12))
        time.sleep(dice.random())
        end(agent.process)
        time.sleep(dice.random() * 2)


def agent_diagnostics(agent: LineServer | HttpAgent, arguments: dict[str, Any]) -> Shown:
    """What `boruna_check` answers."""
    if isinstance(agent, HttpAgent):
        diagnostics = agent.tool("boruna_check", arguments)["diagnostics"]
    else:
        agent.send(call("compare", "boruna_check", **arguments))
        while (message := agent.receive(60)).get("id") != "compare":
            continue
        diagnostics = message["result"]["structuredContent"]["diagnostics"]
    return sorted((one["id"], one["location"]["line"]) for one in diagnostics)


def act(phases: Phases, scene: Scene, expectations: Connection) -> None:
    """What the other process does."""
    Outside(phases, scene).act(expectations)
