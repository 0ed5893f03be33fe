"""Calls from a process in which somebody types: another one holds the connections, and the answers are the same."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from boruna_ls.isolation.priority import SESSION
from boruna_ls.runtime.policy import read_policy
from boruna_ls.upstream import calls
from boruna_ls.upstream.keeper import Keeper
from boruna_ls.upstream.service import MEMORY
from tests.support.daemon import until
from tests.support.tool_programs import ToolWorkspace, main

SUM = main('match odd::add(2, 3).json() { Ok(text) => text, Err(reason) => "error " ++ reason }')


@pytest.fixture(scope="module")
def keeper() -> Iterator[Keeper]:
    made = Keeper()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calls, "serves_clients", lambda: True)
        patch.setattr(calls, "shared_keeper", lambda: made)
        yield made
    made.close()


def workspace(folder: Path, mode: str = "odd", **rest: object) -> ToolWorkspace:
    found = ToolWorkspace(folder, {})
    found.configure({"odd": found.odd(mode, **rest)})
    found.allowed = ("odd",)
    return found


def test_the_other_process_starts_the_servers_with_a_lower_priority(keeper: Keeper, tmp_path: Path) -> None:
    servers = workspace(tmp_path)
    found = json.loads(servers.result(main("odd::surroundings().all_text()")))
    assert found["parent"] == keeper.pid
    assert found["nice"] > os.nice(0)
    # Its share of the processors is part of the other process's.
    assert found["session"] == keeper.pid
    autogroup = Path(f"/proc/{keeper.pid}/autogroup")
    if autogroup.exists():
        until(lambda: autogroup.read_text().endswith(f" nice {SESSION}\n"))
    assert found["opened"] == [0, 1, 2]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lifts the limit for the servers")
def test_the_memory_of_the_other_process_is_limited_and_that_of_servers_is_not(keeper: Keeper, tmp_path: Path) -> None:
    servers = workspace(tmp_path)
    found = json.loads(servers.result(main("odd::surroundings().all_text()")))
    assert keeper.pid is not None
    assert resource.prlimit(keeper.pid, resource.RLIMIT_DATA)[0] == MEMORY
    assert found["data"] == list(resource.getrlimit(resource.RLIMIT_DATA))


def test_tools_that_change_are_known_here(keeper: Keeper, tmp_path: Path) -> None:
    servers = workspace(tmp_path)
    assert servers.result(SUM) == '{"sum":5}'
    servers.result(main("odd::change().all_text()"))
    new = main('odd::new_one("x").all_text()')
    ends = time.monotonic() + 20
    while servers.codes(new) and time.monotonic() < ends:
        time.sleep(0.05)
    assert servers.codes(new) == []
    assert servers.result(new) == '{"text": "x"}'


def test_values_of_all_kinds_and_functions_of_mcp(keeper: Keeper, tmp_path: Path) -> None:
    servers = workspace(tmp_path)
    assert servers.result(main('odd::echo_text("é\\n").all_text()')) == json.dumps({"text": "é\n"})
    assert servers.result(main("odd::echo_text(None).all_text()")) == "{}"
    assert servers.result(main('match mcp::connect("odd") { Ok(name) => name, Err(reason) => reason }')) == "odd 1.2"
    assert servers.result(main('__builtin_int_to_string(list_len(mcp::list_tools("odd")))')) == "9"
    policy = read_policy('{"default_allow": true, "mcp_policy": {"odd": ["echo*"]}}')
    made = servers.run(SUM, policy=policy)
    assert made.error is not None
    assert "the policy does not allow it" in made.error.message


def test_failures_are_told_as_they_are_told_here(keeper: Keeper, tmp_path: Path) -> None:
    servers = workspace(tmp_path, "dies")
    assert "its process ended with status 3" in servers.result(main("odd::add(1, 2).all_text()"))
    servers.configure({"odd": servers.odd("silent")})
    made = servers.run(main("odd::add(1, 2).all_text()"), seconds=2.0)
    assert made.error is not None
    servers.configure({"odd": servers.odd("odd")})
    assert servers.result(SUM) == '{"sum":5}'


def test_the_end_of_the_other_process_is_an_error_of_the_call_and_it_is_started_again(keeper: Keeper, tmp_path: Path) -> None:
    servers = workspace(tmp_path)
    assert servers.result(SUM) == '{"sum":5}'
    first = keeper.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    found = ""
    ends = time.monotonic() + 30
    while found != '{"sum":5}' and time.monotonic() < ends:
        found = servers.result(main('match odd::add(2, 3).json() { Ok(text) => text, Err(reason) => "again" }'))
    assert found == '{"sum":5}'
    assert keeper.pid not in (first, None)
