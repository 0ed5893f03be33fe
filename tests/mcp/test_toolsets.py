"""Listed and answered tools: groups, names, servers that only read, and the size of the default list."""

from __future__ import annotations

import pytest

from boruna_ls.mcp.options import GROUPS
from boruna_ls.mcp.server import definition
from boruna_ls.mcp.tools import TOOLS
from boruna_ls.mcp.toolsets import MOST_LISTED, MOST_TOKENS, select
from tests.support.commands import run
from tests.support.mcp_lines import INITIALIZED, call, initialize, line_server, request

CLEAN = "fn main() -> Int {\n    5 + 6\n}\n"
RUNNERS = {"boruna_run", "boruna_run_sealed", "boruna_trace", "boruna_replay"}


def test_the_default_list_is_short_enough_for_every_host() -> None:
    shown = select().shown
    size = sum(len(definition(tool.load()).model_dump_json(by_alias=True, exclude_none=True).encode()) for tool in shown)
    assert len(shown) <= MOST_LISTED
    assert size / 4 <= MOST_TOKENS


def test_every_tool_belongs_to_a_group_and_needs_a_known_scope() -> None:
    assert {tool.group for tool in TOOLS.values()} <= {*GROUPS}
    assert {tool.scope for tool in TOOLS.values()} <= {"read", "run", "write"}
    assert {tool.name for tool in TOOLS.values() if tool.scope == "run"} >= RUNNERS
    assert not any(row.repeatable for row in TOOLS.values() if row.scope == "write")
    assert [*TOOLS] == sorted(TOOLS)


def test_groups_choose_what_is_listed_and_hide_nothing() -> None:
    chosen = select(groups=["analysis"])
    assert {tool.group for tool in chosen.shown} == {"analysis"}
    assert chosen.callable.keys() == TOOLS.keys()
    assert {tool.name for tool in select(groups=["all"]).shown} == {*TOOLS}


def test_names_are_all_there_is() -> None:
    chosen = select(names=["boruna_trace", "boruna_check"])
    assert [tool.name for tool in chosen.shown] == [*chosen.callable] == ["boruna_check", "boruna_trace"]


def test_read_only_leaves_out_what_runs_or_writes() -> None:
    chosen = select(groups=["all"], read_only=True)
    assert not RUNNERS & chosen.callable.keys()
    assert "boruna_repair" in chosen.callable
    assert all(tool.load().hints.read_only for tool in chosen.shown)


@pytest.mark.parametrize("groups, names", [(["nothing"], []), ([], ["boruna_chek"])])
def test_unknown_names_are_refused(groups: list[str], names: list[str]) -> None:
    with pytest.raises(ValueError, match=(groups + names)[0]):
        select(groups, names)


def test_the_command_line_reaches_the_server() -> None:
    with line_server("--tools", "boruna_check,boruna_run", "--read-only") as server:
        server.open()
        assert [tool["name"] for tool in server.ask(request(1, "tools/list"))["result"]["tools"]] == ["boruna_check"]
        assert server.ask(call(2, "boruna_check", source=CLEAN))["result"]["isError"] is False
        for hidden in ("boruna_run", "boruna_ast"):
            assert server.ask(call(3, hidden, source=CLEAN))["error"]["message"].startswith("tool not found")


@pytest.mark.parametrize("options", [(), ("--standalone",)])
def test_an_unknown_toolset_is_a_usage_error(options: tuple[str, ...]) -> None:
    refused = run("mcp", *options, "--toolsets", "run,everything")
    assert refused.returncode == 2
    assert refused.stderr.startswith("Usage: boruna-ls mcp [OPTIONS]\n")
    assert "'--toolsets': 'run,everything' holds an unknown name: there are language, run, " in refused.stderr


def test_enabled_toolsets_are_listed_and_the_client_is_told() -> None:
    with line_server() as server:
        assert server.ask(initialize(version="2025-11-25"))["result"]["capabilities"]["tools"] == {"listChanged": True}
        server.send(INITIALIZED)
        before = {tool["name"] for tool in server.ask(request(1, "tools/list"))["result"]["tools"]}
        assert "boruna_run_live" not in before
        server.send(call(2, "enable_toolset", toolset="run"))
        messages = [server.receive(), server.receive()]
        assert [one.get("method") for one in messages if "id" not in one] == ["notifications/tools/list_changed"]
        (answer,) = [one["result"]["structuredContent"] for one in messages if "id" in one]
        assert {tool["name"]: tool["is_new"] for tool in answer["tools"]}["boruna_run_live"] is True
        after = [tool["name"] for tool in server.ask(request(3, "tools/list"))["result"]["tools"]]
        assert {*after} == before | {row.name for row in TOOLS.values() if row.group == "run"}
        assert after == sorted(after)
        # Nothing new, so nobody is told.
        assert "result" in server.ask(call(4, "enable_toolset", toolset="run"))
        refused = server.ask(call(5, "enable_toolset", toolset="everything"))["result"]
        assert (refused["isError"], refused["structuredContent"]["error"]["field"]) == (True, "toolset")


def test_enabling_does_not_go_beyond_what_the_command_line_allows() -> None:
    with line_server("--tools", "boruna_check,enable_toolset", "--read-only") as server:
        server.open()
        answer = server.ask(call(1, "enable_toolset", toolset="all"))["result"]["structuredContent"]
        assert [tool["name"] for tool in answer["tools"]] == ["boruna_check", "enable_toolset"]


def test_the_default_list_is_that_of_the_contract() -> None:
    named = """
        boruna_ast boruna_builtins boruna_check boruna_compile boruna_framework_test boruna_inspect boruna_repair boruna_run
        boruna_run_sealed boruna_symbols boruna_template_apply boruna_template_list boruna_validate_app boruna_workflow_run
        boruna_workflow_validate enable_toolset find_references get_definition try_edits workspace_diagnostics
    """
    assert [row.name for row in select().shown] == [name for name in named.split() if name in TOOLS]
