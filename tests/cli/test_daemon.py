"""`boruna-ls daemon`: what it shows, what it ends, what it says when there is nothing to show or to end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from pathlib import Path

from boruna_ls.rendezvous.ask import ask
from tests.support.commands import command
from tests.support.daemon import Agent, daemon, editor, is_running, status, until

PROGRAM = "fn main() -> Int {\n    41 + 1\n}\n"


def test_nothing_runs(place: Path) -> None:
    shown = daemon("status")
    assert (shown.returncode, shown.stdout, shown.stderr) == (1, "", "no daemon is running; an editor or an agent starts one\n")
    as_json = daemon("status", "--json")
    assert (as_json.returncode, json.loads(as_json.stdout)) == (1, {"running": False, "folder": str(place)})
    ended = daemon("stop")
    assert (ended.returncode, ended.stderr) == (0, "no daemon runs\n")
    logs = daemon("logs")
    assert (logs.returncode, "there is no log" in logs.stderr) == (1, True)
    assert not place.exists()


def test_status(place: Path, tmp_path: Path) -> None:
    (tmp_path / "boruna.toml").write_text("")
    file = tmp_path / "program.ax"
    file.write_text(PROGRAM)
    agent = Agent(tmp_path).open()
    with editor(tmp_path) as client:
        client.initialize(workspaceFolders=[{"uri": tmp_path.as_uri(), "name": "one"}])
        client.open(file.as_uri(), PROGRAM)
        client.published(file.as_uri(), 1)
        found = json.loads(daemon("status", "--json").stdout)
        assert found["running"] is True
        assert {name for name in found if not found[name]} <= {"loaded", "retiring", "queue", "runs", "refused", "silent_disks"}
        assert {one["protocol"]: (one["pid"], one["roots"], one["open"]) for one in found["clients"]} == {
            "mcp": (agent.process.pid, [str(tmp_path)], []),
            "lsp": (client.process.pid, [str(tmp_path)], [str(file)]),
        }
        (workspace,) = (one for one in found["workspaces"] if one["root"] == str(tmp_path))
        assert (workspace["open"], "-" in workspace["revision"]) == (1, True)
        assert found["memory"] > 10_000_000
        shown = daemon("status").stdout
        for words in (
            f"process {found['pid']}",
            f"of {found['memory_limit'] / 1e6:.0f} MB",
            f"lsp  process {client.process.pid}, {tmp_path}, 1 file open",
            str(place),
        ):
            assert words in shown
    agent.leave()


def test_stop(place: Path, tmp_path: Path) -> None:
    Agent(tmp_path).open().leave()
    pid = status(place)["pid"]
    done = daemon("stop")
    assert (done.returncode, done.stdout) == (0, "")
    assert f"the daemon (process {pid}) has ended" in done.stderr
    until(lambda: not is_running(pid))


def test_one_that_hangs_is_killed(place: Path, tmp_path: Path) -> None:
    Agent(tmp_path).open().leave()
    pid = status(place)["pid"]
    os.kill(pid, signal.SIGSTOP)
    done = daemon("stop")
    assert done.returncode == 0
    assert f"the daemon (process {pid}) does not answer; killing it" in done.stderr
    until(lambda: not is_running(pid))


def test_restart_without_one(place: Path) -> None:
    done = daemon("restart")
    assert (done.returncode, done.stderr) == (0, f"the daemon is process {status(place)['pid']}, version 0.1.0\n")


def test_logs(place: Path, tmp_path: Path) -> None:
    agent = Agent(tmp_path).open()
    assert f"mcp client of process {agent.process.pid} came" in daemon("logs").stdout
    assert daemon("logs", "-n", "0").stdout == ""
    assert len(daemon("logs", "-n", "1").stdout.splitlines()) == 1
    line = [command("boruna-ls"), "daemon", "logs", "--follow", "-n", "1000"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, encoding="utf-8") as following:
        assert following.stdout is not None
        seen: list[str] = []
        read = threading.Event()

        def watch() -> None:
            assert following.stdout is not None
            for text in following.stdout:
                seen.append(text)
                if f"mcp client of process {agent.process.pid} left" in text:
                    read.set()

        threading.Thread(target=watch, daemon=True).start()
        agent.leave()
        assert read.wait(60), seen
        following.kill()


def test_a_folder_of_others(place: Path) -> None:
    place.mkdir()
    place.chmod(0o755)
    for name in ("status", "stop", "restart"):
        done = daemon(name)
        assert (done.returncode, done.stdout) == (1, "")
        assert "must belong to you alone" in done.stderr
        assert "Traceback" not in done.stderr


def test_texts_of_editors(place: Path, tmp_path: Path) -> None:
    """The daemon gives the other commands the texts of editors."""
    (tmp_path / "boruna.toml").write_text("")
    files = [tmp_path / name for name in ("one.ax", "two.ax")]
    for file in files:
        file.write_text(PROGRAM)
    long = "// " + "x" * 3_000_000 + "\n" + PROGRAM
    with editor(tmp_path) as client:
        client.initialize()
        client.open(files[0].as_uri(), long)
        client.open(files[1].as_uri(), PROGRAM)
        client.published(files[1].as_uri(), 1)
        by_path = ask(str(place), "texts", paths=[str(files[0]), str(tmp_path / "three.ax")])
        assert by_path == {"texts": {str(files[0]): {"text": long, "unsaved": True}}}
        by_root = ask(str(place), "texts", roots=[str(tmp_path)])
        assert by_root is not None
        assert {path: one["unsaved"] for path, one in by_root["texts"].items()} == {str(files[0]): True, str(files[1]): False}
        assert ask(str(place), "texts", paths="nonsense", roots=[1]) == {"texts": {}}
