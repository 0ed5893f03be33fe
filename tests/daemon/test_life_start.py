"""Start of a daemon: one for all concurrent clients, whatever an earlier one left behind, and independent of its starter."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from boruna_ls.rendezvous import endpoint, locks, places
from tests.support.commands import command
from tests.support.daemon import PATIENCE, Agent, editor, is_running, left, processes, status, stopped, until
from tests.support.lsp import RawClient
from tests.support.mcp_lines import INITIALIZED, LineServer, initialize, request


def test_of_many_who_start_at_once_one_does(place: Path, tmp_path: Path) -> None:
    agents = [Agent(tmp_path) for _ in range(12)]
    for agent in agents:
        agent.send(initialize(), INITIALIZED, request(1, "ping"))
    for agent in agents:
        assert {agent.receive(PATIENCE)["id"], agent.receive(PATIENCE)["id"]} == {"init", 1}
    found = status(place)
    assert processes(place) == [found["pid"]]
    assert sorted(client["pid"] for client in found["clients"]) == sorted(agent.process.pid for agent in agents)
    for agent in agents:
        agent.leave()


@pytest.mark.parametrize("first", [editor, Agent])
def test_whoever_starts_it_nothing_fails(place: Path, tmp_path: Path, first: Callable[[Path], RawClient | LineServer]) -> None:
    with first(tmp_path) as client:
        if isinstance(client, RawClient):
            client.call("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        else:
            client.open()
        assert status(place)["clients"]
    log = Path(places.log_path(str(place))).read_text("utf-8")
    assert "INFO" in log
    assert "ERROR" not in log
    assert "Traceback" not in log


def killed(place: Path, tmp_path: Path) -> None:
    """A daemon that had no time to tidy up."""
    agent = Agent(tmp_path).open()
    agent.leave()
    pid = status(place)["pid"]
    os.kill(pid, signal.SIGKILL)
    until(lambda: not is_running(pid))


def garbage(place: Path, tmp_path: Path) -> None:
    """Files that no daemon has written."""
    place.mkdir(mode=0o700)
    names = [name(str(place)) for name in (places.endpoint_path, places.lock_path, places.socket_path)]
    for name in (*names, str(place / f"{places.installation_prefix()}1.json")):
        Path(name).write_bytes(b'{"port": 1, "pid"')


def somebody_else(place: Path, tmp_path: Path) -> None:
    """An endpoint whose process number is now somebody else's."""
    place.mkdir(mode=0o700)
    Path(places.endpoint_path(str(place))).write_text(f'{{"pid": {os.getpid()}, "version": "99.0", "port": 9, "secret": ""}}')
    Path(places.lock_path(str(place))).write_text(str(os.getpid()))


@pytest.mark.parametrize("leave_behind", [killed, garbage, somebody_else])
def test_what_is_left_behind_keeps_no_daemon_away(
    place: Path, tmp_path: Path, leave_behind: Callable[[Path, Path], None]
) -> None:
    leave_behind(place, tmp_path)
    agent = Agent(tmp_path).open()
    assert agent.ask(request(1, "ping"))["result"] == {}
    assert processes(place) == [status(place)["pid"]]
    agent.leave()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_it_and_frees_its_folder(place: Path, tmp_path: Path, number: signal.Signals) -> None:
    Agent(tmp_path).open().leave()
    pid = status(place)["pid"]
    os.kill(pid, signal.SIGHUP)
    assert status(place)["pid"] == pid, "the end of a terminal ends it"
    os.kill(pid, number)
    until(lambda: not is_running(pid))
    assert left(place) == []
    assert f"ends: signal {number.name}" in Path(places.log_path(str(place))).read_text()


