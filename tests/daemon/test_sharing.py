"""One daemon for editors and agents: what they see of each other's texts, and what keeps them apart."""

from __future__ import annotations

import socket
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from boruna_ls.rendezvous import endpoint, places
from tests.support.daemon import Agent, editor, stopped
from tests.support.lsp import edit
from tests.support.mcp_lines import call, request

CLEAN = "fn main() -> Int {\n    5 + 6\n}\n"
PATIENCE = 60.0


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a daemon that all tests here share; one that breaks it fails the ones after it."""
    with pytest.MonkeyPatch.context() as fix:
        place = tmp_path_factory.mktemp("s") / "d"
        fix.setenv(places.VARIABLE, str(place))
        yield place
        stopped(place)


def test_agent_sees_what_the_editor_has_not_saved(tmp_path: Path) -> None:
    file = tmp_path / "program.ax"
    file.write_text(CLEAN, encoding="utf-8")
    with editor(tmp_path) as client:
        agent = Agent(tmp_path).open()
        assert agent.check(path="program.ax")["freshness"]["source"] == "disk"
        client.initialize()
        client.open(file.as_uri(), CLEAN)
        assert client.published(file.as_uri(), 1) == []
        client.change(file.as_uri(), 2, edit((1, 4), (1, 5), "five"))
        (shown,) = client.published(file.as_uri(), 2)
        answer = agent.check(path="program.ax")
        assert [one["message"] for one in answer["diagnostics"]] == ["undefined variable: five"]
        assert shown["message"].startswith("undefined variable: five")
        assert (answer["freshness"]["source"], answer["freshness"]["unsaved"]) == ("editor", True)
        client.notify("textDocument/didClose", {"textDocument": {"uri": file.as_uri()}})
        assert client.published(file.as_uri()) == []
        answer = agent.check(path="program.ax")
        assert (answer["diagnostics"], answer["freshness"]["source"]) == ([], "disk")
        assert agent.end() == (0, [])


def test_buffers_of_an_editor_that_died_are_forgotten(tmp_path: Path) -> None:
    file = tmp_path / "program.ax"
    file.write_text(CLEAN, encoding="utf-8")
    agent = Agent(tmp_path).open()
    with editor(tmp_path) as client:
        client.initialize()
        client.open(file.as_uri(), "fn main() -> Int { oops }\n")
        client.published(file.as_uri(), 1)
        assert agent.check(path="program.ax")["diagnostics_count"] == 1
    deadline = time.monotonic() + PATIENCE
    while agent.check(path="program.ax")["diagnostics_count"]:
        assert time.monotonic() < deadline
    agent.end()


def test_relative_paths_count_from_each_client_s_own_folder(tmp_path: Path) -> None:
    for name, text in (("one", CLEAN), ("two", "fn main() -> Int { oops }\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "program.ax").write_text(text, encoding="utf-8")
    for name, count in (("one", 0), ("two", 1)):
        agent = Agent(tmp_path / name).open()
        assert agent.check(path="program.ax")["diagnostics_count"] == count
        agent.end()


def test_everything_that_was_sent_is_answered_before_the_forwarder_ends(tmp_path: Path) -> None:
    agent = Agent(tmp_path).open()
    agent.send(*(call(number, "boruna_symbols", source=CLEAN) for number in range(100)))
    status, messages = agent.end()
    assert (status, sorted(message["id"] for message in messages)) == (0, list(range(100)))


def test_folder_belongs_to_its_user_alone(folder: Path, tmp_path: Path) -> None:
    Agent(tmp_path).open().end()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for name in (places.endpoint_path(str(folder)), places.socket_path(str(folder))):
        assert stat.S_IMODE(Path(name).stat().st_mode) == 0o600


@pytest.mark.parametrize("hello", [b"nonsense\n", b"[]\n", b"{}\n", b'{"protocol": "ftp"}\n', b"\xff\n", b"x" * 20_000_000, b""])
def test_strangers_are_dropped(folder: Path, tmp_path: Path, hello: bytes) -> None:
    agent = Agent(tmp_path).open()
    stranger, _ = endpoint.connect(str(folder))
    with stranger:
        stranger.settimeout(PATIENCE)
        try:
            stranger.sendall(hello)
            stranger.shutdown(socket.SHUT_WR)
            assert stranger.recv(1) == b""
        except (BrokenPipeError, ConnectionResetError):
            # It was dropped before it had said everything.
            assert len(hello) > 1000
    assert agent.ask(request(1, "ping"))["result"] == {}
    assert agent.end() == (0, [])
