"""Kills servers at every capability call of a program that gives a tool's results to a mind and the mind's answers to a tool.

`python -m tests.executions.combined_kills` kills at each call in each way, `test_kills.py` at some. What reached the tool is
counted by the tool's own server, outside of everything that is killed.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.executions.kills import Dead, Server
from tests.executions.slow_tool import SECONDS

ROUNDS: Final = 2
PROGRAM: Final = f"""import mcp.notes

fn main() -> String !{{llm.call, mcp.call}} {{
    let mut step: Int = 0
    let mut said: String = ""
    while step < {ROUNDS} {{
        let number = __builtin_int_to_string(step)
        let read = notes::note("read " ++ number).all_text()
        let answer = llm_call(read)
        let written = notes::note("write " ++ number ++ " " ++ answer).all_text()
        said = said ++ read ++ "|" ++ answer ++ "|" ++ written ++ "\\n"
        step = step + 1
    }}
    said
}}
"""
POLICY: Final = {
    "schema_version": 1,
    "default_allow": False,
    "rules": {"mcp.call": {"allow": True, "budget": 2 * ROUNDS}},
    "mcp_policy": {"notes": ["note"]},
}
_TOOL: Final = Path(__file__).with_name("slow_tool.py")
_SUBMITTING: Final = 0.004
"""Seconds after an answer was sent: somewhere between its arrival and the acknowledgement."""


class Kill(NamedTuple):
    """`call` is the number of a capability call: a tool, a mind, a tool, and again.

    `way`, at a tool: "during" it, or "after" its answer was sent. At a mind: when it was "asked", while it is "submitting", when
    its answer was "accepted".
    """

    call: int
    way: str


def every() -> list[Kill]:
    """All places where a server is killed."""
    ways = ("during", "after"), ("asked", "submitting", "accepted"), ("during", "after")
    return [Kill(call, way) for call in range(3 * ROUNDS) for way in ways[call % 3]]


class Place:
    """A workspace with a tool that the owner allows. Uses the folders of the environment."""

    def __init__(self, scratch: Path) -> None:
        self.folder = scratch / "work"
        self.folder.mkdir()
        self._log = scratch / "noted.txt"
        (self.folder / "boruna.toml").write_text("")
        server = {"command": sys.executable, "args": ["-S", "-E", str(_TOOL), str(self._log)]}
        (self.folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"notes": server}}))
        (self.folder / "program.ax").write_text(PROGRAM)
        trust = scratch / "config" / "boruna"
        trust.mkdir(parents=True, mode=0o700)
        (trust / "trust.toml").write_text(f'[workspace."{self.folder}"]\nmcp_servers = ["notes"]\n')
        (trust / "trust.toml").chmod(0o600)
        os.environ |= {"XDG_CONFIG_HOME": str(scratch / "config"), "BORUNA_LS_STATE": str(scratch / "state")}

    def noted(self) -> Counter[str]:
        """Calls that reached the tool, with their numbers."""
        return Counter(self._log.read_text().splitlines() if self._log.exists() else ())


class Story:
    """One execution that is driven to its end over one kill."""

    def __init__(self, place: Place, kill: Kill) -> None:
        self._place = place
        self._name = f"kill-{kill.call}-{kill.way}"
        self._kill: Kill | None = kill
        self._before = place.noted()
        self._texts: dict[str, str] = {}
        """Questions to the mind, by task."""
        self._sent: set[str] = set()
        self._accepted: dict[str, str] = {}
        self.was_killed = False

    def problems(self) -> list[str]:
        """Drives it, and says what is wrong."""
        result = self._result()
        found = [] if self.was_killed else ["the server was not killed"]
        noted = self._noted()
        rows = [line.split("|") for line in result.splitlines()]
        if len(rows) != ROUNDS or len(self._texts) != ROUNDS or len(set(self._texts.values())) != ROUNDS:
            found.append(f"asked {self._texts}, came to {result!r}")
        for step, (read, answer, written) in enumerate(rows):
            if answer not in self._sent:
                found.append(f"step {step}: {answer!r} was never sent")
            for text, got in ((f"read {step}", read), (f"write {step} {answer}", written)):
                count = noted.pop(text, 0)
                if count > 1 or (count == 0 and got == f"noted {text}") or (got != f"noted {text}" and "interrupted" not in got):
                    found.append(f"step {step}: {text!r} was noted {count} times: {got!r}")
        lost = set(self._accepted.values()) - {row[1] for row in rows}
        found += [f"{text!r} was accepted and lost" for text in lost]
        found += [f"{text!r} was noted, and the program knows nothing of it" for text in noted]
        return [f"{self._name}: {one}" for one in found]

    def _noted(self) -> Counter[str]:
        return self._place.noted() - self._before

    def _result(self) -> str:
        while True:
            server = Server(self._place.folder)
            try:
                return self._driven(server)
            except Dead:
                self.was_killed, self._kill = True, None
            finally:
                server.close()

    def _driven(self, server: Server) -> str:
        server.ask("loadFile", programId="combined", filePath="program.ax")
        server.ask("start", programId="combined", executionId=self._name, policy=POLICY)  # or it has been started before
        while True:
            with self._killer(server):
                answer = server.ask("getTask", executionId=self._name)
            if answer.get("status") == "completed":
                return str(answer["result"])
            if answer.get("status") == "waiting":
                self._think(server, answer)
            elif answer.get("status") != "running":
                return f"{answer}|?|?"

    def _think(self, server: Server, task: dict[str, Any]) -> None:
        kill = self._kill if self._kill is not None and self._kill.call == 1 + 3 * len(self._accepted) else None
        name = task["taskId"]
        if self._texts.setdefault(name, task["prompt"]) != task["prompt"]:
            self._texts[f"{name} again"] = task["prompt"]
        if kill is not None and kill.way == "asked":
            self._end(server)
        timer = threading.Timer(_SUBMITTING, server.process.kill)
        if kill is not None and kill.way == "submitting":
            timer.start()
        text = f"thought {len(self._sent)}"
        self._sent.add(text)
        if server.ask("submitTask", executionId=self._name, result=text, taskId=name).get("accepted"):
            self._accepted[name] = text
        if kill is not None:
            self._end(server)

    def _end(self, server: Server) -> None:
        server.process.kill()
        server.process.wait()
        raise Dead

    @contextmanager
    def _killer(self, server: Server) -> Iterator[None]:
        """Kills the server over the call of a tool that this request comes to."""
        kill, over = self._kill, threading.Event()

        def watch(number: int, seconds: float) -> None:
            while not over.wait(0.001):
                if self._noted().total() > number:
                    time.sleep(seconds)
                    server.process.kill()
                    return

        thread = threading.Thread(target=lambda: None)
        if kill is not None and kill.call % 3 != 1:
            number = 2 * (kill.call // 3) + (kill.call % 3) // 2
            thread = threading.Thread(target=watch, args=(number, 0.0 if kill.way == "during" else SECONDS))
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def killed(kills: Iterable[Kill], scratch: Path) -> list[str]:
    """Problems after a kill at each of these places."""
    place = Place(scratch)
    return [problem for kill in kills for problem in Story(place, kill).problems()]


def main() -> int:
    begins = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        problems = killed(every(), Path(scratch))
    took = time.monotonic() - begins
    print("\n".join([*problems, f"{len(every())} kills in {took:.0f} s, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
