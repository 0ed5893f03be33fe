"""Random lines at the real server: bytes, mutated messages, token soup as programs. It answers what it owes, and lives.

The seed is in the header of the test run; `--hypothesis-seed` repeats it.
"""

from __future__ import annotations

import json
import random
import time
from copy import deepcopy
from typing import Any

from tests.support import corpus
from tests.support.mcp_lines import INITIALIZED, call, initialize, line_server, request

SECONDS = 4.0
TOOLS = ["boruna_ast", "boruna_check", "boruna_repair", "boruna_symbols"]
WORDS = (
    "fn main ( ) -> Int { } let x = 1 + 2 match if else while for in return type enum import module export , : :: . .. "
    'Some None Ok Err => _ " // \\ [ ] ! != == && || ++ \n \r \t é 🙂 \0 9223372036854775808 1.5 requires ensures intent "a"'
).split(" ")
VALUES: list[Any] = [None, True, 0, -1, 1.5, 2**70, "", "x", [], {}, [[]], {"a": {"b": []}}, "\udc00", "a" * 2000]


def random_value(rng: random.Random) -> Any:
    # A copy: what is put into it later must not be part of the next message.
    return deepcopy(rng.choice(VALUES))


def random_program(rng: random.Random, programs: list[str]) -> str:
    if rng.random() < 0.5:
        return " ".join(rng.choices(WORDS, k=rng.randrange(60)))
    text = rng.choice(programs)
    for _ in range(rng.randrange(4)):
        start = rng.randrange(len(text) + 1)
        text = text[:start] + rng.choice(["", *WORDS]) + text[start + rng.randrange(20) :]
    return text


def random_line(rng: random.Random, number: int, programs: list[str]) -> bytes:
    """A line that may be anything; its id, if it has one, is `number` or broken."""
    if rng.random() < 0.15:
        return rng.randbytes(rng.randrange(200)).replace(b"\n", b"")
    arguments = {"source": random_program(rng, programs)}
    while rng.random() < 0.3:
        arguments[rng.choice(["source", "path", "file_name", "strategy", "patch_id", "offset", "zzz"])] = random_value(rng)
    message: dict[str, Any] = call(number, rng.choice(TOOLS), **arguments)
    while rng.random() < 0.25:
        message[rng.choice(["jsonrpc", "id", "method", "params", "extra"])] = random_value(rng)
    while rng.random() < 0.1 and isinstance(message.get("params"), dict):
        message["params"][rng.choice(["name", "arguments", "_meta", "task"])] = random_value(rng)
    line = json.dumps(message).encode()
    if rng.random() < 0.1:
        at = rng.randrange(len(line))
        line = line[:at] + rng.randbytes(rng.randrange(3)).replace(b"\n", b"") + line[at + 1 :]
    return line


def owes_an_answer(line: bytes, number: int) -> bool:
    """True if a line is certainly a request with its id."""
    try:
        message = json.loads(line)
        line.decode().encode()
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(message, dict)
        and message.get("id") == number
        and type(message["id"]) is int
        and isinstance(message.get("method"), str)
        and message.get("jsonrpc") == "2.0"
    )


def test_random_lines(seed: int) -> None:
    rng = random.Random(seed)
    programs = [program.read_bytes().decode() for program in corpus.programs("diagnostics", "syntax")]
    programs = [text for text in programs if len(text) < 4000]
    deadline = time.monotonic() + SECONDS
    number = 0
    with line_server() as server:
        server.open()
        while time.monotonic() < deadline or number <= 100:
            lines = {number + n: random_line(rng, number + n, programs) for n in range(20)}
            number += len(lines)
            marker = f"marker {number}"
            server.send(*lines.values(), request(marker, "ping"))
            owed = {key for key, line in lines.items() if owes_an_answer(line, key)} | {marker}
            while owed:
                message = server.receive()
                assert message["jsonrpc"] == "2.0"
                assert ("result" in message) != ("error" in message)
                assert message.get("error", {}).get("code") != -32603, (message, lines.get(message["id"]))
                # A mutated id can be text or a list; only what can be owed is looked up.
                owed.discard(message["id"] if isinstance(message["id"], (int, str)) else marker + "?")
        status, _ = server.end()
    assert (status, number > 100) == (0, True)


def test_random_openings(seed: int) -> None:
    rng = random.Random(seed)
    programs = ["fn main() -> Int { 1 }\n"]
    for _ in range(4):
        with line_server() as server:
            server.send(*(random_line(rng, n, programs) for n in range(10)), request("marker", "ping"))
            while server.receive().get("id") != "marker":
                pass
            server.send(initialize("hello"), INITIALIZED)
            while (message := server.receive()).get("id") != "hello":
                pass
            assert "result" in message
            assert server.end()[0] == 0
