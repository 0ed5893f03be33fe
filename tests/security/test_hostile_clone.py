"""A clone that holds everything we know to be hostile, opened in Neovim and looked at by agents, beside somebody who works.

Nothing outside of the clone is read or written: the system tells (inotify) what touches the home folder, and, where strace is
there, which files the daemon opens and whether it starts a process.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support import inotify, neovim
from tests.support.commands import run
from tests.support.daemon import Agent, children, editor, processes, status, until
from tests.support.http_agent import HttpAgent
from tests.support.http_server import http_server
from tests.support.lsp import RawClient, edit
from tests.support.mcp_lines import call, request

SECRET = "-----BEGIN OPENSSH PRIVATE KEY-----\n"
FAULTY = 'import "lib"\n\nfn main() -> Int {\n    secret() + missing\n}\n'
WORK = "fn main() -> Int {\n    total\n}\n" + "".join(f"\nfn f{n}(x: Int) -> Int {{\n    x + {n}\n}}\n" for n in range(100))
KEYS = 40
ROUNDS = 5
PAUSE = 0.02
"""Seconds between two keys, and between two questions: it is the clone that is hostile, nobody floods."""
FACTOR = 2.0
"""How much longer a key may take beside the clone, in the median of the rounds."""
EVIL = ("*a*a*a*a*a*a*a*ab", "**/a*/**/a*/**/a*/b", "[!b]*[!b]*[!b]*[!b]*c", "?*?*?*?*?*?*b", "\\a*a*a*a*b/")


def hostile(home: Path, root: Path, mark: Path) -> None:
    """Fills a clone; `home` is what it would like to reach, `mark` what its commands would write."""
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id_ed25519").write_text(SECRET)
    (home / "private.ax").write_text(f"// {SECRET}fn secret() -> Int {{ 1 }}\n")
    (home / "lib" / "src").mkdir(parents=True)
    (home / "lib" / "src" / "core.ax").write_text("export fn secret() -> Int { 1 }\n")
    (home / "libs").symlink_to(home)
    (home / ".git").mkdir()
    (home / "servers.json").write_text("{}")
    (root / ".git").mkdir(parents=True)
    (root / "main.ax").write_text(FAULTY)
    links = {"notes.ax": ".ssh/id_ed25519", "private.ax": "private.ax", "key": ".ssh/id_ed25519", "outside": "", "gen": "lib"}
    for name, target in links.items():
        (root / name).symlink_to(home / target)
    (root / ".mcp.json").symlink_to(home / "servers.json")
    (root / "libs").mkdir()
    (root / "libs" / "lib").symlink_to(home / "lib")
    (root / "sub" / "deep").mkdir(parents=True)
    (root / "sub" / "boruna.toml").symlink_to(home / ".ssh" / "id_ed25519")
    (root / "sub" / ".gitignore").symlink_to(home / ".ssh" / "id_ed25519")
    (root / "sub" / "a.ax").write_text(FAULTY)
    (root / "kmsg.ax").symlink_to("/proc/kmsg")
    (root / "zero.ax").symlink_to("/dev/zero")
    (root / "loop.ax").symlink_to("loop.ax")
    (root / ".gitignore").write_text("\n".join(EVIL * 300))
    (root / ".cursor").mkdir()
    (root / ".cursor" / "mcp.json").write_text('{"a": 1' + "/**/" * 200_000 + "/*" * 100_000)
    (root / "boruna.toml").write_text(f"[workspace]\nexclude = {json.dumps([*EVIL, '*.old'] * 20, indent=1)}\n")
    for number in range(40):
        (root / "sub" / "deep" / f"{'a' * 240}{number}.ax").write_text("fn main() -> Int { 1 }\n")
    command = f"touch {mark}"
    (root / ".vscode").mkdir()
    (root / ".vscode" / "settings.json").write_text(json.dumps({"boruna.command": ["sh", "-c", command]}))
    (root / "workflow.json").write_text(
        json.dumps({"steps": [{"id": "x", "kind": "source", "source": "notes.ax", "run": command}]})
    )
    (root / "doc.md").write_text("```ax gen/src/core.ax +=\nevil\n```\n")
    (root / "up.md").write_text("```ax ../../x.ax +=\nevil\n```\n")


class Typist:
    """Somebody who works in another workspace, and waits for the diagnostics of each key."""

    def __init__(self, client: RawClient, folder: Path) -> None:
        self._client = client
        self._uri = (folder / "work.ax").as_uri()
        self._version = 1
        client.initialize()
        client.open(self._uri, WORK)
        client.published(self._uri, 1)

    def median(self, keys: int) -> float:
        """Seconds from a key to the diagnostics of the text with it."""
        waited = []
        for _ in range(keys):
            self._version += 1
            begun = time.perf_counter()
            self._client.change(self._uri, self._version, edit((1, 4), (1, 5), "abcdefghij"[self._version % 10]))
            self._client.published(self._uri, self._version)
            waited.append(time.perf_counter() - begun)
            time.sleep(PAUSE)
        return statistics.median(waited)


def questions(root: Path) -> list[dict[str, Any]]:
    """Everything about the clone that an agent may ask."""
    names = ["main.ax", "notes.ax", "private.ax", "key", "kmsg.ax", "zero.ax", "loop.ax", "outside/.ssh/id_ed25519", "sub/a.ax"]
    made = [call(0, "workspace_diagnostics"), call(0, "workspace_diagnostics", paths=["sub"])]
    for name in names:
        made += [call(0, "boruna_check", path=name), call(0, "find_references", path=name, symbol="main")]
        made += [request(0, "resources/read", {"uri": f"boruna://file/{place}"}) for place in (name, root / name)]
        made.append(call(0, "try_edits", path="main.ax", candidates=[{"files": {name: "fn main() -> Int { 2 }\n"}}]))
    return [one | {"id": number} for number, one in enumerate(made, 1)]


class Actor:
    """Somebody who looks at the clone on a thread, again and again; what failed is raised at the end.

    The thread and the processes that it starts have the least priority: the daemon is measured, not the machine.
    """

    def __init__(self, act: Callable[[], None]) -> None:
        self._act = act
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        try:
            self._act()
        except Exception as error:
            self._failure = error

    def join(self) -> None:
        self._thread.join()
        if self._failure is not None:
            raise self._failure


class Signs:
    """What everybody who looks at the clone goes by: signs in a folder, for Neovim's sake."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def is_set(self, name: str) -> bool:
        return (self.folder / name).exists()

    def set(self, name: str) -> None:
        (self.folder / name).touch()

    def clear(self, name: str) -> None:
        (self.folder / name).unlink(missing_ok=True)

    def goes_on(self) -> bool:
        """Waits while everybody rests; False at the end."""
        while self.is_set("pause") and not self.is_set("stop"):
            time.sleep(0.01)
        return not self.is_set("stop")


