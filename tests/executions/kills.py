"""Kills servers at random moments: `python -m tests.executions.kills [--count 200] [--seed N]`.

An agent drives executions whose programs ask a mind and then fetch from a server that counts. Servers die in the middle of calls;
the agent goes on with the next one. No answer that was accepted may be lost, no task asked again after that, no effect repeated.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol

from tests.support.commands import command
from tests.support.mcp_lines import INITIALIZED, call, initialize

STEPS = 6
LONGEST = 4.0
"""Steps after whose time a server is killed at most, counted from when it is ready."""
PROGRAM = """fn main() -> String !{{llm.call, net.fetch}} {{
    let mut step: Int = 0
    let mut said: String = ""
    while step < {steps} {{
        let number = __builtin_int_to_string(step)
        let answer = llm_call("question " ++ number)
        let fetched = match net_fetch("http://127.0.0.1:{port}/{name}/" ++ number) {{ Ok(text) => text, Err(reason) => reason }}
        said = said ++ answer ++ "=" ++ fetched ++ "|"
        step = step + 1
    }}
    said
}}
"""


class Dead(Exception):
    """The server has been killed."""


class Asked(Protocol):
    """What a story is told to."""

    def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The answer of a tool. Raises Dead."""

    def kill_in(self, seconds: float) -> None:
        """Has the server killed after this time."""


