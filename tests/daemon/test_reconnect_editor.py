"""An editor whose daemon is killed: its diagnostics stay, its requests are answered, and nobody has to do anything."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.rendezvous import places
from tests.support.commands import command
from tests.support.daemon import stopped
from tests.support.kills import kill, read, suspended
from tests.support.lsp import RawClient, edit

CLEAN = "fn main() -> Int {\n    helper(5)\n}\n\nfn helper(n: Int) -> Int {\n    n\n}\n"
PATIENCE = 60.0
COMMAND = [command("boruna-ls"), "lsp"]


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the daemons that are killed here."""
    with pytest.MonkeyPatch.context() as fix:
        place = tmp_path_factory.mktemp("r") / "d"
        fix.setenv(places.VARIABLE, str(place))
        yield place
        stopped(place)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "program.ax"
    path.write_text(CLEAN, encoding="utf-8")
    return path


@pytest.fixture
def client(file: Path) -> Iterator[RawClient]:
    """An editor with the file open, one name in it misspelt and not saved."""
    with RawClient(file.parent, COMMAND) as client:
        client.initialize(
            {"general": {"positionEncodings": ["utf-8"]}}, workspaceFolders=[{"uri": file.parent.as_uri(), "name": ""}]
        )
        client.open(file.as_uri(), CLEAN)
        assert client.published(file.as_uri(), 1) == []
        client.change(file.as_uri(), 2, edit((1, 4), (1, 10), '"größe" ++ halper'))
        assert misspelt(client.published(file.as_uri(), 2))
        yield client


def misspelt(diagnostics: list[dict[str, Any]]) -> bool:
    errors = [one for one in diagnostics if one["severity"] == 1]
    return [one["code"] for one in errors] == ["E003"] and "halper" in errors[0]["message"]


def at(file: Path, line: int, character: int) -> dict[str, Any]:
    return {"textDocument": {"uri": file.as_uri()}, "position": {"line": line, "character": character}}


def test_findings_come_again_by_themselves(client: RawClient, file: Path, folder: Path) -> None:
    for _ in range(2):
        kill(folder)
        assert misspelt(client.published(file.as_uri(), 2))
    hover = client.call("textDocument/hover", at(file, 4, 4))
    assert "fn helper(n: Int) -> Int" in hover["contents"]["value"]
    assert client.call("shutdown") is None
    client.notify("exit")
    assert client.process.wait(PATIENCE) == 0


def test_what_is_typed_while_there_is_no_daemon_is_not_lost(client: RawClient, file: Path, folder: Path) -> None:
    kill(folder)
    # In UTF-8 units, as was negotiated with the daemon that is gone.
    start = len('    "größe" ++ '.encode())
    for number in range(6):
        client.change(file.as_uri(), 3 + number, edit((1, start + number), (1, start + number + 1), "helper"[number]))
    assert [one["code"] for one in client.published(file.as_uri(), 8) if one["severity"] == 1] == []
    definition = client.call("textDocument/definition", at(file, 1, start))
    assert [one["range"]["start"]["line"] for one in definition] == [4]


def test_requests_on_their_way_are_answered_once(client: RawClient, file: Path, folder: Path) -> None:
    with suspended(folder):
        # The daemon that is asked never comes to read this.
        asked = [client.ask("textDocument/hover", at(file, 4, 4)) for _ in range(5)]
        kill(folder)
    client.frame(
        b'{"jsonrpc":"2.0","id":"afterwards","method":"textDocument/hover","params":%b}' % json.dumps(at(file, 4, 4)).encode()
    )
    answers = [client.answer(id_) for id_ in [*asked, "afterwards"]]
    assert all("fn helper" in answer["result"]["contents"]["value"] for answer in answers)
    # Whatever else comes is no second answer.
    last = client.ask("textDocument/hover", at(file, 4, 4))
    while (message := client.receive(PATIENCE)).get("id") != last:
        assert "id" not in message


def test_a_request_about_a_text_that_is_gone(client: RawClient, file: Path, folder: Path) -> None:
    with suspended(folder):
        asked = client.ask("textDocument/hover", at(file, 4, 4))
        client.change(file.as_uri(), 3, edit((0, 0), (0, 0), "\n"))
        kill(folder)
    assert client.answer(asked, PATIENCE)["error"]["code"] == -32801


def test_a_command_is_not_carried_out_twice(client: RawClient, file: Path, folder: Path) -> None:
    # A daemon whose server is still being loaded would not have begun it.
    assert client.is_alive()
    with suspended(folder):
        asked = client.ask("workspace/executeCommand", {"command": "boruna.run", "arguments": [file.as_uri()]})
        read(client.process)
        kill(folder)
    error = client.answer(asked, PATIENCE)["error"]
    assert (error["code"], "boruna.run" in error["message"]) == (-32803, True)


