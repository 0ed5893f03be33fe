"""Calls of tools from programs: arguments, results, policy, trust, the life of a connection, all with a real server process."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.rendezvous import atomic
from boruna_ls.runtime.event_log import EventLog
from boruna_ls.runtime.policy import DENY_ALL, read_policy
from boruna_ls.upstream.configuration import ConfigurationError, ServerConfiguration, parsed
from boruna_ls.upstream.policy import matches
from tests.support.tool_programs import ToolWorkspace, main

Made = Callable[..., ToolWorkspace]
SUM = main('match odd::add(2, 3).json() { Ok(text) => text, Err(reason) => "error " ++ reason }')
ECHO = main("odd::echo_text({}).all_text()")
SHOWN = main("let found = odd::add(1, 2) if found.is_error() { found.all_text() } else { found.all_text() }")


@pytest.fixture
def workspace(tmp_path: Path) -> Made:
    def made(mode: str = "odd", **rest: Any) -> ToolWorkspace:
        found = ToolWorkspace(tmp_path, {})
        found.configure({"odd": found.odd(mode, **rest)})
        found.allowed = ("odd",)
        return found

    return made


def test_a_call_and_what_is_known_afterwards(workspace: Made) -> None:
    servers = workspace()
    assert servers.codes(SUM) == ["W406"]
    assert servers.result(SUM) == '{"sum":5}'
    assert servers.codes(SUM) == []
    assert servers.codes(main('odd::ad(1, 2).all_text() ++ odd::add(1).all_text() ++ odd::add("1", 2).all_text()')) == [
        "E016", "E017", "W101",
    ]  # fmt: skip
    called = servers.requests_received("tools/call")[-1]["params"]
    assert (called["name"], called["arguments"]) == ("add", {"a": 2, "b": 3})
    shown = json.loads(servers.document("odd").read_text())
    assert shown["tools"][0]["inputSchema"]["required"] == ["a", "b"]
    assert servers.document("odd").stat().st_mode & 0o077 == 0


def test_methods_and_functions_of_mcp(workspace: Made) -> None:
    servers = workspace()
    text = main(
        """let image = odd::image()
    let fails = odd::fails()
    let mut all = match mcp::connect("odd") { Ok(name) => name, Err(reason) => reason }
    for name in mcp::list_servers() { all = all ++ " " ++ name }
    for tool in mcp::list_tools("odd") { if tool.name == "add" { all = all ++ " " ++ tool.schema } }
    for kind in image.content_types() { all = all ++ " " ++ kind }
    all = all ++ (match image.text() { Some(text) => text, None => "none" })
    all = all ++ (match image.structured() { Some(text) => text, None => "none" })
    if fails.is_error() { all ++ fails.all_text() } else { all }"""
    )
    found = servers.result(text)
    assert found.startswith('odd 1.2 odd {"type":"object"')
    assert "text image" in found
    assert '{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}' in found
    assert found.endswith("it went wrong")


def test_a_log_tells_what_was_called_and_what_came_back(workspace: Made) -> None:
    servers, log = workspace(), EventLog()
    servers.result(SUM)
    servers.run(SUM, log=log)
    events = json.loads(log.text())["events"]
    call, answer = (json.dumps(event) for event in events[:2])
    assert '"odd"' in call
    assert '"add"' in call
    assert "is_error" in answer


def test_arguments_are_validated_before_they_are_sent_if_that_is_wanted(workspace: Made) -> None:
    servers = workspace(validate=True)
    assert servers.result(main("odd::exact(3).all_text()")) == '{"n": 3}'
    before = len(servers.requests_received("tools/call"))
    assert "do not fit the schema" in servers.result(main("odd::exact(4).all_text()"))
    assert len(servers.requests_received("tools/call")) == before


def test_a_string_that_a_tool_does_not_accept_is_reported_and_fails(workspace: Made) -> None:
    servers = workspace("choices", validate=True)
    assert servers.result(main('odd::paint("red").all_text()')) == '{"colour": "red"}'
    wrong = main('odd::paint("green").all_text()')
    assert servers.codes(wrong) == ["W111"]
    assert "do not fit the schema" in servers.result(wrong)


def test_null_is_sent_where_a_required_argument_may_be_null(workspace: Made) -> None:
    servers = workspace()
    text = main("odd::nullable(None).all_text()")
    assert servers.result(text) == '{"note": null}'
    assert servers.codes(text) == []


def test_a_tool_with_more_required_arguments_than_a_call_can_hold(workspace: Made) -> None:
    servers = workspace("wide")
    text = main("odd::wide(" + ", ".join(['""'] * 250) + ").all_text()")
    assert "wide needs more than 250 arguments, which no call can hold" in servers.result(text)
    assert servers.requests_received("tools/call") == []
    assert servers.codes(text) == ["E017"]


def test_the_server_gets_no_environment_but_its_own(workspace: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_OURS", "hush")
    monkeypatch.setenv("WANTED", "yes")
    servers = workspace(env={"GIVEN": "${WANTED}", "ELSE": "${UNSET:-other}"})
    found = json.loads(servers.result(main("odd::environment().all_text()")))
    assert (found["GIVEN"], found["ELSE"]) == ("yes", "other")
    assert "SECRET_OF_OURS" not in found
    assert "yes" not in (servers.folder / ".mcp.json").read_text()


def test_the_server_inherits_no_file_and_no_terminal(workspace: Made) -> None:
    servers = workspace()
    with open(servers.folder / "ours.txt", "w") as ours:
        os.set_inheritable(ours.fileno(), True)
        found = json.loads(servers.result(main("odd::surroundings().all_text()")))
    assert found["opened"] == [0, 1, 2]
    assert found["session"] != os.getsid(0)
    assert (found["folder"], found["core"]) == (str(servers.folder), [0, 0])


def test_a_variable_that_is_not_set_is_an_error_of_the_call(workspace: Made) -> None:
    assert "THIS_IS_NOT_SET is not set" in workspace(env={"GIVEN": "${THIS_IS_NOT_SET}"}).result(SHOWN)


# ---- policy and trust -----------------------------------------------------------------------------------------------


def test_the_policy_decides_by_server_and_tool(workspace: Made) -> None:
    servers = workspace()
    policy = read_policy('{"default_allow": true, "mcp_policy": {"odd": ["a*", "*text"]}}')
    assert servers.result(SUM, policy=policy) == '{"sum":5}'
    # As a rule of the capability it says the same.
    rule = read_policy('{"rules": {"mcp.call": {"odd": ["a*", "*text"]}}}')
    assert servers.result(SUM, policy=rule) == '{"sum":5}'
    for one in (policy, rule):
        made = servers.run(main("odd::image().all_text()"), policy=one)
        assert made.error is not None
        assert 'capability denied: mcp.call of "odd", tool "image": the policy does not allow it' in made.error.message
    assert servers.run(SUM, policy=read_policy('{"default_allow": true, "mcp_policy": {"other": ["*"]}}')).error is not None
    assert servers.run(SUM, policy=DENY_ALL).error is not None


def test_what_the_owner_does_not_allow_is_not_started(workspace: Made) -> None:
    servers = workspace()
    servers.allowed = ()
    made = servers.run(SUM)
    assert made.error is not None
    assert "boruna-ls trust allow mcp-server 'odd#" in made.error.message
    assert not servers.log.exists()


def test_an_allowance_is_for_a_configuration(workspace: Made) -> None:
    from boruna_ls.effects.ceiling import pinned
    from boruna_ls.upstream.configuration import read

    servers = workspace()
    servers.allowed = (pinned("odd", read(str(servers.folder)).servers["odd"].fingerprint),)
    assert servers.result(SUM) == '{"sum":5}'
    servers.configure({"odd": servers.odd("odd", env={"NODE_OPTIONS": "--require /tmp/evil.js"})})
    made = servers.run(SUM)
    assert made.error is not None
    assert "not allowed by the owner" in made.error.message


def test_a_name_that_is_spelled_like_the_pin_of_another_server_gives_no_permission(workspace: Made) -> None:
    from boruna_ls.effects.ceiling import pinned
    from boruna_ls.upstream.configuration import read

    servers = workspace()
    pin = pinned("odd", read(str(servers.folder)).servers["odd"].fingerprint)
    servers.allowed = (pin,)
    # Another configuration, under the text of the entry: a program may call a server by any name.
    servers.configure({"odd": servers.odd("odd"), pin: servers.odd("odd", env={"NODE_OPTIONS": "--require /tmp/evil.js"})})
    connecting = f'fn main() -> String !{{mcp.call}} {{ match mcp::connect("{pin}") {{ Ok(t) => t, Err(t) => t }} }}\n'
    made = servers.run(connecting)
    assert made.error is not None
    assert "not allowed by the owner" in made.error.message
    assert not servers.log.exists()
    servers.allowed = (pinned(pin, read(str(servers.folder)).servers[pin].fingerprint),)
    assert servers.run(connecting).error is None


@pytest.mark.parametrize(
    ("oauth", "told"),
    [
        ({"clientId": "c", "clientSecret": "s"}, "oauth.issuer: Field required"),
        ({"clientId": "c", "issuer": "https://i"}, "oauth: give one of `clientSecret`, `privateKey` and `assertion`"),
        ({"clientId": "c", "issuer": "https://i", "clientSecret": "s", "assertion": "a"}, "oauth: give one of"),
        (
            {
                "clientId": "c",
                "issuer": "i",
                "assertion": "a",
                "identityProvider": {"tokenEndpoint": "t", "clientId": "c", "idToken": "i"},
            },
            "oauth: `identityProvider` needs `clientSecret`",
        ),
        ({"clientId": "c", "issuer": "https://i", "clientSecret": "s", "secret": "s"}, "oauth.secret: Extra inputs"),
    ],
)
def test_credentials_that_are_none(oauth: dict[str, Any], told: str) -> None:
    found = parsed(json.dumps({"mcpServers": {"s": {"url": "https://s", "oauth": oauth}}}).encode())
    assert told in found.problems["s"]


def test_credentials_are_filled_in_and_belong_to_what_is_allowed() -> None:
    def server(**rest: Any) -> ServerConfiguration:
        return ServerConfiguration.model_validate({"url": "https://s", **rest})

    given = server(oauth={"clientId": "c", "issuer": "https://${HOST}", "clientSecret": "${SECRET}"})
    filled = given.expanded({"HOST": "i", "SECRET": "hush"}).oauth
    assert filled is not None
    assert (filled.issuer, filled.client_secret, filled.client_id) == ("https://i", "hush", "c")
    other = server(oauth={"clientId": "c", "issuer": "https://other", "clientSecret": "${SECRET}"})
    # The owner, who is asked, sees which of our variables are sent, in a long address, too, and where they go.
    assert given.summary == "https://s, with ${HOST} and ${SECRET}, credentials go to https://${HOST}"
    long = given.model_copy(update={"url": f"https://s/{'x' * 5_000}?key=${{MY_KEY:-none}}"})
    assert long.summary == "…s/…, with ${MY_KEY} and ${HOST} and ${SECRET}, credentials go to https://${HOST}"
    # Neither a long host nor a user's name hides whose address it is.
    for before in ("login.good.example." + "x" * 90 + ".", "login.good.example" + "x" * 300 + "@"):
        assert "evil.example/…, with" in given.model_copy(update={"url": f"https://{before}evil.example/p"}).summary
    assert len({server().fingerprint, given.fingerprint, other.fingerprint}) == 3
    with pytest.raises(ConfigurationError, match="SECRET is not set"):
        given.expanded({"HOST": "i"})


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("search_*", "search_code", True),
        ("search_*", "research_code", False),
        ("*", "", True),
        ("", "", True),
        ("a", "", False),
        ("*a*b", "xxaxxb", True),
        ("*a*b", "xxaxxbx", False),
        ("a**", "a", True),
        ("[ab]", "a", False),
        ("*" * 50 + "b", "a" * 5_000, False),
    ],
)
def test_patterns(pattern: str, name: str, fits: bool) -> None:
    begun = time.monotonic()
    assert matches(pattern, name) is fits
    assert time.monotonic() - begun < 2


# ---- the life of a connection ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "subscriptions"),
    [("odd", 0), ("modern", 1), ("modern_ends", 2)],
    ids=["by a notification", "on a stream", "on a stream that ends"],
)
def test_tools_that_change_are_listed_again_and_programs_checked_again(workspace: Made, mode: str, subscriptions: int) -> None:
    servers = workspace(mode)
    new = main('odd::new_one("x").all_text()')
    servers.result(main("odd::change().all_text()"))
    ends = time.monotonic() + 10
    while servers.codes(new) and time.monotonic() < ends:
        time.sleep(0.05)
    assert servers.codes(new) == []
    assert servers.result(new) == '{"text": "x"}'
    assert len(servers.requests_received("subscriptions/listen")) == subscriptions


def test_the_stream_of_changes_costs_no_second_listing(workspace: Made) -> None:
    servers = workspace("modern")
    servers.result(SUM)
    assert len(servers.requests_received("tools/list")) == 1


def test_one_process_serves_many_runs(workspace: Made) -> None:
    servers = workspace()
    for _ in range(3):
        servers.result(SUM)
    assert len(servers.requests_received("initialize")) == 1


def test_a_program_checked_against_old_schemas_means_what_it_meant(workspace: Made) -> None:
    """Names go with a call: a schema that changes its order moves no value to another parameter."""
    servers = workspace()
    servers.result(SUM)
    document = json.loads(servers.document("odd").read_text())
    document["tools"][0]["inputSchema"]["required"] = ["b", "a"]
    atomic.write(servers.document("odd"), json.dumps(document).encode())
    servers.result(SUM)
    assert servers.requests_received("tools/call")[-1]["params"]["arguments"] == {"b": 2, "a": 3}