class Server:
    """A server process that is killed after a while; `ask` raises Dead from then on."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [command("boruna-mcp"), "--standalone"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
        )
        self._number = 0
        self._post(initialize(version="2025-11-25"))
        self._receive()
        self._post(INITIALIZED)

    def kill_in(self, seconds: float) -> None:
        timer = threading.Timer(seconds, self.process.kill)
        timer.daemon = True
        timer.start()

    def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        self._number += 1
        self._post(call(self._number, tool, **arguments))
        while (message := self._receive()).get("id") != self._number:
            pass
        return dict(message["result"]["structuredContent"])

    def _post(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise Dead from None

    def _receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            raise Dead
        return dict(json.loads(line))

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]


@contextlib.contextmanager
def counting(rng: random.Random) -> Iterator[tuple[int, Counter[str]]]:
    """A server that counts what is fetched from it, some of it slowly; its port and the counts by path."""
    counts: Counter[str] = Counter()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            counts[self.path] += 1
            time.sleep(rng.uniform(0.0, 0.05))
            with contextlib.suppress(OSError):
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"done")

        def log_message(self, *arguments: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1], counts
    finally:
        server.shutdown()
        server.server_close()


class Story:
    """One execution as its agent knows it."""

    def __init__(self, name: str, port: int) -> None:
        self.name = name
        self.source = PROGRAM.format(steps=STEPS, port=port, name=name)
        self.policy = {
            "schema_version": 1,
            "default_allow": False,
            "rules": {"net.fetch": {"allow": True, "budget": STEPS}},
            "net_policy": {"allowed_domains": ["127.0.0.1"], "allowed_methods": ["GET"]},
        }
        self.accepted: dict[str, str] = {}
        """Answers that the server has accepted, by task."""
        self.prompts: dict[str, str] = {}
        self.answers = 0
        self.problems: list[str] = []
        self.result: str | None = None
        self.pace: list[float] = []
        """Seconds that steps took."""

    def drive(self, server: Asked, kill_in: float | None) -> None:
        """Goes on from wherever the execution stands, to its end; the server is killed so long after it is ready. Raises Dead."""
        server.ask("load", programId=self.name, source=self.source)
        server.ask("start", programId=self.name, executionId=self.name, policy=self.policy)  # or it has been started before
        if kill_in is not None:
            server.kill_in(kill_in)
        while True:
            begins = time.monotonic()
            answer = server.ask("getTask", executionId=self.name)
            if answer.get("status") == "waiting":
                self._answered(server, answer)
                self.pace.append(time.monotonic() - begins)
            elif answer.get("status") == "completed":
                self.result = answer["result"]
                return
            elif answer.get("status") != "running":
                self.problems.append(f"{self.name}: {json.dumps(answer)[:500]}")
                self.result = ""
                return

    def _answered(self, server: Asked, task: dict[str, Any]) -> None:
        name, prompt = task["taskId"], task["prompt"]
        if name in self.accepted:
            self.problems.append(f"{self.name}: {name} was asked again after its answer was accepted")
        if self.prompts.setdefault(prompt, name) != name:
            self.problems.append(f"{self.name}: {prompt!r} was asked as {self.prompts[prompt]} and as {name}")
        self.answers += 1
        text = f"{self.name}.{self.answers}"
        if server.ask("submitTask", executionId=self.name, result=text, taskId=name).get("accepted"):
            self.accepted[name] = text

    def checked(self, server: Asked, counts: Counter[str]) -> list[str]:
        """Problems of an execution that has ended."""
        problems = list(self.problems)
        record = server.ask("get_execution", executionId=self.name)
        answers = {task["taskId"]: task["answer"] for task in record["tasks"]}
        problems += [
            f"{self.name}: the answer {text} of {name} was lost"
            for name, text in self.accepted.items()
            if answers.get(name) != text
        ]
        if len(answers) != STEPS:
            problems.append(f"{self.name}: {len(answers)} tasks")
        parts = [part.split("=", 1) for part in (self.result or "").split("|") if part]
        if [part[0] for part in parts] != list(answers.values()):
            problems.append(f"{self.name}: the result {self.result!r} does not hold the answers {list(answers.values())}")
        for step, (_, fetched) in enumerate(parts):
            count = counts[f"/{self.name}/{step}"]
            if count > 1 or (count == 0 and fetched == "done") or (fetched != "done" and "interrupted" not in fetched):
                problems.append(f"{self.name}: step {step} fetched {count} times: {fetched}")
        return problems


def prepared(scratch: Path) -> Path:
    """A workspace whose programs may fetch from this machine; the environment names folders in `scratch` from now on."""
    work = scratch / "work"
    work.mkdir()
    (work / "boruna.toml").write_text("")
    trust = scratch / "config" / "boruna"
    trust.mkdir(parents=True, mode=0o700)
    (trust / "trust.toml").write_text(f'[workspace."{work}"]\nnet_hosts = ["127.0.0.1"]\n')
    (trust / "trust.toml").chmod(0o600)
    os.environ |= {"XDG_CONFIG_HOME": str(scratch / "config"), "BORUNA_LS_STATE": str(scratch / "state")}
    return work


def killed(count: int, seed: int, scratch: Path) -> tuple[list[str], dict[str, int]]:
    """Problems after this number of kills, and counts of events. Uses the folders of the environment."""
    rng, done, number, interrupted = random.Random(seed), 0, 0, 0
    work = prepared(scratch)
    problems: list[str] = []
    pace = [0.2]
    server = Server(work)
    try:
        with counting(rng) as (port, counts):
            while done < count:
                story, number = Story(f"e{number}", port), number + 1
                while story.result is None:
                    seconds = rng.uniform(0.0, LONGEST) * statistics.median([*pace, *story.pace][-20:])
                    try:
                        story.drive(server, seconds if done < count else None)
                    except Dead:
                        done += 1
                        server.close()
                        server = Server(work)
                pace += story.pace
                server.close()
                server = Server(work)
                problems += story.checked(server, counts)
                interrupted += (story.result or "").count("interrupted")
        return problems, {"kills": done, "executions": number, "effects": counts.total(), "interrupted": interrupted}
    finally:
        server.close()


def kill_command(text: str, killed: Callable[[int, int, Path], tuple[list[str], dict[str, int]]], count: int) -> int:
    """Run a command that kills: exit status 1 if there were problems. `text` is its help, `count` its usual number of kills."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        problems, counts = killed(options.count, options.seed, Path(scratch))
    told = ", ".join(f"{number} {name}" for name, number in counts.items())
    print("\n".join([*problems, f"seed {options.seed}: {told}, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(kill_command(__doc__, killed, 200))