def test_killed_during_initialize_and_again_during_the_replay(file: Path, folder: Path) -> None:
    with RawClient(file.parent, COMMAND) as client:
        client.initialize()
        with RawClient(file.parent, COMMAND) as other, suspended(folder):
            asked = other.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
            read(other.process)
            first = kill(folder)
            second = kill(folder, first)
            kill(folder, first, second)
            assert "result" in other.answer(asked, PATIENCE)
            other.notify("initialized", {})
            other.open(file.as_uri(), CLEAN.replace("helper(5)", "halper(5)"))
            assert misspelt(other.published(file.as_uri(), 1))


def test_half_a_message_at_the_moment_of_the_kill(client: RawClient, file: Path, folder: Path) -> None:
    params = {"textDocument": {"uri": file.as_uri(), "version": 3}, "contentChanges": [{"text": CLEAN.replace("(5)", "(x)")}]}
    body = json.dumps({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params}).encode()
    frame = b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    client.send_bytes(frame[:40])
    kill(folder)
    assert misspelt(client.published(file.as_uri(), 2))
    client.send_bytes(frame[40:])
    assert ["undefined variable: x" in one["message"] for one in client.published(file.as_uri(), 3)] == [True]


def test_the_end_of_an_editor_between_two_daemons(client: RawClient, folder: Path) -> None:
    kill(folder)
    asked = client.ask("shutdown")
    client.notify("exit")
    assert client.answer(asked, PATIENCE)["result"] is None
    assert client.process.wait(PATIENCE) == 0


def test_an_editor_that_says_everything_at_once_to_a_daemon_that_ends(file: Path, folder: Path) -> None:
    with RawClient(file.parent, COMMAND) as client, RawClient(file.parent, COMMAND) as other:
        client.initialize()
        with suspended(folder):
            asked = [other.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}}), other.ask("shutdown")]
            other.notify("exit")
            assert other.process.stdin is not None
            read(other.process)
            other.process.stdin.close()
            kill(folder)
            answers = [other.answer(number, PATIENCE) for number in asked]
        assert answers[0]["result"]["capabilities"]["hoverProvider"]
        assert answers[1]["result"] is None
        assert other.process.wait(PATIENCE) == 0


def test_an_editor_that_dies_with_the_daemon_leaves_no_forwarder(client: RawClient, folder: Path) -> None:
    kill(folder)
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert client.process.wait(PATIENCE) == 0


def test_an_editor_that_is_gone_though_its_pipe_is_held(file: Path, folder: Path) -> None:
    with RawClient(file.parent, COMMAND) as client:
        with subprocess.Popen(["sleep", "600"]) as process:
            client.initialize(processId=process.pid)
            process.kill()
        assert client.process.wait(PATIENCE) == 0


def test_a_client_that_does_not_read(file: Path, folder: Path) -> None:
    """It gets everything once it reads, and nobody keeps more of it than is bounded."""
    text = "fn main() -> Int {\n" + "".join(f"    missing_{number}\n" for number in range(2000)) + "}\n"
    with RawClient(file.parent, COMMAND) as client:
        client.initialize()
        client.open(file.as_uri(), text)
        changes = [(version, edit((0, 0), (0, 0), "\n")) for version in range(2, 102)]
        sent = b"".join(framed_change(file, version, change) for version, change in changes)
        deadline = time.monotonic() + PATIENCE
        assert client.process.stdin is not None
        while sent:
            assert time.monotonic() < deadline, "the forwarder does not read"
            if select.select([], [client.process.stdin], [], 1)[1]:
                sent = sent[os.write(client.process.stdin.fileno(), sent[:4096]) :]
        with RawClient(file.parent, COMMAND) as other:
            # The daemon has time for others.
            other.initialize()
            other.open((file.parent / "other.ax").as_uri(), CLEAN)
            assert other.published((file.parent / "other.ax").as_uri(), 1) == []
        assert memory_of(client.process.pid) < 120_000
        kill(folder)
        assert len(client.published(file.as_uri(), 101)) >= 2000


def framed_change(file: Path, version: int, change: dict[str, Any]) -> bytes:
    params = {"textDocument": {"uri": file.as_uri(), "version": version}, "contentChanges": [change]}
    body = json.dumps({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def memory_of(process: int) -> int:
    """Kilobytes that a process holds; 0 where nobody says so."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    return 0


def test_a_client_that_closes_its_end(client: RawClient, file: Path) -> None:
    assert client.process.stdout is not None
    assert client.process.stdin is not None
    asked = {"jsonrpc": "2.0", "id": 99, "method": "textDocument/hover", "params": at(file, 4, 4)}
    body = json.dumps(asked).encode()
    client.process.stdout.close()
    client.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    assert client.process.wait(PATIENCE) == 0
