"""Arguments, limits, cancellation and versions: what a call may hold and how it ends."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.mcp_lines import LineServer, call, initialize, line_server, request

CLEAN = "fn main() -> Int {\n    5 + 6\n}\n"
LIMIT = 1_048_576


@pytest.fixture(scope="module")
def server() -> Iterator[LineServer]:
    # Some of these calls are large: their deadline is not what is tested.
    with line_server("--deadline", "300") as started:
        yield started.open()


def hard(functions: int) -> str:
    """A program that keeps a check busy: every function has a name that is nearly every other function's."""
    return "".join(f"fn f{n}(a: Int) -> Int {{ a + undefinedd{n} + unknownn{n} }}\n" for n in range(functions))


REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("boruna_check", {}, "source", "is missing"),
    ("boruna_check", {"source": None}, "source", "is missing"),
    ("boruna_check", {"source": 12}, "source", "must be a string (text of the program; give this or `path`), not an integer"),
    ("boruna_check", {"source": ["x"]}, "source", "not a list"),
    ("boruna_check", {"source": {"a": 1}}, "source", "not an object"),
    ("boruna_check", {"source": True}, "source", "not a boolean"),
    ("boruna_check", {"source": 1.5}, "source", "not a number"),
    ("boruna_check", {"source": CLEAN, "path": "a.ax"}, "path", "exclude each other"),
    ("boruna_check", {"source": CLEAN, "file_name": 1}, "file_name", "must be a string"),
    ("boruna_check", {"source": CLEAN, "offset": -1}, "offset", "from 0 to 2147483647"),
    ("boruna_check", {"source": CLEAN, "offset": 1.0}, "offset", "not a number"),
    ("boruna_check", {"source": CLEAN, "offset": "5"}, "offset", "not a string"),
    ("boruna_check", {"source": CLEAN, "offset": True}, "offset", "not a boolean"),
    ("boruna_check", {"source": 5, "file_name": 5}, "file_name", "must be a string"),
    ("boruna_repair", {"patch_id": 7}, "patch_id", "must be a string"),
    ("boruna_repair", {"source": CLEAN, "strategy": 1}, "strategy", "must be one of best, all ("),
    ("boruna_ast", {"Source": CLEAN}, "source", "is missing"),
    ("boruna_symbols", {"source": "x" * (LIMIT + 1)}, "source", "source exceeds 1 MB limit"),
    ("boruna_symbols", {"source": "é" * (LIMIT // 2 + 1)}, "source", "source exceeds 1 MB limit"),
]


@pytest.mark.parametrize("tool, arguments, argument, words", REFUSED)
def test_refused_call_names_the_argument(
    server: LineServer, tool: str, arguments: dict[str, Any], argument: str, words: str
) -> None:
    error = server.ask(call(1, tool, **arguments))["error"]
    assert (error["code"], error["data"]["argument"]) == (-32602, argument)
    assert words in error["message"]


@pytest.mark.parametrize("name", ["", "boruna_nothing", "BORUNA_CHECK", "boruna_check "])
def test_unknown_tool(server: LineServer, name: str) -> None:
    error = server.ask(call(1, name, source=CLEAN))["error"]
    assert (error["code"], error["message"].split(":")[0]) == (-32602, "tool not found")


def test_similar_tools_are_named(server: LineServer) -> None:
    error = server.ask(call(1, "boruna_chek"))["error"]
    assert error["data"]["did_you_mean"][0] == "boruna_check"
    assert error["message"].startswith("tool not found: did you mean boruna_check or ")


def test_tasks_are_refused(server: LineServer) -> None:
    params = {"name": "boruna_check", "arguments": {"source": CLEAN}, "task": {}}
    assert server.ask(request(1, "tools/call", params))["error"]["code"] == -32602


def test_unknown_arguments_are_named_with_a_hint(server: LineServer) -> None:
    answer = answered(server.ask(call(1, "boruna_check", source=CLEAN, filename="a", colour="red")))
    assert answer["warnings"] == [
        "argument `colour` is unknown and was ignored",
        "argument `filename` is unknown and was ignored; did you mean `file_name`?",
    ]


def test_last_of_two_equal_keys_counts(server: LineServer) -> None:
    line = json.dumps(call(1, "boruna_check", source="", file_name="first")).replace('"first"', '"first", "file_name": "b"')
    assert answered(server.ask(line.encode()))["file"] == "b"


@pytest.mark.parametrize("source", ["// " + "x" * (LIMIT - 3), "// " + "é" * ((LIMIT - 3) // 2)])
def test_source_of_exactly_the_limit(server: LineServer, source: str) -> None:
    assert answered(server.ask(call(1, "boruna_check", source=source)))["diagnostics_count"] == 0


@pytest.mark.parametrize(
    "asked, given",
    [(version, version) for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")]
    + [(unknown, "2025-11-25") for unknown in ("2026-07-28", "1.0", "", "zzz")],
)
def test_protocol_versions(server: LineServer, asked: str, given: str) -> None:
    assert server.ask(initialize(1, asked))["result"]["protocolVersion"] == given
    server.ask(initialize(2))


def test_old_versions_get_the_text() -> None:
    with line_server() as old:
        old.ask(initialize(1, "2025-03-26"))
        result = old.ask(call(2, "boruna_check", source=CLEAN))["result"]
        assert json.loads(result["content"][0]["text"])["success"] is True


def test_long_answer_is_cut_and_the_rest_can_be_had(server: LineServer) -> None:
    source = "".join(f"fn function_{n:05}(first: Int, second: List<Int>) -> Int {{ 1 }}\n" for n in range(9000))
    names: list[str] = []
    while True:
        result = server.ask(call(1, "boruna_symbols", source=source, offset=len(names)))["result"]
        assert len(result["content"][0]["text"].encode()) <= LIMIT
        answer = json.loads(result["content"][0]["text"])
        names += [symbol["name"] for symbol in answer["symbols"]]
        if "omitted" not in answer:
            break
        assert f"`offset` {len(names)}" in answer["omitted"]["rest"]
    assert names == [f"function_{n:05}" for n in range(9000)]


def test_very_many_hints_are_cut_but_no_error(server: LineServer) -> None:
    source = "".join(f"fn unused_{n}() -> Int {{ 1 }}\n" for n in range(400)) + "fn main() -> Int { oops }\n"
    digest = answered(server.ask(call(1, "boruna_check", source=source)))
    assert "E003" in [one["id"] for one in digest["diagnostics"]]
    assert len(digest["diagnostics"]) + digest["omitted"]["left_out"] == digest["diagnostics_count"] == 401
    whole = answered(server.ask(call(2, "boruna_check", source=source, offset=0)))
    assert len(whole["diagnostics"]) == 401
    rest = answered(server.ask(call(3, "boruna_check", source=source, offset=399)))
    assert rest["diagnostics"] == whole["diagnostics"][399:]


def test_tree_is_cut_before_a_character_that_does_not_fit(server: LineServer) -> None:
    for shift in range(4):
        source = f'fn main() -> String {{ "{"x" * shift}{"🙂" * 40_000}" }}'
        answer = answered(server.ask(call(1, "boruna_ast", source=source)))
        assert answer["truncated"] is True
        assert LIMIT // 10 > len(answer["ast"].encode()) > 102_400 - 4
        assert answer["ast"].endswith("🙂")


def test_long_answers_are_written_whole(server: LineServer) -> None:
    letters = "🙂é\\" * 40_000
    for shift in range(3):
        # Several pieces, which end at each kind of character.
        comment = f"// {'x' * shift}{letters}\n"
        answer = answered(server.ask(call(1, "boruna_repair", source=f"{comment}fn main() -> Int {{ let x = 1; x }}\n")))
        assert comment in answer["repaired_source"]


@pytest.mark.parametrize("depth", [10, 60, 90, 800])
def test_deep_tree_is_never_null(server: LineServer, depth: int) -> None:
    result = server.ask(call(1, "boruna_ast", source=f"fn main() -> Int {{ {'-' * depth}1 }}"))["result"]
    tree, structured = json.loads(result["content"][0]["text"])["ast"], result["structuredContent"]["ast"]
    for _ in range(2):
        # Where the message would be nested too deep for other readers, the value is its text.
        structured = json.loads(structured) if isinstance(structured, str) and isinstance(tree, dict) else structured
    assert tree
    assert tree == structured


@pytest.mark.parametrize("source", ["(" * 500_000, "fn main() -> Int { " + "1+" * 100_000 + "1 }", "fn f() { " + "{" * 100_000])
def test_nesting_and_chains_end_as_answers(server: LineServer, source: str) -> None:
    assert answered(server.ask(call(1, "boruna_check", source=source)))["success"] is True
    assert "success" in answered(server.ask(call(2, "boruna_ast", source=source)))


def test_ping_is_answered_while_a_long_call_runs_and_cancelled_calls_get_no_answer() -> None:
    with line_server() as server:
        server.open().send(call("long", "boruna_check", source=hard(12_000)))
        server.send(call("waiting", "boruna_check", source=hard(12_000)))
        time.sleep(0.3)
        assert server.ask(request("ping", "ping"))["id"] == "ping"
        for number in ("waiting", "long"):
            server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        assert server.ask(call("next", "boruna_symbols", source=CLEAN))["id"] == "next"
        assert server.end() == (0, [])


def test_deadline_of_a_call() -> None:
    with line_server("--deadline", "0.5") as server:
        server.open()
        begun = time.monotonic()
        answer = answered(server.ask(call(1, "boruna_check", source=hard(12_000))))
        assert time.monotonic() - begun < 30
        assert (answer["success"], answer["error_kind"], answer["limit_kind"]) == (False, "limit_exceeded", "deadline")
        assert answer["limit"] == 500
        assert answered(server.ask(call(2, "boruna_check", source=CLEAN)))["success"] is True


def test_newer_text_of_a_file_is_answered_beside_the_older() -> None:
    with line_server() as server:
        server.open()
        texts = [CLEAN.replace("6", f"{n} + missing_{n}") for n in range(50)]
        server.send(*(call(n, "boruna_check", source=text) for n, text in enumerate(texts)))
        for _ in texts:
            message = server.receive()
            messages = [one["message"] for one in answered(message)["diagnostics"]]
            assert messages == [f"undefined variable: missing_{message['id']}"]


def answered(message: dict[str, Any]) -> dict[str, Any]:
    """The value of an answer, which text and structured content share."""
    text = json.loads(message["result"]["content"][0]["text"])
    assert message["result"]["isError"] is False
    assert text == message["result"]["structuredContent"]
    return dict(text)
