"""If no daemon can be started any more, the forwarder continues with a server of its own; and streams that threads read."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.forwarder.streams import bridged_streams
from tests.support.daemon import Agent, editor, until
from tests.support.kills import kill
from tests.support.lsp import edit
from tests.support.mcp_lines import call

CLEAN = "fn main() -> Int {\n    5 + 6\n}\n"
PATIENCE = 60.0


@pytest.fixture
def spoilt(place: Path, tmp_path: Path) -> Iterator[Any]:
    """Makes the daemons' folder one in which none can be started."""

    def spoil() -> None:
        place.rename(tmp_path / "was")
        place.write_text("not a folder")

    yield spoil
    if place.is_file():
        place.unlink()


def test_editor_gets_a_server_of_its_own(place: Path, tmp_path: Path, spoilt: Any) -> None:
    file = tmp_path / "program.ax"
    with editor(tmp_path) as client:
        client.initialize()
        client.open(file.as_uri(), CLEAN)
        client.published(file.as_uri(), 1)
        client.change(file.as_uri(), 2, edit((1, 4), (1, 5), "five"))
        assert len(client.published(file.as_uri(), 2)) == 1
        kill(place)
        spoilt()
        client.change(file.as_uri(), 3, edit((1, 4), (1, 8), "six"))
        while not (found := client.published(file.as_uri(), 3)):
            pass
        assert "undefined variable: six" in found[0]["message"]
        servers = children_of(client.process.pid)
        assert len(servers) == 1
        assert client.call("shutdown") is None
        client.notify("exit")
        assert client.process.wait(PATIENCE) == 0
        assert client.process.stderr is not None
        said = client.process.stderr.read().decode()
        assert said.endswith("; this client gets its own server\n"), said
        assert said.count("\n") == 1, said
        until(lambda: not any(os.path.exists(f"/proc/{server}") for server in servers))


def test_agent_gets_one_too_and_its_call_is_made_again(place: Path, tmp_path: Path, spoilt: Any) -> None:
    agent = Agent(tmp_path).open()
    kill(place)
    spoilt()
    assert agent.check(source=CLEAN)["diagnostics"] == []
    # It is the last resort: a server of its own that ends, too, ends the forwarder.
    (server,) = children_of(agent.process.pid)
    os.kill(server, 9)
    assert agent.process.wait(PATIENCE) == 1


def children_of(process: int) -> list[int]:
    """The processes that a process has started."""
    text = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(word) for word in text.split()]


def test_call_in_flight_at_the_very_end_is_answered(place: Path, tmp_path: Path) -> None:
    agent = Agent(tmp_path).open()
    agent.send(*(call(number, "boruna_check", source=CLEAN) for number in range(50)))
    assert agent.process.stdin is not None
    agent.process.stdin.close()
    kill(place)
    status, messages = agent.process.wait(PATIENCE), []
    while (line := agent._lines.get(timeout=PATIENCE)) is not None:
        messages.append(line)
    assert (status, len(messages)) == (0, 50)


def test_streams_through_threads(tmp_path: Path) -> None:
    """As on systems where `select` knows sockets only: nothing is lost, and the end is noticed."""
    read, write = os.pipe()
    out, into = os.pipe()
    source, sink = bridged_streams(read, into)
    data = os.urandom(1 << 20)
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"], stdin=out, stdout=subprocess.PIPE
    ) as reader:
        os.close(out)
        os.write(write, b"begin")
        os.close(write)
        got = b""
        while (block := source.read()) != b"":
            got += block or b""
        assert got == b"begin"
        left = bytearray(data)
        while left:
            del left[: sink.write(left)]
        sink.finish(PATIENCE)
        os.close(into)
        assert reader.stdout is not None
        assert reader.stdout.read() == data
