"""Policies: what is accepted, what is refused and in which words, what a valid one means."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boruna_ls.runtime.policy import ALLOW_ALL, DENY_ALL, PolicyError, Rule, doubts, policy_of, policy_text, read_policy

FULL: dict[str, Any] = {
    "schema_version": 1,
    "default_allow": False,
    "rules": {"net.fetch": {"allow": True, "budget": 5}, "random": {"allow": False, "budget": 0}},
    "net_policy": {"allowed_domains": ["a.test"], "allowed_methods": ["GET"], "timeout_ms": 10},
    "fs_policy": {"allowed_roots": ["/tmp"]},
    "db_policy": {"path": "x.db", "read_only": False},
}


def refused(text: str) -> tuple[str, str]:
    with pytest.raises(PolicyError) as caught:
        read_policy(text)
    return caught.value.kind, caught.value.message


def test_shorthands() -> None:
    assert policy_of(None) is ALLOW_ALL
    assert policy_of("allow-all").rule("random") == Rule(True, 0)
    assert policy_of("deny-all") is DENY_ALL
    wrong: Any
    for wrong in ("", "Allow-all", 5, True, [], 0.5):
        with pytest.raises(PolicyError) as caught:
            policy_of(wrong)
        assert caught.value.kind == "invalid_policy"


def test_document_means_what_it_says() -> None:
    policy = read_policy(json.dumps(FULL))
    assert policy.rule("net.fetch") == Rule(True, 5)
    assert policy.rule("fs.read") == Rule(False)
    assert policy.net is not None
    assert policy.net.allowed_domains == ("a.test",)
    assert policy.net.max_response_bytes == 10_485_760
    assert policy.fs is not None
    assert policy.fs.allowed_roots == ("/tmp",)
    assert policy.db is not None
    assert policy.db.read_only is False
    assert read_policy(policy_text(policy)) == policy


def test_a_rule_that_names_tools_of_servers() -> None:
    policy = read_policy('{"rules": {"mcp.call": {"github": ["search_*"], "files": []}}}')
    assert policy.rule("mcp.call") == Rule(True)
    assert policy.mcp == {"github": ("search_*",), "files": ()}
    assert read_policy(policy_text(policy)) == policy
    # A server may be called so; a rule is a rule all the same.
    assert read_policy('{"rules": {"mcp.call": {"allow": ["a"]}}}').mcp == {"allow": ("a",)}
    assert read_policy('{"rules": {"mcp.call": {"allow": true, "budget": 1}}}').mcp is None
    both = '{"rules": {"mcp.call": {"github": ["*"]}}, "mcp_policy": {"github": []}}'
    assert refused(both) == (
        "policy.parse_error", "policy.parse_error: rules.mcp.call names tools, and so does mcp_policy: give one of them",
    )  # fmt: skip
    for wrong in ('{"github": [1]}', '{"github": "*"}', "{}", '{"github": ["*"], "budget": 1}'):
        assert refused(f'{{"rules": {{"mcp.call": {wrong}}}}}')[0].startswith("policy.")
    assert refused('{"rules": {"net.fetch": {"github": ["*"]}}}')[0] == "policy.unknown_field"


@pytest.mark.parametrize(
    "text, kind, words",
    [
        ("", "policy.parse_error", "EOF while parsing a value at line 1 column 0"),
        ('{"rules": {}', "policy.parse_error", "EOF while parsing an object at line 1 column 12"),
        ('{"rules', "policy.parse_error", "EOF while parsing a string at line 1 column 7"),
        ('{\n  "rules": NaN}', "policy.parse_error", "expected value at line 2 column 12"),
        ('{"é": tru}', "policy.parse_error", "expected ident at line 1 column 11"),
        ("[nu€l]", "policy.parse_error", "expected ident at line 1 column 4"),
        ("[-€]", "policy.parse_error", "invalid number at line 1 column 3"),
        ('["\\€"]', "policy.parse_error", "invalid escape at line 1 column 4"),
        ('{"schema_version": 1e999}', "policy.parse_error", "number out of range at line 1 column 24"),
        ('{"a": "\\ud800"}', "policy.parse_error", "unexpected end of hex escape at line 1 column 14"),
        ("[" * 200, "policy.parse_error", "recursion limit exceeded at line 1 column 128"),
        ('{"rulez": {}}', "policy.unknown_field", 'unknown field "rulez" at rulez'),
        ('{"fs_policy": {"roots": []}}', "policy.unknown_field", "fs_policy.roots"),
        ('{"default_allow": 1}', "policy.parse_error", "invalid type: integer `1`, expected a boolean"),
        ('{"rules": {"random": {"allow": true}}}', "policy.parse_error", "missing field `budget`"),
        ('{"rules": {"net": {"allow": true, "budget": 1}}}', "policy.invalid_capability", 'did you mean "net.fetch"?'),
        ('{"schema_version": 2}', "policy.unknown_schema_version", "schema_version 2 not supported"),
        ('{"net_policy": {"timeout_ms": 0}}', "policy.invalid_net_policy", "must be > 0"),
    ],
)
def test_what_is_refused(text: str, kind: str, words: str) -> None:
    found_kind, message = refused(text)
    assert found_kind == kind
    assert message.startswith(f"{kind}: ")
    assert words in message


def test_types_are_told_with_their_path() -> None:
    with pytest.raises(PolicyError) as caught:
        read_policy('{"rules": {"random": {"allow": true, "budget": -1}}}')
    assert caught.value.extra["path"] == "rules.random.budget"


def test_positional_form() -> None:
    policy = read_policy('[1, {"random": [true, 3]}, true, [["a.test"]]]')
    assert policy.default_allow is True
    assert policy.rule("random") == Rule(True, 3)
    assert refused("[1, {}, true, null, 0]") == (
        "policy.parse_error",
        "policy.parse_error: invalid length 5, expected fewer elements in array",
    )


def test_doubts() -> None:
    assert doubts(read_policy('{"net_policy": {"allowed_domains": ["a.test", "*.b.test"]}}')) == []
    assert len(doubts(read_policy('{"net_policy": {"allowed_domains": ["", "http://x"]}}'))) == 2


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*FULL, "allow", "budget"]), inner, max_size=4),
    max_leaves=20,
)


@given(JSON | st.text(max_size=40))
def test_any_text_is_a_policy_or_an_error(value: Any) -> None:
    text = value if isinstance(value, str) else json.dumps(value)
    try:
        policy = read_policy(text)
    except PolicyError as error:
        message, kind = error.message, error.kind
    else:
        message = kind = ""
        assert read_policy(policy_text(policy)) == policy
    assert message.startswith(kind)
