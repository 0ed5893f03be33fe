"""End of a daemon, the files left behind, and faults that it survives: files that vanish, disks that are full, clients that
die."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from boruna_ls.daemon import logs
from boruna_ls.daemon.place import Place
from boruna_ls.rendezvous import endpoint, listening, locks, places, wire
from boruna_ls.rendezvous.ask import ask, read_line
from tests.support.daemon import PATIENCE, Agent, children, clients, daemon, editor, is_running, left, processes, status, until
from tests.support.mcp_lines import INITIALIZED, LineServer, call, initialize, request

PROGRAM = "fn main() -> Int {\n    41 + 1\n}\n"


def test_nothing_is_left_when_the_last_client_has_left(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_IDLE", "0")
    with editor(tmp_path) as client:
        client.initialize()
        agent = Agent(tmp_path).open()
        ran = agent.ask(call(1, "boruna_run", source=PROGRAM))["result"]["structuredContent"]
        assert ran["result"] == 42
        pid = status(place)["pid"]
        all_of_it = [pid, *children(pid)]
        assert len(all_of_it) > 1, "the program ran in no process of its own"
        agent.leave()
        assert is_running(pid)
    # The editor was killed: the end of its connection is the end of the daemon.
    until(lambda: not any(is_running(each) for each in all_of_it))
    assert left(place) == []


def test_it_waits_some_time_for_the_next_client(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_IDLE", "30")
    Agent(tmp_path).open().leave()
    first = status(place)
    assert (first["idle"], is_running(first["pid"])) == (30.0, True)
    monkeypatch.setenv("BORUNA_LS_IDLE", "0.5")
    Agent(tmp_path).open().leave()
    until(lambda: not is_running(first["pid"]))
    assert "ends: no client for 0.5 seconds" in Path(places.log_path(str(place))).read_text()


def test_stopped_while_clients_are_there(place: Path, tmp_path: Path) -> None:
    agent = Agent(tmp_path).open()
    first = status(place)["pid"]
    done = daemon("stop")
    assert (done.returncode, f"process {first}" in done.stderr, "1 client will start" in done.stderr) == (0, True, True)
    assert agent.ask(request(1, "ping"))["result"] == {}
    assert status(place)["pid"] != first
    agent.leave()


@pytest.mark.parametrize("name", [places.socket_path, places.endpoint_path, places.lock_path, None])
def test_files_that_vanish_are_put_back(place: Path, tmp_path: Path, name: object) -> None:
    """`None`: the whole folder."""
    agent = Agent(tmp_path).open()
    pid = status(place)["pid"]
    if callable(name):
        os.unlink(name(str(place)))
    else:
        shutil.rmtree(place)
    until(lambda: all(os.path.exists(each(str(place))) for each in (places.socket_path, places.endpoint_path, places.lock_path)))
    later = Agent(tmp_path).open()
    assert (status(place)["pid"], processes(place)) == (pid, [pid])
    assert len(status(place)["clients"]) == 2
    assert agent.ask(request(1, "ping"))["result"] == {}
    for each in (agent, later):
        each.leave()


def test_another_daemon_in_its_place(place: Path, tmp_path: Path) -> None:
    """The folder was deleted, and somebody started another daemon before it was put back: in the end all have that one."""
    file = tmp_path / "program.ax"
    file.write_text(PROGRAM)
    with editor(tmp_path) as client:
        client.initialize()
        client.open(file.as_uri(), PROGRAM.replace("41", "fourty"))
        assert len(client.published(file.as_uri(), 1)) == 1
        first = status(place)["pid"]
        # It cannot look after its files while it is stopped.
        os.kill(first, signal.SIGSTOP)
        shutil.rmtree(place)
        agent = Agent(tmp_path).open()
        second = status(place)["pid"]
        os.kill(first, signal.SIGCONT)
        until(lambda: not is_running(first))
        until(lambda: clients(place) == 2)
        assert processes(place) == [second]
        until(lambda: agent.check(path="program.ax")["freshness"]["source"] == "editor")
        assert agent.check(path="program.ax")["diagnostics_count"] == 1
        agent.leave()


def test_who_only_looks_for_a_daemon_does_not_end_one(place: Path) -> None:
    """Looking whether somebody holds the lock takes it for a moment, which may be the one in which the daemon does."""
    folder, about = str(place), {"pid": os.getpid()}
    places.claim(folder)
    path = places.lock_path(folder)
    lock = locks.acquire(path)
    assert lock is not None
    daemons = Place(folder, lock, listening.listen(folder, about), about)
    try:
        for looks in (1, 2):
            os.unlink(path)
            other = locks.acquire(path)
            assert other is not None
            assert [daemons.mend() for _ in range(looks)][-1] == daemons.is_lost == (looks == 2)
            other.leave()
            if looks == 1:
                assert daemons.mend()
                assert locks.acquire(path) is None
                assert not daemons.mend()
    finally:
        daemons.leave()


@pytest.mark.parametrize("kind", ["full", "folder"])
def test_a_log_that_cannot_be_written(place: Path, tmp_path: Path, kind: str) -> None:
    place.mkdir(mode=0o700)
    for path in (places.log_path(str(place)), places.errors_path(str(place))):
        if kind == "full":
            Path(path).symlink_to("/dev/full")
        else:
            Path(path).mkdir()
    agent = Agent(tmp_path).open()
    stranger, _ = endpoint.connect(str(place))
    with stranger:
        stranger.sendall(b"nonsense, which is logged\n")
        stranger.settimeout(PATIENCE)
        assert stranger.recv(1) == b""
    assert agent.ask(request(1, "ping"))["result"] == {}
    agent.leave()


def test_a_log_that_is_deleted_begins_anew(place: Path, tmp_path: Path) -> None:
    Agent(tmp_path).open().leave()
    log = Path(places.log_path(str(place)))
    until(lambda: "left" in log.read_text())
    log.unlink()
    Agent(tmp_path).open().leave()
    until(lambda: log.exists() and "left" in log.read_text())


def test_the_log_is_replaced_when_it_is_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "SIZE", 2_000)
    folder, written = str(tmp_path), logging.getLogger("boruna_ls.tests")
    handler = logs.handler(folder)
    written.addHandler(handler)
    try:
        for number in range(200):
            written.error("line %d of a log", number)
    finally:
        written.removeHandler(handler)
        handler.close()
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == [os.path.basename(places.log_path(folder)) + end for end in ("", ".1", ".2")]
    assert all(file.stat().st_size <= 2_000 and file.stat().st_mode & 0o077 == 0 for file in files)
    assert "line 199 of a log" in files[0].read_text()


def test_a_client_that_does_not_read_does_not_hold_it_up(place: Path, tmp_path: Path) -> None:
    Agent(tmp_path).open().leave()
    pid = status(place)["pid"]
    connection, secret = endpoint.connect(str(place))
    with connection:
        faulty = "fn main() -> Int {\n" + "    missing_name\n" * 400 + "}\n"
        calls = [initialize(), INITIALIZED, *(call(number, "boruna_check", source=faulty) for number in range(40))]
        connection.sendall(wire.hello("mcp", secret) + b"".join(json.dumps(each).encode() + b"\n" for each in calls))
        until(lambda: clients(place) == 1)
        assert daemon("stop").returncode == 0
        until(lambda: not is_running(pid))


def test_a_daemon_that_hangs_keeps_nobody_waiting(place: Path, tmp_path: Path) -> None:
    Agent(tmp_path).open().leave()
    pid = status(place)["pid"]
    os.kill(pid, signal.SIGSTOP)
    try:
        code = "from boruna_ls.forwarder import pump; pump.WELCOME = 0.5; from boruna_ls.client import client; client('mcp', [])"
        agent = LineServer("-c", code, program=sys.executable, cwd=str(tmp_path)).open()
        assert agent.ask(request(1, "ping"))["result"] == {}
        assert agent.end() == (0, [])
        assert agent.process.stderr is not None
        assert b"the daemon sent nothing for 0.5 seconds; this client gets its own server" in agent.process.stderr.read()
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_daemon_that_hangs_gives_up(place: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from boruna_ls.daemon import life; life.HANGS = 2.0; "
        "from boruna_ls.daemon.main import main; main(['--folder', sys.argv[1]])"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(place)], stderr=subprocess.PIPE) as process:
        until(lambda: endpoint.read(str(place)).get("pid") == process.pid)
        agent = Agent(tmp_path).open()

        def hung() -> bool:
            """It stood still for a while, in which the time of its watchdog went on; on waking it may be quicker than that."""
            process.send_signal(signal.SIGSTOP)
            time.sleep(3)
            process.send_signal(signal.SIGCONT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(2)
            return process.returncode is not None

        until(hung)
        assert process.stderr is not None
        assert b"Timeout" in process.stderr.read()
        assert process.returncode == 1
    assert agent.ask(request(1, "ping"))["result"] == {}
    assert status(place)["pid"] != process.pid
    agent.leave()


def test_hellos_in_pieces_and_of_other_wires(place: Path, tmp_path: Path) -> None:
    agent = Agent(tmp_path).open()
    connection, secret = endpoint.connect(str(place))
    with connection:
        connection.settimeout(PATIENCE)
        for byte in wire.hello("control", secret, command="status"):
            connection.sendall(bytes([byte]))
        assert b'"pid"' in read_line(connection)
    connection, secret = endpoint.connect(str(place))
    with connection:
        connection.settimeout(PATIENCE)
        connection.sendall(wire.encoded(wire.decoded(wire.hello("mcp", secret)) | {"wire": 2}))
        assert connection.recv(1) == b""
    unknown = ask(str(place), "sing")
    assert unknown is not None
    assert "there is no command 'sing'" in unknown["error"]
    agent.leave()
