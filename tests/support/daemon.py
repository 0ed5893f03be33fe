"""Daemons of the tests: clients as real editors and agents start them, the state as the command line asks for it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from boruna_ls.rendezvous import places
from boruna_ls.rendezvous.ask import ask
from tests.support.commands import command
from tests.support.lsp import RawClient
from tests.support.mcp_lines import LineServer, call

PATIENCE = 60.0


class Agent(LineServer):
    """An MCP client behind a forwarder; the environment says in which folder its daemon is."""

    def __init__(self, cwd: Path, *arguments: str) -> None:
        super().__init__("mcp", *arguments, program="boruna-ls", cwd=str(cwd))

    def check(self, **arguments: Any) -> dict[str, Any]:
        """The answer of boruna_check."""
        result = self.ask(call("check", "boruna_check", **arguments))["result"]
        return dict(result["structuredContent"])

    def leave(self) -> None:
        """Ends politely, having been answered everything."""
        assert self.end() == (0, [])


def editor(cwd: Path, *arguments: str) -> RawClient:
    """A language client behind a forwarder."""
    return RawClient(cwd, [command("boruna-ls"), "lsp", *arguments])


def stopped(folder: str | Path) -> None:
    """Ends the daemon of a folder, if one runs, and waits until it is gone."""
    try:
        found = ask(str(folder), "stop", PATIENCE)
    except OSError:
        return
    if found is not None:
        until(lambda: not is_running(found["pid"]))


def status(folder: str | Path) -> dict[str, Any]:
    """Status of a folder's daemon."""
    found = ask(str(folder), "status", PATIENCE)
    assert found is not None, "no daemon runs"
    return found


def clients(folder: str | Path) -> int:
    """Number of clients of a folder's daemon; 0 if none runs."""
    found = ask(str(folder), "status", PATIENCE)
    return len(found["clients"]) if found is not None else 0


def left(folder: str | Path) -> list[str]:
    """Entries of a folder besides the logs and the notes about the newest package and the editors."""
    logs = (places.log_path(""), places.errors_path(""), places.installation_prefix(), places.greetings_path(""))
    return [name for name in sorted(os.listdir(folder)) if not name.startswith(logs)]


def processes(folder: str | Path) -> list[int]:
    """The daemons of a folder that live."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and is_running(int(name)):
            try:
                words = Path("/proc", name, "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if os.fsencode(folder) in words and any(word.endswith(b"daemon/__main__.py") for word in words):
                found.append(int(name))
    return found


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(word) for task in tasks for word in task.read_text().split()]


def until(condition: Callable[[], object], patience: float = PATIENCE) -> None:
    """Waits for something to become true."""
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, "it does not happen"
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    """True if a process lives; one that nobody has waited for yet is dead all the same.

    Its threads die one by one, and only the last one closes its files: the first may be dead before its connections are.
    """
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return any(_is_alive(f"/proc/{pid}/task/{thread}/stat") for thread in threads)


def _is_alive(stat: str) -> bool:
    try:
        with open(stat, "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except (FileNotFoundError, ProcessLookupError):
        return False


def daemon(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """`boruna-ls daemon ARGUMENTS`."""
    line = [command("boruna-ls"), "daemon", *arguments]
    return subprocess.run(line, cwd=cwd, capture_output=True, encoding="utf-8", timeout=PATIENCE)


def loaded(place: Path) -> int:
    """A daemon's memory once it has loaded all that it loads ahead, and made its tables: as soon as that stays the same."""
    until(lambda: status(place)["loaded"])
    memory, since = -1, time.monotonic()
    while time.monotonic() - since < 2:
        time.sleep(0.5)
        now: int = status(place)["memory"]
        if abs(now - memory) > 1 << 20:
            memory, since = now, time.monotonic()
    return memory
