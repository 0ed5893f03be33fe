"""Clients that die, hang up in the middle, or stop reading: no server is left behind, none is lost to the others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.commands import command
from tests.support.lsp import RawClient
from tests.support.mcp_lines import INITIALIZED, call, initialize, line_server

SERVERS = pytest.mark.parametrize("server", ["boruna-lsp", "boruna-mcp"])
_HOLDER = """
import subprocess, sys, time
server = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
server.stdin.write(sys.argv[2].encode())
server.stdin.flush()
server.stdout.read(1)
print(server.pid, flush=True)
time.sleep(600)
"""
_FIRST_WORDS = {
    "boruna-lsp": 'Content-Length: 83\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}        ',
    "boruna-mcp": json.dumps(initialize()) + "\n",
}


def _is_running(pid: int) -> bool:
    try:
        # A process that nobody has waited for yet is dead all the same.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@SERVERS
def test_client_is_killed(server: str) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, command(server), _FIRST_WORDS[server]], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    pid = int(holder.stdout.readline())
    assert _is_running(pid)
    holder.kill()
    holder.wait()
    holder.stdout.close()
    deadline = time.monotonic() + 60
    while _is_running(pid):
        assert time.monotonic() < deadline, "the server outlives its client"
        time.sleep(0.05)


@SERVERS
@pytest.mark.parametrize("rest", [b"", b"Content-Length: 900\r\n\r\n{", b'{"jsonrpc":"2.0"', b"\xff"], ids=repr)
def test_input_ends_in_the_middle(server: str, rest: bytes) -> None:
    given = _FIRST_WORDS[server].encode() + rest
    done = subprocess.run([command(server)], input=given, capture_output=True, timeout=30)
    assert done.returncode in (0, 1)
    assert b'"result"' in done.stdout
    assert b"Traceback" not in done.stderr


@SERVERS
def test_output_is_closed(server: str) -> None:
    reading, writing = os.pipe()
    process = subprocess.Popen([command(server)], stdin=subprocess.PIPE, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    os.close(reading)
    _, errors = process.communicate(_FIRST_WORDS[server].encode() * 3, timeout=30)
    assert process.returncode in (0, 1)
    assert b"Traceback" not in errors


def _send_without_reading(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    pipe = process.stdin.fileno()
    os.set_blocking(pipe, False)
    view, deadline = memoryview(data), time.monotonic() + 60
    while view:
        assert time.monotonic() < deadline, "the server does not read while its client does not"
        try:
            view = view[os.write(pipe, view[: 1 << 16]) :]
        except BlockingIOError:
            time.sleep(0.01)
    os.set_blocking(pipe, True)


def test_editor_stops_reading_for_a_while() -> None:
    uri = "file:///faults/a.ax"
    with RawClient() as client:
        client.initialize()
        faulty = "fn main() -> Int {\n" + "    missing_name\n" * 400 + "}\n"
        messages: list[dict[str, object]] = []
        for version in range(1, 41):
            document = {"uri": uri, "version": version}
            method = "textDocument/didOpen" if version == 1 else "textDocument/didChange"
            params = (
                {"textDocument": {**document, "languageId": "ax", "text": faulty}}
                if version == 1
                else {"textDocument": document, "contentChanges": [{"text": faulty + f"// {version}\n"}]}
            )
            messages.append({"jsonrpc": "2.0", "method": method, "params": params})
            pull = {
                "jsonrpc": "2.0",
                "id": version,
                "method": "textDocument/diagnostic",
                "params": {"textDocument": {"uri": uri}},
            }
            messages.append(pull)
        bodies = [json.dumps(message).encode() for message in messages]
        _send_without_reading(client.process, b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies))
        client._id = 1_000
        assert client.is_alive()
        client.change(uri, 100, {"text": "fn main() -> Int {\n    1\n}\n"})
        assert client.published(uri, 100) == []


def test_agent_stops_reading_for_a_while() -> None:
    source = "fn main() -> Int {\n" + "    missing_name\n" * 400 + "}\n"
    messages = [initialize(), INITIALIZED, *(call(number, "boruna_check", source=source) for number in range(40))]
    process = subprocess.Popen([command("boruna-mcp")], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    _send_without_reading(process, b"".join(json.dumps(message).encode() + b"\n" for message in messages))
    time.sleep(1)
    output, _ = process.communicate(timeout=120)
    answers = [json.loads(line) for line in output.splitlines()]
    assert {answer["id"] for answer in answers} == {"init", *range(40)}
    assert len(output) > 1_000_000
    assert process.returncode == 0


def test_signal_ends_a_busy_server() -> None:
    with line_server("--standalone") as server:
        server.open().send(*(call(number, "boruna_check", source=f"fn f{number}() {{ g() }}\n" * 2_000) for number in range(20)))
        time.sleep(0.3)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) in (-signal.SIGTERM, 143, 0)
