"""Calls as models make them the first time: paths and names that are nearly right are understood, or answered with what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.mcp.argument_schema import schema_of
from boruna_ls.mcp.tool import ProgramArguments
from boruna_ls.mcp.tools import TOOLS
from tests.support.mcp_lines import LineServer, call, line_server, request

APP = "fn main() -> Int {\n    let total = 3\n    total + 1\n}\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("agent")
    (folder / "boruna.toml").write_text("", encoding="utf-8")
    (folder / "src").mkdir()
    (folder / "src/app.ax").write_text(APP, encoding="utf-8")
    (folder / "src/Große Liste.ax").write_text(APP, encoding="utf-8")
    (folder / "crlf.ax").write_bytes(APP.replace("\n", "\r\n").encode())
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[LineServer]:
    with line_server(cwd=str(folder)) as server:
        server.open()
        yield server


def answered(server: LineServer, tool: str, **arguments: Any) -> dict[str, Any]:
    """The answer of a call, also of one that was refused in a result."""
    answer: dict[str, Any] = json.loads(server.ask(call(1, tool, **arguments))["result"]["content"][0]["text"])
    return answer


def refused(server: LineServer, tool: str, **arguments: Any) -> str:
    """The sentence with which a call is refused, in either way."""
    answer = server.ask(call(1, tool, **arguments))
    if "error" in answer:
        assert answer["error"]["code"] == -32602
        return str(answer["error"]["message"])
    assert answer["result"]["isError"] is True
    return str(json.loads(answer["result"]["content"][0]["text"])["error"]["message"])


def test_paths_may_be_uris(server: LineServer, folder: Path) -> None:
    uri = (folder / "src/Große Liste.ax").as_uri()
    assert "%C3" in uri
    for path in (uri, "boruna://file/src/app.ax", "boruna://file/src/Gro%C3%9Fe%20Liste.ax", "./src/app.ax"):
        assert answered(server, "boruna_check", path=path)["freshness"]["source"] == "disk", path


def test_paths_may_begin_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "mine.ax").write_text(APP, encoding="utf-8")
    with line_server("--standalone") as server:
        assert answered(server.open(), "boruna_run", path="~/mine.ax")["result"] == 4


@pytest.mark.parametrize(
    "path, meant",
    [
        ("src/ap.ax", "`src/app.ax`"),
        ("app.ax", "`src/app.ax`"),
        ("src/App", "`src/app.ax`"),
        ("src/app.ax:3", "`src/app.ax`"),
        ("src\\app.ax", "`src/app.ax`"),
        ("@src/app.ax\n", "`src/app.ax`"),
        ("source/app.ax", "`src/app.ax`"),
        ("src", "workspace_diagnostics takes folders"),
    ],
)
def test_wrong_paths_are_answered_with_the_right_one(server: LineServer, path: str, meant: str) -> None:
    answered(server, "workspace_diagnostics")
    assert meant in refused(server, "boruna_check", path=path)
    assert meant in refused(server, "get_definition", path=path, symbol="main")


def test_wrong_path_in_a_resource(server: LineServer) -> None:
    error = server.ask(request(1, "resources/read", {"uri": "boruna://file/src/ap.ax"}))["error"]
    assert "did you mean `src/app.ax`?" in error["message"]


def test_nothing_similar_is_no_advice(server: LineServer) -> None:
    assert refused(server, "boruna_check", path="zzz/quite-another").endswith("no such file or directory")


@pytest.mark.parametrize(
    "arguments, hint",
    [
        ({"soruce": APP}, "argument `soruce` is unknown and was ignored; did you mean `source`?"),
        ({"code": APP}, "argument `code` is unknown and was ignored; did you mean `source`?"),
        ({"file": "src/app.ax"}, "argument `file` is unknown and was ignored; did you mean `path`?"),
    ],
)
def test_missing_program_names_what_was_given_instead(server: LineServer, arguments: dict[str, Any], hint: str) -> None:
    for tool in ("boruna_check", "boruna_ast", "boruna_run"):
        assert refused(server, tool, **arguments).endswith(hint)


def test_analysis_tools_take_the_names_of_the_others(server: LineServer) -> None:
    assert answered(server, "get_definition", source=APP, symbol="total")["definition"]["range"]["line"] == 2
    assert answered(server, "find_references", file="src/app.ax", symbol="total")["total"] == 2
    candidates = [{"edits": [{"old_text": "3", "new_text": "4"}]}]
    assert answered(server, "try_edits", source=APP, candidates=candidates)["candidates"][0]["introduced_count"] == 0


def test_fields_of_objects_that_do_not_exist_are_named(server: LineServer) -> None:
    answer = answered(server, "boruna_run", source=APP, limits={"max_wall": 5})
    assert answer["warnings"] == ["argument `limits.max_wall` is unknown and was ignored; did you mean `limits.max_wall_ms`?"]
    answer = answered(server, "get_definition", source=APP, position={"line": 2, "character": 8})
    assert answer["error"]["message"].endswith("argument `position.character` is unknown and was ignored")
    assert answer["error"]["accepted"]
    candidates = [{"text": APP, "name": "mine"}]
    answer = answered(server, "try_edits", source=APP, candidates=candidates)
    assert answer["warnings"] == ["argument `candidates[0].name` is unknown and was ignored"]


@pytest.mark.parametrize(
    "tool", [row.load() for row in TOOLS.values() if "required" in schema_of(row.load().arguments)], ids=lambda tool: tool.name
)
def test_every_missing_argument_is_named(server: LineServer, tool: Any) -> None:
    needed = schema_of(tool.arguments)["required"][0]
    given = {"source": APP} if issubclass(tool.arguments, ProgramArguments) else {}
    assert f"argument `{needed}` is missing: it must be " in refused(server, tool.name, **given)


def test_misspelt_symbols_have_locals_and_members_as_candidates(server: LineServer) -> None:
    program = "enum State { Open, Shipped(String) }\nfn main() -> Int {\n    let total = 1\n    total\n}\n"
    answer = answered(server, "get_definition", code=program, symbol="totl")
    assert [one["symbol"] for one in answer["error"]["candidates"]] == ["total"]
    one = answered(server, "get_definition", code=program, symbol="State::Shiped")["error"]["candidates"][0]
    assert (one["symbol"], one["position"]["line"], one["position"]["span_len"]) == ("State::Shipped", 1, len("Shipped"))


def test_builtins_are_told_although_no_text_declares_them(server: LineServer) -> None:
    program = "fn main() -> Int {\n    list_len([1])\n}\n"
    answer = answered(server, "get_definition", code=program, symbol="list_len")
    assert answer["signature"] == "fn list_len(xs: List<T>) -> Int"
    assert answer["doc"].startswith("number of items\nexample: list_len([7, 8, 9]) // 3")


def test_paths_without_a_program_never_read_as_clean(server: LineServer) -> None:
    answer = answered(server, "workspace_diagnostics", paths=["src", "nowhere", "*.foo"])
    assert answer["freshness"]["coverage"]["checked"] == 2
    assert answer["warnings"] == [
        "`nowhere` names no .ax file of the workspace, so nothing of it was checked",
        "`*.foo` names no .ax file of the workspace, so nothing of it was checked",
    ]


def test_old_text_that_does_not_stand_once(server: LineServer) -> None:
    def refusal_of(old: str) -> str:
        return refused(server, "try_edits", path="src/app.ax", candidates=[{"edits": [{"old_text": old, "new_text": ""}]}])

    assert "line 2 is `let total = 3`" in refusal_of("let totl = 3")
    assert "occurs 2 times" in refusal_of("total")
    assert "(lines 2, 3)" in refusal_of("total")


def test_edits_that_do_not_fit_fail_their_candidate_alone(server: LineServer) -> None:
    def edit(old: str, new: str) -> dict[str, Any]:
        return {"label": new, "edits": [{"old_text": old, "new_text": new}]}

    outside = {"label": "outside", "edits": [{"start": {"line": 90, "col": 1}, "end": {"line": 90, "col": 1}, "new_text": ""}]}
    twice = [{"old_text": "total + 1", "new_text": "1"}, {"old_text": "+ 1", "new_text": ""}]
    unfit = [edit("let totl = 3", "absent"), outside, {"label": "overlapping", "edits": twice}, edit("total", "often")]
    candidates = [*unfit[:2], edit("total + 1", "total + missing"), *unfit[2:], edit("+ 1", "+ 2")]
    for more in ({}, {"run": True}, {"run": True, "test": True}, {"detail": "summary"}):
        answer = answered(server, "try_edits", path="src/app.ax", candidates=candidates, **more)
        by_label = {one["label"]: one for one in answer["candidates"]}
        assert answer["best"] == "+ 2", more
        assert "line 2 is `let total = 3`" in by_label["absent"]["error"]
        assert by_label["outside"]["error"].startswith("argument `candidates[1].edits[0]`: ")
        assert by_label["overlapping"]["error"].startswith("argument `candidates[3].edits`: two edits of ")
        assert "occurs 2 times" in by_label["often"]["error"]
        # No diagnostics are told of a text that does not exist, and it ranks below one that does not compile.
        assert [set(by_label[one["label"]]) for one in unfit] == [{"label", "rank", "error"}] * 4
        assert by_label["total + missing"]["rank"] == 2
    if_all = refused(server, "try_edits", path="src/app.ax", candidates=unfit, run=True)
    assert if_all == by_label["absent"]["error"]


def test_old_text_may_have_other_line_ends_than_the_file(server: LineServer) -> None:
    edit = {"old_text": "3\n    total + 1", "new_text": "4\n    total + 2"}
    answer = answered(server, "try_edits", path="crlf.ax", candidates=[{"edits": [edit]}], run=True)
    assert answer["candidates"][0]["run"]["result"] == 6


def test_instructions_say_where_the_language_is_explained(folder: Path) -> None:
    with line_server(cwd=str(folder)) as server:
        told = server.ask(
            request(
                0,
                "initialize",
                {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}},
            )
        )
        assert "boruna://language-reference" in told["result"]["instructions"]


def test_similar_resources_are_named(server: LineServer) -> None:
    error = server.ask(request(1, "resources/read", {"uri": "boruna://stdlib/std-jsn"}))["error"]
    assert error["data"]["did_you_mean"][0] == "boruna://stdlib/std-json"


def test_portability_hints_are_for_one_call(server: LineServer) -> None:
    program = 'fn main() -> String {\n    "a\\n"\n}\n'

    def codes_of(**arguments: Any) -> list[str]:
        return [one["id"] for one in answered(server, "boruna_check", source=program, **arguments)["diagnostics"]]

    assert codes_of() == []
    assert codes_of(portable=True) == ["P001"]
    assert codes_of(portable=False) == codes_of() == []
