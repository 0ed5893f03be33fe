"""The daemon's door: nothing that a client says or has in its environment decides what is executed; only its user comes in."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.rendezvous import endpoint, peer, places, start, wire
from boruna_ls.rendezvous.ask import read_line
from tests.support.commands import command
from tests.support.daemon import Agent, children, is_running, processes, status, stopped, until
from tests.support.mcp_lines import call, request

PROGRAM = "fn main() -> Int {\n    41 + 1\n}\n"


def hello(folder: Path, **more: Any) -> bytes:
    """The daemon's first line for a client that says more than it should."""
    connection, secret = endpoint.connect(str(folder))
    with connection:
        line = json.loads(wire.hello("mcp", secret))
        connection.sendall(json.dumps(line | more).encode() + b"\n")
        return read_line(connection)


def test_no_client_names_what_the_next_one_executes(place: Path, tmp_path: Path) -> None:
    evil, mark = tmp_path / "evil.py", tmp_path / "executed"
    evil.write_text(f"open({str(mark)!r}, 'w').write('owned')\n")
    agent = Agent(tmp_path).open()
    first = status(place)["pid"]
    for protocol in ("mcp", "lsp", "control"):
        hello(place, version="9.0", start=[sys.executable, str(evil)], protocol=protocol, command="retire")
    assert status(place)["retiring"] == ""
    os.kill(first, 9)
    until(lambda: not is_running(first))
    assert agent.ask(request(1, "ping"))["result"] == {}
    assert status(place)["version"] != "9.0"
    assert not mark.exists()
    assert str(evil) not in "".join(path.read_text() for path in place.glob("*.json"))
    agent.leave()


def test_the_environment_of_the_first_client_brings_no_code_along(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "executed"
    shadow = tmp_path / "shadow"
    shadow.mkdir()
    # Modules that a daemon imports and a forwarder does not.
    for name in ("watchfiles", "pygls", "mcp", "lsprotocol", "usercustomize"):
        (shadow / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write({name!r})\nraise ImportError\n")
    monkeypatch.setenv("PYTHONPATH", str(shadow))
    monkeypatch.setenv("PYTHONSTARTUP", str(shadow / "mcp.py"))
    monkeypatch.setenv("LD_PRELOAD", "/nowhere/evil.so")
    monkeypatch.setenv("LD_AUDIT", "/nowhere/evil.so")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(shadow))
    monkeypatch.setenv("COVERAGE_PROCESS_START", str(shadow / "coverage.toml"))
    agent = Agent(tmp_path).open()
    assert agent.ask(call(1, "boruna_run", source=PROGRAM))["result"]["structuredContent"]["result"] == 42
    assert not mark.exists(), mark.read_text()
    environment = Path(f"/proc/{status(place)['pid']}/environ").read_bytes()
    for word in (b"PYTHONPATH", b"PYTHONSTARTUP", b"LD_PRELOAD", b"LD_AUDIT", b"COVERAGE_", str(shadow).encode()):
        assert word not in environment
    # Its forwarder complains about what cannot be preloaded.
    agent.process.kill()


def test_the_daemon_finds_the_ceiling_where_its_owner_has_it(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = tmp_path.resolve() / "shop"
    (shop / "out").mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    allow = [command("boruna-ls"), "trust", "allow", "write", "out", "--yes"]
    subprocess.run(allow, cwd=shop, check=True, capture_output=True)
    agent = Agent(shop).open()
    source = f'fn main() -> Result<Bool, String> !{{fs.write}} {{ fs_write("{shop}/out/a.txt", "allowed") }}'
    agent.ask(call(1, "boruna_run_live", source=source, policy={"default_allow": True}))
    assert (shop / "out" / "a.txt").read_text() == "allowed"
    agent.leave()


def test_what_only_the_daemons_interpreter_needs_reaches_nobody_else(place: Path, tmp_path: Path) -> None:
    agent = Agent(tmp_path).open()
    assert agent.ask(call(1, "boruna_run", source=PROGRAM))["result"]["structuredContent"]["result"] == 42
    started = children(status(place)["pid"])
    assert started
    for process in started:
        environment = Path(f"/proc/{process}/environ").read_bytes()
        assert not [name for name in start.ALLOCATOR if name.encode() in environment]
    agent.leave()


def test_the_system_says_who_is_at_the_other_end() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert peer.user_of(one) == os.getuid()
        assert peer.is_us(other)


@pytest.fixture
def open_place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A daemon's folder that every user can reach, as a wrong mode or a mistake of an administrator may leave it."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        os.chmod(name, 0o755)
        folder = Path(name, "d")
        monkeypatch.setenv(places.VARIABLE, str(folder))
        yield folder
        stopped(folder)


STRANGER = """
import os, socket, sys
os.setuid(65534)
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(sys.argv[1])
    try:
        connection.sendall(sys.argv[2].encode() + b"\\n")
        print(connection.recv(1000))
    except OSError:
        print(b"")
"""


@pytest.mark.skipif(sys.platform == "win32" or os.getuid() != 0, reason="only the superuser can become another user")
def test_another_user_is_not_served(open_place: Path, tmp_path: Path) -> None:
    agent = Agent(tmp_path).open()
    path = places.socket_path(str(open_place))
    open_place.chmod(0o755)
    os.chmod(path, 0o666)
    line = json.dumps({"wire": wire.WIRE, "protocol": "control", "command": "status", "options": {}, "secret": ""})
    done = subprocess.run(["python3", "-c", STRANGER, path, line], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "b''\n"), done
    open_place.chmod(0o700)
    assert "a client of another user was dropped" in Path(places.log_path(str(open_place))).read_text()
    assert processes(open_place) == [status(open_place)["pid"]]
    agent.leave()
