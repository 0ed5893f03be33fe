"""Ten agents and two editors in one workspace: one daemon, one truth, and nothing left of them when they have gone."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.daemon import PATIENCE, is_running, left, processes, status, until
from tests.support.live import Agent, Editor

AGENTS = 10
GENERATOR = Path(__file__).resolve().parents[1] / "bench" / "generate_workspace.py"
PROGRAM = "fn main() -> Int {\n    41 + 1\n}\n"
BROKEN = "fn main() -> Int {\n    nothing_like_it\n}\n"


class Crowd:
    """All clients, started at the same moment."""

    def __init__(self, root: Path, stack: ExitStack) -> None:
        self.agents: list[Agent] = []
        self.editors: list[Editor] = []
        failures: list[BaseException] = []

        def come(made: list[Any], kind: type[Agent] | type[Editor]) -> None:
            try:
                made.append(kind(root))
            except BaseException as error:
                failures.append(error)

        kinds: list[tuple[list[Any], type[Agent] | type[Editor]]] = [(self.agents, Agent)] * AGENTS + [(self.editors, Editor)] * 2
        threads = [threading.Thread(target=come, args=arguments) for arguments in kinds]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for agent in self.agents:
            stack.enter_context(agent)
        for editor in self.editors:
            stack.enter_context(editor)
        assert failures == []

    def pids(self) -> list[int]:
        return [*(agent.process.pid for agent in self.agents), *(editor.process.pid for editor in self.editors)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    line = [sys.executable, str(GENERATOR), "--files", "4", "--lines", "80", "--libraries", "3", "--files-with-errors", "2"]
    subprocess.run([*line, "--output", str(folder)], check=True)
    return folder


def at_work(crowd: Crowd, root: Path, place: Path) -> list[int]:
    """Everybody asks, all are told the same; the processes that there are because of them."""
    path = root / "src" / "part_00" / "program_000.ax"
    for editor in crowd.editors:
        editor.show(path, path.read_text())
        editor.replace(path, BROKEN)
        editor.settle()
    calls = [(agent, agent.begin("workspace_diagnostics", severity="hint")) for agent in crowd.agents]
    told = [agent.answer(number)["structuredContent"] for agent, number in calls]
    assert all(answer == told[0] for answer in told[1:])
    (of_path,) = [entry["diagnostics"] for entry in told[0]["files"] if entry["file"] == str(path)]
    assert [one["message"] for one in of_path] == ["undefined variable: nothing_like_it"]
    runs = [(agent, agent.begin("boruna_run", source=PROGRAM)) for agent in crowd.agents[:3]]
    assert [agent.answer(number)["structuredContent"]["result"] for agent, number in runs] == [42] * 3
    about = status(place)
    assert sorted(client["pid"] for client in about["clients"]) == sorted(crowd.pids())
    assert processes(place) == [about["pid"]]
    everybody = [*crowd.pids(), about["pid"], *children(about["pid"])]
    assert len(everybody) > AGENTS + 3, "the programs ran in no process of their own"
    return everybody


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [int(word) for task in Path(f"/proc/{pid}/task").glob("*/children") for word in task.read_text().split()]


@pytest.mark.parametrize("politely", [True, False])
def test_nothing_is_left_of_them(politely: bool, root: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_IDLE", "0.5")
    with ExitStack() as stack:
        crowd = Crowd(root, stack)
        everybody = at_work(crowd, root, place)
        if politely:
            for agent in crowd.agents:
                assert agent.end()[0] == 0
            for editor in crowd.editors:
                editor.call("shutdown")
                editor.notify("exit")
                assert editor.process.wait(PATIENCE) == 0
        else:
            for pid in crowd.pids():
                os.kill(pid, signal.SIGKILL)
        until(lambda: not any(is_running(pid) for pid in everybody))
        assert left(place) == []


def test_the_root_is_deleted_and_made_again(root: Path, place: Path) -> None:
    with Agent(root) as agent, Editor(root) as editor:
        path = root / "src" / "part_00" / "program_001.ax"
        editor.show(path, BROKEN)
        editor.settle()
        shutil.rmtree(root)
        told, coverage = agent.everything()
        # A folder that somebody means and that is not there is a gap.
        assert (list(told), coverage) == ([str(path)], {"checked": 1, "total": 2})
        editor.shut(path)
        editor.settle()
        assert agent.everything() == ({}, {"checked": 0, "total": 1})
        path.parent.mkdir(parents=True)
        path.write_text(BROKEN)
        told, coverage = agent.everything()
        assert ([one["id"] for one in told[str(path)]], coverage) == (["E003"], {"checked": 1, "total": 1})
        assert len(status(place)["clients"]) == 2
