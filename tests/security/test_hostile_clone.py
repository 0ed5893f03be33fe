"""A clone that holds everything we know to be hostile, opened in Neovim and looked at by an agent, beside somebody who works."""

from __future__ import annotations

import json
import os
import statistics
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support import inotify, neovim
from tests.support.daemon import Agent, children, editor, processes, status
from tests.support.lsp import RawClient, edit
from tests.support.mcp_lines import call, request

SECRET = "-----BEGIN OPENSSH PRIVATE KEY-----\n"
FAULTY = 'import "lib"\n\nfn main() -> Int {\n    secret() + missing\n}\n'
WORK = "fn main() -> Int {\n    total\n}\n" + "".join(f"\nfn f{n}(x: Int) -> Int {{\n    x + {n}\n}}\n" for n in range(100))
KEYS = 40
ROUNDS = 5
SLACK = 0.005
"""Seconds: what a busy machine adds."""
EVIL = ("*a*a*a*a*a*a*a*ab", "**/a*/**/a*/**/a*/b", "[!b]*[!b]*[!b]*[!b]*c", "?*?*?*?*?*?*b", "\\a*a*a*a*b/")


def hostile(home: Path, root: Path, mark: Path) -> None:
    """Fills a clone; `home` is what it would like to reach, `mark` what its commands would write."""
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id_ed25519").write_text(SECRET)
    (home / "private.ax").write_text(f"// {SECRET}fn secret() -> Int {{ 1 }}\n")
    (home / "lib" / "src").mkdir(parents=True)
    (home / "lib" / "src" / "core.ax").write_text("export fn secret() -> Int { 1 }\n")
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
    (root / "boruna.toml").write_text(f"[workspace]\nexclude = {json.dumps([*EVIL, '*.old'] * 20, indent=1)}\n")
    for number in range(40):
        (root / "sub" / "deep" / f"{'a' * 240}{number}.ax").write_text("fn main() -> Int { 1 }\n")
    command = f"touch {mark}"
    (root / ".vscode").mkdir()
    (root / ".vscode" / "settings.json").write_text(json.dumps({"boruna.command": ["sh", "-c", command]}))
    (root / "workflow.json").write_text(
        json.dumps({"steps": [{"id": "x", "kind": "source", "source": "notes.ax", "run": command}]})
    )
    (root / "doc.md").write_text("```ax ../../x.ax +=\n```\n```ax gen/src/core.ax +=\nevil\n```\n")


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
            time.sleep(0.02)
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


@pytest.mark.skipif(neovim.editor() is None or not sys.platform.startswith("linux"), reason=neovim.MISSING)
def test_a_hostile_clone_reaches_nobody(place: Path, tmp_path: Path) -> None:
    home, root, work, mark = tmp_path / "home", tmp_path / "clone", tmp_path / "work", tmp_path / "executed"
    hostile(home, root, mark)
    work.mkdir()
    (work / "boruna.toml").touch()
    seen: dict[str, Any] = {}
    said: list[str] = []
    is_asking, is_over = threading.Event(), threading.Event()

    def agent() -> None:
        asker = Agent(root).open()
        while not is_over.is_set():
            answers = []
            for question in questions(root):
                is_asking.wait()
                answers.append(json.dumps(asker.ask(question)))
            said[:] = answers
        asker.leave()

    def human() -> None:
        folder = tmp_path / "nvim"
        folder.mkdir()
        seen.update(neovim.seen_by(Path(__file__).with_name("hostile_clone.lua"), folder, root))

    with editor(work) as client:
        typist = Typist(client, work)
        typist.median(10)
        with inotify.touched(home) as touched:
            threads = [threading.Thread(target=agent), threading.Thread(target=human)]
            is_asking.set()
            for thread in threads:
                thread.start()
            threads[1].join()
            # Other tests share the processors: idle and busy are measured in turns, until one turn was not disturbed.
            for _ in range(ROUNDS):
                is_asking.clear()
                idle = typist.median(KEYS)
                is_asking.set()
                busy = typist.median(KEYS)
                print(f"a key takes {idle * 1000:.1f} ms idle, {busy * 1000:.1f} ms beside the clone")
                if is_undisturbed := busy <= 2 * idle + SLACK:
                    break
            is_over.set()
            threads[0].join()
            started = children(status(place)["pid"])
    assert is_undisturbed
    assert touched == []
    assert started == []
    assert not mark.exists()
    assert len(processes(place)) == 1
    # The library is none of this workspace.
    assert "E013" in seen["errors"]
    assert said
    assert "PRIVATE KEY" not in "".join(said)
    assert sorted(os.listdir(home)) == [".ssh", "lib", "private.ax", "servers.json"]
