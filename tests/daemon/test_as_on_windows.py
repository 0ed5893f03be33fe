"""Forwarders as on systems where `select` knows sockets only, locks stay with their process and Unix sockets are missing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from boruna_ls.rendezvous import endpoint, places
from tests.support.daemon import left, processes, status, stopped
from tests.support.kills import kill
from tests.support.lsp import RawClient, edit
from tests.support.mcp_lines import LineServer, call

CLEAN = "fn main() -> Int {\n    5 + 6\n}\n"
CLIENT = (
    "import sys; from boruna_ls.rendezvous import start; from boruna_ls.forwarder import streams; "
    "start.HANDS_LOCK_ON = streams.HAS_SELECT = False; "
    "from boruna_ls.client import client; sys.exit(client(sys.argv[1], sys.argv[2:]))"
)
LINE = [sys.executable, "-P", "-c", CLIENT]
PATIENCE = 60.0


@pytest.fixture
def far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for the daemon whose path is too long for a Unix socket."""
    folder = tmp_path / ("long" * 30)
    monkeypatch.setenv(places.VARIABLE, str(folder))
    yield folder
    stopped(folder)


def agent(cwd: Path) -> LineServer:
    """An agent behind such a forwarder."""
    return LineServer(*LINE[1:], "mcp", program=sys.executable, cwd=str(cwd))


def test_of_many_who_start_at_once_one_does(far: Path, tmp_path: Path) -> None:
    agents = [agent(tmp_path) for _ in range(6)]
    for each in agents:
        each.open()
    pid = status(far)["pid"]
    assert endpoint.read(str(far))["port"] > 0
    for each in agents:
        answer = each.ask(call("check", "boruna_check", source=CLEAN))
        assert answer["result"]["structuredContent"]["diagnostics"] == []
    assert processes(far) == [pid]
    for each in agents:
        assert each.end() == (0, [])
    stopped(far)
    assert left(far) == []


def test_an_editor_lives_through_all_of_it(far: Path, tmp_path: Path) -> None:
    file = tmp_path / "program.ax"
    with RawClient(tmp_path, [*LINE, "lsp"]) as editor:
        editor.initialize()
        editor.open(file.as_uri(), CLEAN)
        assert editor.published(file.as_uri(), 1) == []
        editor.change(file.as_uri(), 2, edit((1, 4), (1, 5), "five"))
        assert "undefined variable: five" in editor.published(file.as_uri(), 2)[0]["message"]
        # It is killed: another one is started.
        kill(far)
        editor.change(file.as_uri(), 3, edit((1, 4), (1, 8), "six"))
        assert "undefined variable: six" in editor.published(file.as_uri(), 3)[0]["message"]
        # No other one can be started: a server of its own.
        kill(far)
        far.rename(tmp_path / "was")
        far.write_text("not a folder")
        editor.change(file.as_uri(), 4, edit((1, 4), (1, 7), "seven"))
        assert "undefined variable: seven" in editor.published(file.as_uri(), 4)[0]["message"]
        large = CLEAN + "".join(f"fn f{number}() -> Int {{\n    {number}\n}}\n" for number in range(3_000))
        editor.change(file.as_uri(), 5, {"text": large})
        assert len(editor.published(file.as_uri(), 5)) == 3_000
        assert editor.call("shutdown") is None
        editor.notify("exit")
        assert editor.process.wait(PATIENCE) == 0
        assert editor.process.stderr is not None
        said = editor.process.stderr.read().decode()
        assert said.endswith("; this client gets its own server\n"), said
        assert said.count("\n") == 1, said
    far.unlink()


def test_what_an_agent_owes_at_its_end_is_answered_by_a_server_of_its_own(far: Path, tmp_path: Path) -> None:
    client = agent(tmp_path).open()
    kill(far)
    far.rename(tmp_path / "was")
    far.write_text("not a folder")
    client.send(*(call(number, "boruna_check", source=CLEAN) for number in range(20)))
    status_, messages = client.end()
    assert (status_, sorted(message["id"] for message in messages)) == (0, list(range(20)))
    far.unlink()
