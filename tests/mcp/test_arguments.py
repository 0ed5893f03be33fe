"""Arguments of tools: limits in the schema, refusals in both generations of the protocol, bounded work for odd calls."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from boruna_ls.mcp.argument_schema import schema_of
from boruna_ls.mcp.arguments import Arguments, read, warnings_of
from boruna_ls.mcp.tool import NamedProgramArguments
from boruna_ls.mcp.tools import TOOLS, Row
from boruna_ls.mcp.tools.check import CheckParams
from tests.support.mcp_lines import INITIALIZED, LineServer, call, initialize, line_server

CLEAN = "fn main() -> Int {\n    5 + 6\n}\n"
ROWS = list(TOOLS.values())


@pytest.fixture(scope="module")
def server() -> Iterator[LineServer]:
    with line_server() as started:
        yield started.open()


@pytest.fixture(scope="module")
def modern() -> Iterator[LineServer]:
    with line_server() as started:
        started.ask(initialize(version="2025-11-25"))
        started.send(INITIALIZED)
        yield started


def leaves(node: Any, name: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every described value of a schema, at any depth."""
    if "type" in node:
        yield name, node
    for inner, one in node.get("properties", {}).items():
        yield from leaves(one, f"{name}.{inner}")
    for one in [*node.get("anyOf", []), *(node[key] for key in ("items", "additionalProperties") if key in node)]:
        yield from leaves(one, f"{name}[]")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_schemas_are_valid_and_bound_every_text_and_list(row: Row) -> None:
    tool = row.load()
    assert tool.name == row.name
    schema = schema_of(tool.arguments)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "$ref" not in json.dumps(schema)
    for name, node in leaves(schema):
        if node["type"] == "string":
            assert "maxLength" in node or "enum" in node, name
        elif node["type"] == "array":
            assert "maxItems" in node, name
        elif node["type"] == "integer":
            assert node["minimum"] >= 0, name


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_examples_fit_their_schemas_and_have_no_unknown_names(row: Row) -> None:
    tool = row.load()
    jsonschema.validate(tool.example, schema_of(tool.arguments))
    assert warnings_of(read(tool.arguments, tool.example)) == []


@pytest.mark.parametrize("row", [row for row in ROWS if row.load().arguments.model_fields], ids=lambda row: row.name)
def test_refusals_are_errors_for_old_clients_and_results_for_new_ones(server: LineServer, modern: LineServer, row: Row) -> None:
    name = next(iter(schema_of(row.load().arguments)["properties"]))
    old = server.ask(call(1, row.name, **{name: 7.5}))
    answered = modern.ask(call(1, row.name, **{name: 7.5}))["result"]
    assert answered["isError"] is True
    new = json.loads(answered["content"][0]["text"])["error"]
    assert (new["error_type"], new["field"], new["example"]) == ("ValidationError", name, row.load().example)
    if row.name.startswith("boruna_"):
        assert (old["error"]["code"], old["error"]["data"]) == (-32602, {"argument": name})
        assert old["error"]["message"] == new["message"]
    else:
        assert json.loads(old["result"]["content"][0]["text"])["error"] == new


def test_a_refusal_describes_the_argument_that_is_wrong_at_any_depth(modern: LineServer) -> None:
    answer = modern.ask(call(1, "boruna_run", source=CLEAN, limits={"max_wall_ms": "x"}))["result"]
    error = json.loads(answer["content"][0]["text"])["error"]
    assert (error["field"], error["accepted"].partition(" (")[0]) == ("limits.max_wall_ms", "an integer from 0 to 2^64 - 1")
    assert error["accepted"] in error["message"]


def test_very_many_unknown_arguments_cost_little_and_ten_are_named() -> None:
    many: dict[str, Any] = {"source": CLEAN} | {f"unknown_{number:06}" + "x" * 100: 1 for number in range(200_000)}
    begun = time.perf_counter()
    warnings = warnings_of(read(CheckParams, many))
    for refused in ({**many, "source": 5}, {"candidates": [5] * 500_000}):
        with pytest.raises(Exception, match="argument `"):
            read(CheckParams if "source" in refused else TOOLS["try_edits"].load().arguments, refused)
    assert time.perf_counter() - begun < 5
    assert len(warnings) == 11
    assert warnings[0].startswith("argument `unknown_000000xxx")
    assert max(map(len, warnings)) < 200
    assert warnings[-1] == "199990 more arguments are unknown and were ignored"


@pytest.mark.parametrize("number", [2**31, 2**63, 2**64, 10**30, -1])
@pytest.mark.parametrize(
    "tool, name",
    [
        ("workspace_diagnostics", "limit"),
        ("find_references", "limit"),
        ("boruna_trace", "limit"),
        ("boruna_check", "offset"),
        ("boruna_symbols", "offset"),
    ],
)
def test_numbers_beyond_their_limits_are_refused(modern: LineServer, tool: str, name: str, number: int) -> None:
    answer = modern.ask(call(1, tool, source=CLEAN, symbol="main", **{name: number}))["result"]
    error = json.loads(answer["content"][0]["text"])["error"]
    assert (answer["isError"], error["error_type"], error["field"]) == (True, "ValidationError", name)


def test_a_very_long_path_is_refused_at_once(modern: LineServer) -> None:
    for name in ("boruna_check", "get_definition"):
        error = json.loads(modern.ask(call(1, name, path="a/" * 50_000))["result"]["content"][0]["text"])["error"]
        assert "has 100000 characters; it may have 4096 at most" in error["message"]


class Inner(Arguments):
    count: int = 0


class Outer(NamedProgramArguments):
    inner: Inner | None = None
    several: list[Inner] = []  # noqa: RUF012


def test_unknown_names_are_found_at_any_depth_and_nulls_are_left_out() -> None:
    made = read(Outer, {"source": None, "inner": {"cuont": 1, "count": None}, "several": [{}, {"x": 1}]})
    assert made.source is None
    assert made.inner is not None
    assert made.inner.count == 0
    assert warnings_of(made) == [
        "argument `inner.cuont` is unknown and was ignored; did you mean `inner.count`?",
        "argument `several[1].x` is unknown and was ignored",
    ]
