"""A disk that dies in the middle of a request: at each kind of file that we read, in each kind of request."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

from boruna_ls.deadline import Deadline
from boruna_ls.effects.broker import THREADS, Broker
from boruna_ls.effects.effect import Bounds
from boruna_ls.effects.grants import Grant
from boruna_ls.runtime.policy import read_policy
from tests.support.commands import end
from tests.support.daemon import status
from tests.support.hanging_disk import CAN_MOUNT, LIST, LOOK_UP, OPEN, OPEN_FOLDER, READ, STATUS, WHY_NOT, Disk
from tests.support.live import Agent, Editor

PROGRAM = 'import "money"\n\nfn main() -> Int { cents(1) }\n'
FILES = {
    "boruna.toml": "[check]\n",
    ".gitignore": "build/\n",
    ".mcp.json": '{"mcpServers": {}}\n',
    "main.ax": PROGRAM,
    "other.ax": "fn main() -> Int { 2 }\n",
    "libs/money/src/core.ax": "export fn cents(n: Int) -> Int { n }\n",
    "flow/workflow.json": '{"name": "w", "version": "1", "steps": {"a": {"kind": "source", "source": "steps/a.ax"}}}\n',
    "flow/steps/a.ax": "fn main() -> Int { 3 }\n",
}
READS = {
    "settings": ("boruna.toml", ".mcp.json"),
    "rules": (".gitignore",),
    "libraries": ("core.ax",),
    "named files": ("main.ax", "other.ax", "a.ax"),
    "folders": ("shop", "libs", "money", "src", "flow", "steps"),
}
"""What is read, by the names of files and folders."""
ASKING = frozenset({LOOK_UP, STATUS})
OPENING = frozenset({OPEN, READ, OPEN_FOLDER, LIST})


@pytest.fixture
def far(tmp_path: Path) -> Iterator[Disk]:
    disk = Disk(tmp_path / "far")
    for path, text in FILES.items():
        disk.write(f"shop/{path}", text)
    yield disk
    disk.end()


def key(editor: Editor, path: Path, number: int) -> float:
    """Seconds from an edit to its diagnostics."""
    began = time.monotonic()
    editor.await_diagnostics(path, editor.replace(path, f"fn main() -> Int {{ missing_{number} }}\n"))
    return time.monotonic() - began


def typed(editor: Editor, path: Path, seconds: float) -> list[float]:
    """Waits of the keys of somebody who types for so long."""
    waits: list[float] = []
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        waits.append(key(editor, path, len(waits)))
        time.sleep(0.01)
    return waits


class Reader:
    """An editor and an agent who work on the disk that dies; what they ask is not waited for."""

    def __init__(self, shop: Path) -> None:
        self._shop = shop
        self._editor = Editor(shop)
        self._agent = Agent(shop)
        self._workflow = shop / "flow" / "workflow.json"
        self._library = shop / "libs" / "money" / "src" / "core.ax"
        self._main = shop / "main.ax"
        self.close_and_open()
        self._editor.show(self._workflow, FILES["flow/workflow.json"])
        for tool in ("boruna_check", "boruna_run", "boruna_compile"):
            self._agent.tool(tool, path=str(self._main))

    def ask(self) -> None:
        """Everything at once, so that each request is there before the disk is known to be dead."""
        for tool in ("boruna_check", "boruna_run", "boruna_compile"):
            self._agent.begin(tool, path=str(self._main))
        self.open()
        self.close()
        self.complete()

    def open(self) -> None:
        self._editor.show(self._shop / "other.ax", FILES["other.ax"])

    def close(self) -> None:
        """Of a library the text on disk counts again, and all who import it are told."""
        self._editor.shut(self._library)

    def complete(self) -> None:
        self._editor.ask(
            "textDocument/completion",
            {
                "textDocument": {"uri": self._workflow.as_uri()},
                "position": {"line": 0, "character": FILES["flow/workflow.json"].index("steps/a.ax") + 3},
            },
        )
        self._agent.send(
            {
                "jsonrpc": "2.0",
                "id": "paths",
                "method": "completion/complete",
                "params": {
                    "ref": {"type": "ref/resource", "uri": "boruna://file/{path}"},
                    "argument": {"name": "path", "value": "m"},
                },
            }
        )

    def close_and_open(self) -> None:
        """Makes it as it was before all was asked."""
        for path, text in ((self._shop / "other.ax", None), (self._library, FILES["libs/money/src/core.ax"])):
            if path in self._editor.texts:
                self._editor.shut(path)
            if text is not None:
                self._editor.show(path, text)
        self._editor.settle()

    def finds(self) -> list[object]:
        """What the agent is told about the program."""
        return list(self._agent.tool("boruna_check", path=str(self._main))["diagnostics"])

    def end(self) -> None:
        end(self._editor.process)
        end(self._agent.process)


@pytest.mark.skipif(not CAN_MOUNT, reason=WHY_NOT)
@pytest.mark.parametrize("kind", READS)
def test_a_key_elsewhere_does_not_wait_for_a_disk_that_dies(kind: str, far: Disk, place: Path, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    path = tmp_path / "here" / "main.ax"
    editor, reader = Editor(tmp_path / "here"), None
    try:
        editor.show(path, "fn main() -> Int { 0 }\n")
        reader = Reader(far.folder / "shop")
        reader.ask()
        # The same requests while the disk responds.
        before = typed(editor, path, 1.0)
        reader.close_and_open()
        for requests in (ASKING, OPENING):
            # What has not changed would not be read again.
            for name, text in FILES.items():
                far.write(f"shop/{name}", text)
            with far.hanging(requests, READS[kind]):
                reader.ask()
                waits = typed(editor, path, 1.3)
                asked = far.asked()
            assert asked, "nobody has read anything of the kind"
            # Who waits for the disk waits a second; other tests compute beside this one.
            assert max(waits) < min(max(0.3, 2 * max(before)), 0.9), (asked, sorted(waits)[-5:], sorted(before)[-5:])
            ends = time.monotonic() + 20
            while status(place)["silent_disks"] and time.monotonic() < ends:
                time.sleep(0.05)
            # It is there again, and nothing was forgotten.
            assert status(place)["silent_disks"] == []
            reader.close_and_open()
            assert reader.finds() == []
    finally:
        end(editor.process)
        if reader is not None:
            reader.end()


def read_by(broker: Broker, root: Path, path: Path) -> Future[str]:
    """What a program is answered that reads a file below a root of its policy; the owner allows all."""
    policy = read_policy(json.dumps({"default_allow": True, "fs_policy": {"allowed_roots": [str(root)]}}))
    run = broker.effects_of(Grant("a.ax", str(root), Bounds(policy, None, str(root)), Deadline.after(60)))
    asked = json.dumps({"capability": "fs.read", "arguments": [{"String": str(path)}], "by_function": True}).encode()
    answer: Future[str] = Future()
    threading.Thread(target=lambda: answer.set_result(run.answer(asked).decode()), daemon=True).start()
    return answer


@pytest.mark.skipif(not CAN_MOUNT, reason=WHY_NOT)
@pytest.mark.parametrize("requests", [ASKING, OPENING], ids=["asking", "opening"])
def test_effects_on_a_disk_that_dies_delay_no_others(far: Disk, tmp_path: Path, requests: frozenset[int]) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.txt").write_text("here")
    broker, shop = Broker(), far.folder / "shop"
    # The disk is mounted after this process has read the table of mounts.
    time.sleep(0.05)
    assert "Int { 2 }" in read_by(broker, shop, shop / "other.ax").result(20)
    with far.hanging(requests, ("shop", "other.ax")):
        # More than the broker has threads.
        lost = [read_by(broker, shop, shop / "other.ax") for _ in range(THREADS + 4)]
        time.sleep(0.2)
        began = time.monotonic()
        assert "here" in read_by(broker, tmp_path / "data", tmp_path / "data" / "a.txt").result(20)
        assert time.monotonic() - began < 5
        assert all("its disk does not answer" in answer.result(20) for answer in lost)
    ends = time.monotonic() + 20
    while "Int { 2 }" not in (answer := read_by(broker, shop, shop / "other.ax").result(20)):
        assert time.monotonic() < ends, answer
        time.sleep(0.1)