@contextmanager
def traced(process: int, folder: Path) -> Iterator[list[str]]:
    """A list that holds, after the block, the calls by which a process opened files or started another; empty without strace."""
    found: list[str] = []
    log, strace = folder / "calls", shutil.which("strace")
    if strace is None:
        yield found
        return
    line = [strace, "-f", "-y", "-s", "300", "-o", str(log), "-p", str(process)]
    tracer = subprocess.Popen([*line, "-e", "trace=open,openat,openat2,creat,execve,execveat,fork,vfork,clone,clone3"])
    time.sleep(0.5)
    yield found
    tracer.terminate()
    tracer.wait(30)
    found += log.read_text(errors="replace").splitlines() if log.exists() else []


def faults(calls: list[str], home: Path) -> list[str]:
    """The system calls that a clone must not bring about."""
    opened = re.compile(rf"= \d+<(?:{re.escape(str(home))}|/dev/zero|/proc/kmsg)")
    started = re.compile(r"\b(?:execve|execveat|fork|vfork)\(|\bclone3?\((?!.*CLONE_THREAD)")
    return [call for call in calls if opened.search(call) or started.search(call)]


def contents(root: Path) -> dict[str, str]:
    """All that is in a folder, by path: links are not followed."""
    found = {}
    for folder, names, files in os.walk(root):
        for path in (Path(folder, name) for name in (*names, *files)):
            is_file = path.is_file() and not path.is_symlink()
            found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest() if is_file else str(path.is_symlink())
    return found


def ratios(typist: Typist, signs: Signs, daemon: int) -> tuple[list[float], list[int]]:
    """How much longer a key takes beside the clone, in each round; and the processes that the daemon has started meanwhile."""
    found, started = [], set()
    for _ in range(ROUNDS):
        signs.set("pause")
        time.sleep(0.1)
        idle = typist.median(KEYS)
        signs.clear("pause")
        busy = typist.median(KEYS)
        print(f"a key takes {idle * 1000:.1f} ms idle, {busy * 1000:.1f} ms beside the clone")
        found.append(busy / idle)
        started |= {*children(daemon)}
    return found, sorted(started)