def test_it_has_nothing_of_the_client_that_started_it(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_TOKEN", "a secret of this client only")
    gone = tmp_path / "gone"
    gone.mkdir()
    reading, writing = os.pipe()
    code = "import os, sys; os.rmdir(os.getcwd()); os.execv(sys.argv[1], sys.argv[1:])"
    line = [sys.executable, "-c", code, command("boruna-ls"), "mcp"]
    with subprocess.Popen(line, cwd=gone, pass_fds=[writing], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        os.close(writing)
        output, _ = process.communicate(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n', timeout=PATIENCE)
        assert b'"id":1' in output
    # Whoever waits for the end of the client's pipes does not wait for the daemon's.
    assert os.read(reading, 1) == b""
    os.close(reading)
    pid = status(place)["pid"]
    assert os.readlink(f"/proc/{pid}/cwd") == "/"
    assert b"BORUNA_LS_TOKEN" not in Path(f"/proc/{pid}/environ").read_bytes()
    assert os.getsid(pid) != os.getsid(0)
    with editor(tmp_path) as client:
        assert "capabilities" in client.initialize()


def test_a_folder_of_others_is_refused_and_the_client_is_served_alone(place: Path, tmp_path: Path) -> None:
    place.mkdir(mode=0o755)
    place.chmod(0o755)
    with_words(Agent(tmp_path), f"{place} must belong to you alone: chmod 700 it", left_in=place)


def test_a_folder_that_cannot_be_made(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(places.VARIABLE, str(tmp_path / "file" / "d"))
    with_words(Agent(tmp_path), "cannot be created")


def test_streams_that_the_caller_has_closed(place: Path) -> None:
    """Their numbers are those of no socket."""
    for number in range(3):
        line = ["sh", "-c", f'exec "$0" mcp {number}<&-', command("boruna-ls")]
        done = subprocess.run(line, input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n', capture_output=True, timeout=PATIENCE)
        assert (done.returncode, done.stderr) == (0, b"")
        assert (b'"id":1' in done.stdout) == (number == 2)


def test_relative_paths_in_a_folder_that_is_gone(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import os, sys; os.rmdir(os.getcwd()); os.execv(sys.argv[1], sys.argv[1:])"

    def ran(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        gone = tmp_path / "gone"
        gone.mkdir()
        line = [sys.executable, "-c", code, command("boruna-ls"), "mcp", *arguments]
        return subprocess.run(line, cwd=gone, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)

    done = ran("--libs-dir", "libs")
    assert (done.returncode, b"libs is relative to a folder that was deleted: give an absolute path" in done.stderr) == (2, True)
    monkeypatch.setenv(places.VARIABLE, "d")
    done = ran()
    assert (done.returncode, b"give BORUNA_LS_DIR an absolute path" in done.stderr) == (0, True)


def test_a_link_of_somebody_else_is_refused(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").mkdir(mode=0o700)
    place.symlink_to(tmp_path / "mine")
    places.check(str(place))
    # A user number that is not ours stands for the other user whom a test cannot be.
    monkeypatch.setattr(os, "getuid", lambda: place.lstat().st_uid + 1)
    with pytest.raises(places.BadFolder, match="belongs to another user"):
        places.check(str(place))


def with_words(agent: LineServer, words: str, left_in: Path | None = None) -> None:
    """The agent works, and was told why it works alone, in one line."""
    agent.open()
    assert agent.ask(request(1, "ping"))["result"] == {}
    assert agent.end() == (0, [])
    assert agent.process.stderr is not None
    (line,) = agent.process.stderr.read().decode().splitlines()
    assert words in line
    assert "sees no other client's unsaved text" in line
    assert left_in is None or os.listdir(left_in) == []


def test_an_interpreter_that_starts_no_daemon(place: Path, tmp_path: Path) -> None:
    """A damaged installation: the forwarder works, the daemon does not."""
    package = tmp_path / "broken" / "boruna_ls"
    root = Path(places.__file__).resolve().parents[2]
    (package / "daemon").mkdir(parents=True)
    for name in ("__init__.py", "client.py", "forwarder", "rendezvous"):
        (package / name).symlink_to(root / "boruna_ls" / name)
    (package / "daemon" / "__main__.py").write_text("raise SystemExit('damaged on purpose')\n")
    (package / "rendezvous").unlink()
    (package / "rendezvous").mkdir()
    for file in (root / "boruna_ls" / "rendezvous").glob("*.py"):
        (package / "rendezvous" / file.name).write_text(file.read_text())
    code = "import sys; sys.path.insert(0, sys.argv[1]); from boruna_ls.forwarder.main import run; print(run('mcp', []))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, str(package.parent)], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE
    )
    assert done.stdout == b"-1\n"
    assert b"it ends immediately after its start" in done.stderr
    assert "damaged on purpose" in Path(places.errors_path(str(place))).read_text()
    assert left(place) == []


def test_a_path_too_long_for_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / ("long" * 30)
    monkeypatch.setenv(places.VARIABLE, str(folder))
    try:
        agent = Agent(tmp_path).open()
        assert agent.ask(request(1, "ping"))["result"] == {}
        written = endpoint.read(str(folder))
        assert isinstance(written["port"], int)
        assert not os.path.exists(places.socket_path(str(folder)))
        connection, secret = endpoint.connect(str(folder))
        with connection:
            connection.sendall(b'{"wire": 1, "protocol": "control", "command": "status", "secret": "guessed"}\n')
            connection.settimeout(PATIENCE)
            assert connection.recv(1) == b""
        assert secret == written["secret"] != ""
        # A file that somebody has cut in half is written again; the agent that is connected goes on.
        Path(places.endpoint_path(str(folder))).write_text('{"port": 1')
        with editor(tmp_path) as client:
            client.initialize()
            assert status(folder)["pid"] == written["pid"]
        agent.leave()
    finally:
        stopped(folder)
    assert left(folder) == []


def test_a_place_that_can_have_no_socket(place: Path, tmp_path: Path) -> None:
    place.mkdir(mode=0o700)
    in_its_way = Path(places.socket_path(str(place)))
    in_its_way.mkdir()
    agents = [Agent(tmp_path).open() for _ in range(2)]
    assert isinstance(endpoint.read(str(place))["port"], int)
    assert processes(place) == [status(place)["pid"]]
    for agent in agents:
        assert agent.ask(request(1, "ping"))["result"] == {}
        agent.leave()
    stopped(place)
    assert left(place) == [in_its_way.name]


def test_a_lock_has_one_holder_and_leaves_no_file(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    first = locks.acquire(path)
    assert first is not None
    assert locks.acquire(path) is None
    assert locks.is_held(path)
    first.release()
    assert not locks.is_held(path)
    assert os.listdir(tmp_path) == []
    second = locks.acquire(path)
    assert second is not None
    os.unlink(path)
    assert not second.is_at_its_place()
    third = locks.acquire(path)
    assert third is not None
    second.release()
    assert third.is_at_its_place(), "a lock that was lost has removed its successor's file"
    third.release()
