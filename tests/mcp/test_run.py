"""Running programs through the real server: answers, errors with their places, arguments, limits, progress."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.mcp_lines import LineServer, call, line_server, request

COUNTS = "fn main() -> Int {\n    let mut i = 0\n    while i < 40000 {\n        i = i + 1\n    }\n    i\n}\n"
ASKS = 'fn main() -> String { step_input("a") }'


@pytest.fixture(scope="module")
def server() -> Iterator[LineServer]:
    with line_server() as started:
        yield started.open()


def ask(server: LineServer, tool: str, **arguments: Any) -> dict[str, Any]:
    """The answer of a tool; text and structured content must be the same."""
    message = server.ask(call(1, tool, **arguments))
    result = message["result"]
    answer: dict[str, Any] = json.loads(result["content"][0]["text"])
    assert answer == result["structuredContent"]
    return answer


def test_success_has_value_text_steps_and_summary(server: LineServer) -> None:
    answer = ask(server, "boruna_run", source='fn main() -> List<Int> { emit "x"\n [1, 2] }')
    assert answer["success"] is True
    assert (answer["result"], answer["result_text"], answer["ui_output"]) == ([1, 2], "[1, 2]", ["x"])
    assert answer["event_log_summary"] == {"cap_calls": 0, "actor_spawns": 0}
    assert answer["freshness"]["source"] == "inline"


def test_run_time_error_tells_where_and_why(server: LineServer) -> None:
    source = 'fn half(n: Int) -> Int {\n    n / 0\n}\n\nfn main() -> Int {\n    let n = list_len(["é"]) + half(3)\n    n\n}\n'
    answer = ask(server, "boruna_run", source=source)
    assert (answer["error_kind"], answer["message"]) == ("runtime_error", "division by zero")
    assert (answer["function"], answer["line"], answer["col"], answer["end_col"]) == ("half", 2, 5, 10)
    # Columns count bytes: the é before the call has two.
    assert answer["call_stack"] == [{"function": "half", "line": 2, "col": 5}, {"function": "main", "line": 6, "col": 32}]
    assert "0" in answer["hint"]


def test_output_before_a_failure_is_not_lost(server: LineServer) -> None:
    answer = ask(server, "boruna_run", source="fn main() -> Int { emit 7\n 1 / 0 }", trace=True)
    assert answer["success"] is False
    assert answer["ui_output"] == [7]
    assert answer["last_trace"][-1] == "[main:6] Div  stack_depth=2"


def test_repeated_frames_are_folded(server: LineServer) -> None:
    answer = ask(server, "boruna_run", source="fn f(n: Int) -> Int { 1 + f(n + 1) }\nfn main() -> Int { f(0) }\n")
    assert answer["message"] == "stack overflow (max 256)"
    first, more, main = answer["call_stack"]
    assert (first, main["function"]) == ({"function": "f", "line": 1, "col": 27}, "main")
    assert more == {"function": "… 254 more of f", "repeated": 254}


def test_few_equal_frames_are_listed(server: LineServer) -> None:
    source = "fn f(n: Int) -> Int { if n > 0 { f(n - 1) } else { 1 / 0 } }\nfn main() -> Int { f(3) }\n"
    assert [frame["function"] for frame in ask(server, "boruna_run", source=source)["call_stack"]] == ["f"] * 4 + ["main"]


def test_deep_recursion_shows_both_ends_of_the_call_stack(server: LineServer) -> None:
    source = "fn f(n: Int) -> Int { 1 + g(n + 1) }\nfn g(n: Int) -> Int { 1 + f(n + 1) }\nfn main() -> Int { f(0) }\n"
    answer = ask(server, "boruna_run", source=source)
    assert len(answer["call_stack"]) == 50
    assert answer["call_stack_omitted"] == {"after": 25, "left_out": 206}
    assert answer["call_stack"][-1]["function"] == "main"


def test_library_function_that_fails_names_its_file(server: LineServer, tmp_path: Any) -> None:
    library = tmp_path / "libs" / "broken" / "src"
    library.mkdir(parents=True)
    (library / "core.ax").write_text("// one line more\nfn break_it() -> Int { 1 / 0 }\n")
    (tmp_path / "boruna.toml").write_text("")
    program = tmp_path / "main.ax"
    program.write_text('import "broken"\nfn main() -> Int { break_it() }\n')
    answer = ask(server, "boruna_run", path=str(program))
    assert answer["file"].endswith("core.ax")
    assert (answer["line"], answer["call_stack"][1]["line"]) == (2, 2)
    assert "file" not in answer["call_stack"][1]


def test_step_limit_is_an_answer_of_its_own(server: LineServer) -> None:
    answer = ask(server, "boruna_run", source=COUNTS, max_steps=50)
    assert (answer["error_kind"], answer["max_steps"], answer["steps_used"], answer["steps"]) == (
        "step_limit_exceeded",
        50,
        51,
        51,
    )


def test_steps_are_the_same_with_and_without_progress(server: LineServer) -> None:
    plain = ask(server, "boruna_run", source=COUNTS)
    params = {"name": "boruna_run", "arguments": {"source": COUNTS}, "_meta": {"progressToken": "p"}}
    messages = [server.ask(request(2, "tools/call", params))]
    while "id" not in messages[-1]:
        messages.append(server.receive())
    answer = json.loads(messages.pop()["result"]["content"][0]["text"])
    assert answer["steps"] == plain["steps"] == 9 * 40_000 + 9
    assert [message["params"] for message in messages] == [
        {"progressToken": "p", "progress": float(steps)} for steps in (100_000, 200_000, 300_000)
    ]


def test_progress_counts_capability_calls(server: LineServer) -> None:
    source = 'fn main() -> Int {\n    let mut i = 0\n    while i < 20000 { i = i + 1\n        step_input("a") }\n    i\n}\n'
    params = {"name": "boruna_run", "arguments": {"source": source}, "_meta": {"progressToken": 5}}
    message = server.ask(request(3, "tools/call", params))
    assert message["params"]["message"].startswith("caps: step.input × ")
    while "id" not in message:
        message = server.receive()


def test_inputs_are_tagged_json(server: LineServer) -> None:
    answer = ask(server, "boruna_run", source=ASKS, input={"a": {"b": [1, 2.5, None, True, "x"]}})
    assert answer["result"] == '{"Map":{"b":{"List":[{"Int":1},{"Float":2.5},"Unit",{"Bool":true},{"String":"x"}]}}}'
    answer = ask(server, "boruna_run", source=ASKS, input={"b": 1})
    assert "unknown name 'a' (declared inputs: [\"b\"])" in answer["message"]
    assert ask(server, "boruna_run", source=ASKS)["result"] == ""


@pytest.mark.parametrize(
    "limits, kind",
    [({"max_output_bytes": 3}, "output_bytes"), ({"max_memory_mb": 1}, "memory_mb"), ({"max_wall_ms": 0}, "wall_ms")],
)
def test_limits_name_themselves(server: LineServer, limits: dict[str, int], kind: str) -> None:
    # Long enough for a whole millisecond to pass on any machine.
    answer = ask(server, "boruna_run", source=COUNTS.replace("40000", "400000"), limits=limits)
    assert (answer["success"], answer["limit_kind"]) == (False, kind)


def test_fields_of_limits_are_checked(server: LineServer) -> None:
    error = server.ask(call(1, "boruna_run", source=COUNTS, limits={"max_wall_ms": "x"}))["error"]
    assert (error["code"], error["data"]["argument"]) == (-32602, "limits.max_wall_ms")
    assert server.ask(call(1, "boruna_run", source=COUNTS, limits=[1000]))["error"]["code"] == -32602


def test_schema_is_checked_and_fetches_nothing(server: LineServer) -> None:
    source = "fn main() -> Int { 5 }"
    assert ask(server, "boruna_run", source=source, output_schema={"type": "integer"})["success"] is True
    answer = ask(server, "boruna_run", source=source, output_schema={"maximum": 4})
    assert (answer["error_kind"], answer["total_errors"]) == ("validation_failed", 1)
    assert answer["errors"] == [{"message": "5 is greater than the maximum of 4", "path": ""}]
    answer = ask(server, "boruna_run", source=source, output_schema={"$ref": "http://127.0.0.1:9/schema"})
    assert answer["error_kind"] == "invalid_output_schema"


def test_long_result_can_be_had_in_parts(server: LineServer) -> None:
    source = "fn double(s: String, n: Int) -> String { if n == 0 { s } else { double(s ++ s, n - 1) } }\n"
    source += 'fn main() -> String { double("abcdefgh", 17) }'
    parts, offset = [], 0
    while True:
        answer = ask(server, "boruna_run", source=source, offset=offset)
        assert "result" not in answer
        parts.append(answer["result_part"])
        offset = answer["omitted"]["shown"]
        if not answer["omitted"]["left_out"]:
            break
    assert json.loads("".join(parts)) == "abcdefgh" * 2**17


def test_long_output_can_be_had_in_parts(server: LineServer) -> None:
    source = 'fn main() -> Int {\n    let mut i = 0\n    while i < 120000 { emit "xxxxxxx"\n        i = i + 1 }\n    i\n}\n'
    first = ask(server, "boruna_run", source=source)
    shown, left = first["omitted"]["shown"], first["omitted"]["left_out"]
    assert shown + left == 120_000
    rest = ask(server, "boruna_run", source=source, offset=shown)
    assert len(rest["ui_output"]) == left


def test_result_nested_deep_is_text_in_structured_content(server: LineServer) -> None:
    source = "fn wrap(s: List<Int>, n: Int) -> List<Int> { if n == 0 { s } else { wrap([s], n - 1) } }\n"
    source += "fn main() -> List<Int> { wrap([1], 200) }"
    result = server.ask(call(1, "boruna_run", source=source))["result"]
    text = json.loads(result["content"][0]["text"])
    assert json.loads(result["structuredContent"]["result"]) == text["result"]
    assert result["structuredContent"]["steps"] == text["steps"]


def test_trace_places_each_instruction(server: LineServer) -> None:
    source = "fn main() -> Int {\n    let x = 5\n    x + 1\n}\n"
    answer = ask(server, "boruna_trace", source=source)
    assert [(one["step"], one["line"]) for one in answer["trace"]] == [(1, 2), (2, 2), (3, 3), (4, 3), (5, 3), (6, 4)]
    assert answer["trace"][4]["instruction"] == "[main:4] Add  stack_depth=2"
    part = ask(server, "boruna_trace", source=source, offset=2, limit=2)
    assert [one["step"] for one in part["trace"]] == [3, 4]
    assert part["omitted"]["rest"] == "call again with `offset` 4"


def test_sealed_run_can_be_replayed(server: LineServer) -> None:
    sealed = ask(server, "boruna_run_sealed", source=ASKS, canonical=True)
    assert sealed["replay_verified"] is True
    again = ask(server, "boruna_replay", source=ASKS, event_log=sealed["event_log_text"])
    assert again["replay_verified"] is True
    assert again["event_log_sha256"] == again["recorded_sha256"] == sealed["event_log_sha256"]
    other = ask(server, "boruna_replay", source=ASKS.replace('"a"', '"b"'), event_log=sealed["event_log_text"])
    assert other["replay_verified"] is False
    assert other["capability_calls_divergence_reason"] == (
        'capability call #0 differs: step.input([String("a")]) vs step.input([String("b")])'
    )
    forged = sealed["event_log_text"].replace('"String": ""', '"String": "forged"')
    assert ask(server, "boruna_replay", source=ASKS, event_log=forged)["result"] == "forged"


def test_sealed_run_that_fails_keeps_its_log(server: LineServer) -> None:
    answer = ask(server, "boruna_run_sealed", source="fn main() -> Int { emit 1\n 1 / 0 }")
    assert (answer["error_kind"], answer["event_count"]) == ("runtime_error", 1)
    assert answer["event_log"]["events"] == [{"event": "ui_emit", "tree": 1}]
    denied = ask(server, "boruna_run_sealed", source=ASKS, policy="deny-all")
    assert (denied["error_kind"], denied["capability"]) == ("capability_denied", "step.input")


@pytest.mark.parametrize(
    "log", ["", "{", "[]", '{"events": [1]}', '{"events": [{"Nothing": {}}]}', '{"version": 3, "events": []}']
)
def test_what_is_no_log_is_an_answer(server: LineServer, log: str) -> None:
    answer = ask(server, "boruna_replay", source=ASKS, event_log=log)
    assert answer["error_kind"] == "invalid_event_log"


def test_extensions_stand_apart(server: LineServer) -> None:
    answer = ask(server, "boruna_capability_list")
    assert len(answer["capabilities"]) == 11
    assert answer["extensions"] == [{"name": "mcp.call", "version": "1"}]
    assert answer["capability_set_hash"] == "sha256:980d017dc54e30c39c329484b501fbe46914d9ad344bfcb4610b0280f4300a67"


def test_doubtful_policies_are_valid_with_a_warning(server: LineServer) -> None:
    policy = json.dumps({"net_policy": {"allowed_domains": ["https://example.test"]}})
    answer = ask(server, "boruna_policy_validate", policy_json=policy)
    assert answer["ok"] is True
    assert "https://example.test" in answer["warnings"][0]