@pytest.mark.skipif(neovim.editor() is None or not sys.platform.startswith("linux"), reason=neovim.MISSING)
def test_a_hostile_clone_reaches_nobody(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, root, work, mark = tmp_path / "home", tmp_path / "clone", tmp_path / "work", tmp_path / "executed"
    hostile(home, root, mark)
    for folder in (work, tmp_path / "nvim"):
        folder.mkdir()
    (work / "boruna.toml").touch()
    signs = Signs(tmp_path / "signs")
    monkeypatch.setenv("BORUNA_SIGNS", str(signs.folder))
    before = contents(root)
    seen: dict[str, Any] = {}
    said: list[str] = []

    def agent() -> None:
        asker = Agent(root).open()
        while signs.goes_on():
            answers = []
            for question in questions(root):
                signs.goes_on()
                answers.append(json.dumps(asker.ask(question)))
                time.sleep(PAUSE)
            said[:] = answers
            signs.set("asked")
        asker.leave()

    def human() -> None:
        seen.update(neovim.seen_by(Path(__file__).with_name("hostile_clone.lua"), tmp_path / "nvim", root))

    with editor(work) as client, http_server("--root", str(root), cwd=root) as server:
        typist, daemon, remote = Typist(client, work), status(place)["pid"], HttpAgent(server)
        typist.median(10)
        with inotify.touched(home) as touched:
            with traced(daemon, tmp_path) as calls:
                actors = [Actor(agent), Actor(human)]
                until(lambda: signs.is_set("asked") and signs.is_set("works"))
                confined = remote.tool("boruna_check", {"source": FAULTY, "file_name": str(home / "x.ax")})
            slowdowns, started = ratios(typist, signs, daemon)
            signs.set("stop")
            for actor in actors:
                actor.join()
            checked = run("check", ".", cwd=root)
            extracted = [run("literate", "extract", name, cwd=root) for name in ("doc.md", "up.md")]
            assert contents(root) == before
            configured = run("setup", "cursor", "--write", cwd=root)
    assert touched == []
    assert faults(calls, home) == []
    assert any("main.ax" in call for call in calls) or shutil.which("strace") is None
    assert started == []
    assert not mark.exists()
    assert len(processes(place)) == 1
    # The library is none of this workspace, whatever an agent says that its program is called.
    assert "E013" in seen["errors"]
    assert "E013" in {one["id"] for one in confined["diagnostics"]}
    assert len(said) == len(questions(root))
    assert "PRIVATE KEY" not in "".join([*said, checked.stdout, checked.stderr, *(one.stderr for one in extracted)])
    assert [one.returncode for one in extracted] == [1, 1]
    assert "cannot be changed" in configured.stderr
    assert sorted(os.listdir(home)) == [".git", ".ssh", "lib", "libs", "private.ax", "servers.json"]
    assert statistics.median(slowdowns) <= FACTOR, slowdowns


def test_what_a_clone_must_not_bring_about_is_recognised(tmp_path: Path) -> None:
    home = tmp_path / "home"
    at_home = f'7 openat(AT_FDCWD</>, "notes.ax", O_RDONLY|O_CLOEXEC) = 15<{home}/.ssh/id_ed25519>'
    bad = [at_home, '7 openat(3</a>, "z", O_RDONLY) = 4</dev/zero>', '7 execve("/bin/sh", ["sh"], 0x7ff) = 0', "7 vfork() = 8"]
    bad.append("7 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD, child_tidptr=0x7f) = 9")
    fine = ['7 openat(3</a>, "notes.ax", O_NOFOLLOW) = -1 ELOOP', f"7 clone3({{flags=CLONE_VM|CLONE_THREAD}}) = 9<{tmp_path}>"]
    assert faults([*fine, *bad], home) == bad


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no such device")
def test_a_link_to_a_device_under_a_name_that_a_user_types_ends_as_an_error(tmp_path: Path) -> None:
    (tmp_path / "ok.ax").write_text("fn main() -> Int { 1 }\n")
    for name in ("policy.json", "module.axbc", "guide.md", "odd.ax"):
        (tmp_path / name).symlink_to("/dev/zero")
    for line in (
        ("run", "ok.ax", "--policy", "policy.json"),
        ("run", "ok.ax", "--replay", "policy.json"),
        ("run", "module.axbc"),
        ("literate", "extract", "guide.md"),
        ("fmt", "odd.ax"),
        ("policy", "show", "policy.json"),
        ("workflow", "run", ".", "--policy", "policy.json"),
    ):
        said = run(*line, cwd=tmp_path)
        assert said.returncode != 0, line
        assert "internal error" not in said.stderr, (line, said)
